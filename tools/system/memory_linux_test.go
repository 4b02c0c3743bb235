package system

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// limitedGroup creates a cgroup, version 1 or 2, with a memory limit in bytes for all its members.
func limitedGroup(t *testing.T, bytes int) string {
	t.Helper()
	mine, _ := os.ReadFile("/proc/self/cgroup")
	own := "/"
	for line := range strings.Lines(string(mine)) {
		if _, path, ok := strings.Cut(strings.TrimSpace(line), ":memory:"); ok {
			own = path
		}
	}
	name := fmt.Sprintf("slipstick-test-memory-%d", os.Getpid())
	for _, place := range []struct{ dir, file string }{
		{filepath.Join("/sys/fs/cgroup/memory", own, name), "memory.limit_in_bytes"},
		{filepath.Join("/sys/fs/cgroup", name), "memory.max"},
	} {
		if os.Mkdir(place.dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			for try := 0; os.Remove(place.dir) != nil && try < 500; try++ { // its last process may still run
				time.Sleep(10 * time.Millisecond)
			}
		})
		limit, err := os.OpenFile(filepath.Join(place.dir, place.file), os.O_WRONLY, 0) // without the cgroup there is no such file
		if err != nil {
			continue
		}
		_, err = fmt.Fprint(limit, bytes)
		err = errors.Join(err, limit.Close())
		if err == nil {
			return place.dir
		}
	}
	t.Skip("no cgroup here limits memory")
	return ""
}

// A server uses at most half of the memory of its cgroup, unless GOMEMLIMIT is set.
func TestMemoryLimit(t *testing.T) {
	group := limitedGroup(t, 512<<20)
	for env, want := range map[string]string{"NONE=": "bytes=268435456", "GOMEMLIMIT=100MiB": "bytes=104857600"} {
		script := fmt.Sprintf("echo $$ > %s/cgroup.procs && exec %q serve --addr 127.0.0.1:0 --registry %q --data %q --no-sandbox",
			group, built.slipstick, built.registry, t.TempDir())
		h := launchServer(t, exec.Command("bash", "-c", script), env)
		if said := strings.Join(h.said, "\n"); !strings.Contains(said, "memory is limited") || !strings.Contains(said, want) {
			t.Errorf("%s: said %q, want %s", env, said, want)
		}
		h.stop(t)
	}
}
