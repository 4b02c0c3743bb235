package store

import (
	_ "crypto/sha256" // go-digest computes only what is linked in
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/regular"
)

// Blob is bytes with their descriptor.
type Blob struct {
	v1.Descriptor
	Data []byte
	File string // file with the same bytes, which may become the file of the blob, see [Writer.Fill]; "" if there is none
}

// BlobOf returns the blob with the bytes.
func BlobOf(mediaType string, data []byte) Blob {
	return Blob{Descriptor: v1.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}, Data: data}
}

// BlobIn returns the blob with the bytes of a file, and their digest. [Writer.Fill] compares
// the file with it.
func BlobIn(mediaType, file string, d digest.Digest, data []byte) Blob {
	return Blob{Descriptor: v1.Descriptor{MediaType: mediaType, Digest: d, Size: int64(len(data))}, Data: data, File: file}
}

// ManifestOf returns the blob of a manifest, whose version and media type it sets.
func ManifestOf(m v1.Manifest) Blob {
	m.Versioned, m.MediaType = specs.Versioned{SchemaVersion: 2}, v1.MediaTypeImageManifest
	return BlobOf(v1.MediaTypeImageManifest, Marshal(m))
}

// Marshal renders a document of the format. Every map key is sorted, so the bytes are stable.
func Marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and times always marshal
	}
	return data
}

// CheckDigest returns an error unless a blob can have the digest.
func CheckDigest(d digest.Digest) error {
	_, err := blobName(d)
	return err
}

// blobName returns the file name of a digest below the layout.
func blobName(d digest.Digest) (string, error) {
	if d.Validate() != nil || d.Algorithm() != digest.SHA256 {
		return "", fmt.Errorf("digest %.100q is not sha256: and 64 hexadecimal digits", d)
	}
	return path.Join(blobDir, d.Encoded()), nil
}

// open opens a file of the layout. It refuses everything but a regular file: a link could be
// changed to other bytes, and a pipe could block.
func (l *Layout) open(name string, limit int64) (*os.File, int64, error) {
	dir, base := l.within(name)
	f, info, err := regular.Open(dir, base)
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

// OpenBlob opens the blob of a descriptor and compares the sizes.
func (l *Layout) OpenBlob(d v1.Descriptor, limit int64) (*os.File, error) {
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
	return nil, fmt.Errorf("%s has %d bytes, and its descriptor has %d: restore index.json from a backup", l.path(name), size, d.Size)
}

// Read returns the bytes of a blob, compared with its digest.
func (l *Layout) Read(d v1.Descriptor, limit int64) ([]byte, error) {
	f, err := l.OpenBlob(d, limit)
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

// Verify compares a blob with its digest, without returning its bytes.
func (l *Layout) Verify(d v1.Descriptor, limit int64) error {
	f, err := l.OpenBlob(d, limit)
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

func (l *Layout) compare(expected, found digest.Digest) error {
	if expected == found {
		return nil
	}
	return &DigestError{File: l.path(path.Join(blobDir, expected.Encoded())), Expected: expected.String(), Found: found.String()}
}
