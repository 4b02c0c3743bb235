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
	err = s.cloneTree(s.dir, clone.dir)
	if err == nil {
		// Clone the shared blobs last, so that all blobs that the layouts name exist.
		err = s.cloneShared(clone.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("clone %s: %w", s.dir, err)
	}
	return clone, nil
}

// cloneShared clones the layout of shared blobs, if there is one.
func (s *Store) cloneShared(dir string) error {
	from, to := filepath.Join(s.dir, Shared), filepath.Join(dir, Shared)
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := os.Mkdir(to, 0o755)
	if err == nil {
		err = s.cloneTree(from, to)
	}
	return err
}

// cloneTree links all files below a directory that are not hidden.
func (s *Store) cloneTree(from, dir string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") || e.Name() == ingestDir {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, from))
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
}
