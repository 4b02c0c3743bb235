package registry

import (
	_ "crypto/sha256" // go-digest computes only what is linked in
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/regular"
)

// blobName returns the file of a digest below the layout.
func blobName(d digest.Digest) (string, error) {
	if d.Validate() != nil || d.Algorithm() != digest.SHA256 {
		return "", fmt.Errorf("digest %.100q is not sha256: and 64 hexadecimal digits", d)
	}
	return path.Join(blobDir, d.Encoded()), nil
}

// open opens a file of the layout. It refuses anything but a regular file: a link
// could be turned to other bytes, and a pipe could block for ever.
func (l *layout) open(name string, limit int64) (*os.File, int64, error) {
	f, info, err := regular.Open(l.root, name)
	var kind *regular.KindError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, fmt.Errorf("%s is missing: restore it from a backup, or publish the same release again: %w", l.path(name), fs.ErrNotExist)
	case errors.As(err, &kind):
		return nil, 0, fmt.Errorf("%s is %w: put the file itself there", l.path(name), err)
	case err != nil:
		return nil, 0, fmt.Errorf("open %s: %w", l.path(name), err)
	case info.Size() > limit:
		f.Close()
		return nil, 0, fmt.Errorf("%s has %d bytes, more than the %d that are read: restore it from a backup", l.path(name), info.Size(), limit)
	}
	return f, info.Size(), nil
}

// openBlob opens the blob of a descriptor and compares the sizes.
func (l *layout) openBlob(d v1.Descriptor, limit int64) (*os.File, error) {
	name, err := blobName(d.Digest)
	if err != nil {
		return nil, err
	}
	f, size, err := l.open(name, limit)
	if err != nil || size == d.Size {
		return f, err
	}
	defer f.Close()
	found, err := digest.FromReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", l.path(name), err)
	}
	if err := l.compare(d.Digest, found); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s has %d bytes where its descriptor says %d: restore index.json from a backup", l.path(name), size, d.Size)
}

// read returns the bytes of a blob, which are those of its digest.
func (l *layout) read(d v1.Descriptor, limit int64) ([]byte, error) {
	f, err := l.openBlob(d, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, d.Size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read blob %s of %s: %w", d.Digest, l.id, err)
	}
	if err := l.compare(d.Digest, digest.FromBytes(data)); err != nil {
		return nil, err
	}
	return data, nil
}

// verify reads a blob without keeping it.
func (l *layout) verify(d v1.Descriptor, limit int64) error {
	f, err := l.openBlob(d, limit)
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := digest.FromReader(f)
	if err != nil {
		return fmt.Errorf("read blob %s of %s: %w", d.Digest, l.id, err)
	}
	return l.compare(d.Digest, found)
}

func (l *layout) compare(expected, found digest.Digest) error {
	if expected == found {
		return nil
	}
	return &DigestError{File: l.path(path.Join(blobDir, expected.Encoded())), Expected: expected.String(), Found: found.String()}
}
