package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/regular"
)

// Layout is an open OCI image layout. It reads and writes nothing outside its directory. It is
// not safe for concurrent use.
type Layout struct {
	id   string
	dir  string // in the store: the id, or a hidden name before [Writer.Show]
	root *os.Root

	blobs *os.Root // the directory of blobs, once a blob was opened
}

func openLayout(store *os.Root, id string) (*Layout, error) {
	root, err := regular.OpenDir(store, id)
	var kind *regular.KindError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.As(err, &kind):
		return nil, fmt.Errorf("%s is %w: move it out of the registry", id, err)
	case err != nil:
		return nil, fmt.Errorf("open %s: %v", id, err)
	}
	return &Layout{id: id, dir: id, root: root}, nil
}

// Close closes the layout.
func (l *Layout) Close() {
	if l.blobs != nil {
		l.blobs.Close()
	}
	l.root.Close()
}

// within returns the directory that contains a file of the layout, and the name of the file in
// it. The directory of blobs stays open, because opening it is most of the work of opening a
// blob.
func (l *Layout) within(name string) (*os.Root, string) {
	blob, ok := strings.CutPrefix(name, blobDir+"/")
	if !ok {
		return l.root, name
	}
	if l.blobs == nil {
		blobs, err := regular.OpenDir(l.root, blobDir)
		if err != nil {
			return l.root, name // opening the file returns the error
		}
		l.blobs = blobs
	}
	return l.blobs, blob
}

// ID returns the name of the layout.
func (l *Layout) ID() string { return l.id }

// Hidden reports whether the layout is not visible to readers yet, see [Writer.Show].
func (l *Layout) Hidden() bool { return l.dir != l.id }

// path returns the path of a file of the layout in the store.
func (l *Layout) path(name string) string { return path.Join(l.dir, name) }

// Index reads and checks oci-layout and index.json. A directory gets its name when it has
// both, so a crash never leaves a layout without one of them.
func (l *Layout) Index() (*Index, error) {
	data, err := l.readFile(v1.ImageLayoutFile)
	if err != nil {
		return nil, err
	}
	var mark v1.ImageLayout
	if err := json.Unmarshal(data, &mark); err != nil || mark.Version != v1.ImageLayoutVersion {
		return nil, fmt.Errorf(`%s is not {"imageLayoutVersion":"%s"}: restore it`, l.path(v1.ImageLayoutFile), v1.ImageLayoutVersion)
	}
	data, err = l.readFile(v1.ImageIndexFile)
	if err != nil {
		return nil, err
	}
	x, err := ParseIndex(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.path(v1.ImageIndexFile), err)
	}
	return x, nil
}

// readFile reads a file without a digest.
func (l *Layout) readFile(name string) ([]byte, error) {
	f, _, err := l.open(name, MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing, so the layout is incomplete: restore it from a backup, or copy it again. If nothing was ever published there, remove the directory", l.path(name))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxJSON+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", l.path(name), err)
	}
	if len(data) > MaxJSON { // it grew
		return nil, fmt.Errorf("%s has more than the %d bytes that are read: restore it from a backup", l.path(name), MaxJSON)
	}
	return data, nil
}

// Manifest reads the manifest of an index entry.
func (l *Layout) Manifest(d v1.Descriptor) (*v1.Manifest, error) {
	if d.MediaType != v1.MediaTypeImageManifest {
		return nil, fmt.Errorf("index entry %.100q has the media type %.100q, not %s: restore index.json from a backup", d.Digest, d.MediaType, v1.MediaTypeImageManifest)
	}
	data, err := l.Read(d, MaxJSON)
	if err != nil {
		return nil, err
	}
	m := new(v1.Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("manifest %s is not a manifest: %w", d.Digest, err)
	}
	if m.SchemaVersion != 2 || m.MediaType != v1.MediaTypeImageManifest {
		return nil, fmt.Errorf("manifest %s has schema version %d and media type %.100q, not 2 and %s", d.Digest, m.SchemaVersion, m.MediaType, v1.MediaTypeImageManifest)
	}
	return m, nil
}
