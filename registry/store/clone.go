package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// Clone returns a store in a new directory with the present content of s. The two share their
// files, which are replaced and never changed, so a clone needs no extra space. Both must be
// in one file system.
func (s *Store) Clone(ctx context.Context, dir string) (*Store, error) {
	unlock, err := s.lock(ctx, lockFile)
	if err != nil {
		return nil, fmt.Errorf("clone %s: %w", s.dir, err)
	}
	defer unlock()
	clone, err := Open(dir, nil)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == s.dir {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") || e.Name() == ingestDir {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		to := filepath.Join(clone.dir, strings.TrimPrefix(path, s.dir))
		if !e.IsDir() {
			if err := os.Link(path, to); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			return nil
		}
		if err := os.Mkdir(to, 0o755); err != nil || filepath.Dir(path) != s.dir {
			return err
		}
		// Copy the index before the blobs, so that all blobs that it names exist: mirrors are
		// not locked.
		index := v1.ImageIndexFile
		if err := os.Link(filepath.Join(path, index), filepath.Join(to, index)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("clone %s: %w", s.dir, err)
	}
	return clone, nil
}
