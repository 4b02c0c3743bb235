package develop

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// fingerprint changes when a file changes.
type fingerprint struct {
	files  int
	bytes  int64
	newest time.Time
}

// maxWatched is the maximum number of watched files.
const maxWatched = 5000

func fingerprintOf(dir string) (f fingerprint, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); path != dir && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".json", ".mod", ".sum", ".md", ".csv":
		default:
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil // it was removed
		}
		f.files++
		f.bytes += info.Size()
		if info.ModTime().After(f.newest) {
			f.newest = info.ModTime()
		}
		if f.files > maxWatched {
			return fmt.Errorf("%s has more than %d files: name the directory of one engine", dir, maxWatched)
		}
		return nil
	})
	if err == nil && f.files == 0 {
		err = fmt.Errorf("%s has no Go program", dir)
	}
	return f, err
}
