package store

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/opencontainers/go-digest"
)

// Link replaces the file at path by a hard link to a blob of that layout. First it compares
// the bytes of the blob with the digest. It does not change the file if it is that link
// already, or if the file system cannot link the two.
func (s *Store) Link(id string, d digest.Digest, limit int64, path string) error {
	l, err := s.Layout(id)
	if err != nil {
		return err
	}
	defer l.Close()
	name, err := blobName(d)
	if err != nil {
		return err
	}
	file, _, err := l.open(name, limit)
	if err != nil {
		return err
	}
	defer file.Close()
	blob, err := file.Stat()
	if err != nil {
		return err
	}
	if old, err := os.Lstat(path); err == nil && os.SameFile(old, blob) {
		return nil
	}
	found, err := digest.FromReader(file)
	if err == nil {
		err = l.compare(d, found)
	}
	if err != nil {
		return err
	}
	return replaceByLink(filepath.Join(s.dir, id, name), path)
}

func replaceByLink(from, path string) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".link")
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) { // of a writer that was killed
		return err
	}
	if err := os.Link(from, temp); err != nil {
		return nil // two file systems, or one without links
	}
	return os.Rename(temp, path)
}
