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

// watch finds changes of a directory. Programs save a file in several steps: they empty it, write parts of it, or replace it.
// A change is therefore complete when two checks in a row see the same files.
type watch struct {
	used fingerprint // of the files that check reported; zero if there are none
	last fingerprint // of the last check; zero if it could not read the directory
}

// check reports whether there are other files than it reported before. The first check reports all files. The error is that
// neither this check nor the check before could read the directory.
func (w *watch) check(dir string) (changed bool, err error) {
	now, err := fingerprintOf(dir)
	before := w.last
	w.last = now
	switch {
	case err != nil && before == (fingerprint{}):
		return false, err
	case err != nil, now == w.used, now != before && w.used != (fingerprint{}):
		return false, nil
	}
	w.used = now
	return true, nil
}

// fingerprintOf returns the fingerprint of a directory, or of one file. It is zero if there is an error.
func fingerprintOf(dir string) (f fingerprint, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		isHidden := path != dir && strings.HasPrefix(e.Name(), ".")
		if e.IsDir() {
			if isHidden {
				return fs.SkipDir
			}
			return nil
		}
		if isHidden {
			return nil // such as the lock file of an editor
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
	if err != nil {
		return fingerprint{}, err
	}
	return f, nil
}
