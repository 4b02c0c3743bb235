package sandbox

import (
	"os"
	"path/filepath"
)

// MemoryGroup makes a group below the group of this process, and returns its directory. Its members
// can use the given number of bytes of memory together.
func MemoryGroup(name string, bytes int64) (string, error) {
	err := os.ErrNotExist
	for _, m := range cgroupMounts() {
		h := &hierarchy{dir: m.own, unified: m.unified, controllers: []string{"memory"}}
		if m.unified {
			h.dir = m.top // a group with processes may have no children with limits
		}
		if !m.unified && !m.has("memory") {
			continue
		}
		h.settings = settings(h, Limits{Memory: bytes})
		dir := filepath.Join(h.dir, name)
		err = h.make(dir)
		if err == nil {
			return dir, nil
		}
	}
	return "", err
}
