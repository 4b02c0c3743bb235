package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/sdk"
)

// layout is the OCI image layout of one capability. Nothing is read or written
// outside its directory.
type layout struct {
	id   string
	dir  string // in the registry: the id, or a hidden name until it is published
	root *os.Root

	options Options
}

// openLayout opens the layout of a capability. The error is fs.ErrNotExist only
// if there is nothing under that name.
func openLayout(registry *os.Root, id string) (*layout, error) {
	if !sdk.IsCapability(id) {
		if _, err := registry.Lstat(id); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the name %q is no capability id such as thermo.radiation.grey_surface: move it out of the registry", id)
	}
	root, err := regular.OpenDir(registry, id)
	var kind *regular.KindError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.As(err, &kind):
		return nil, fmt.Errorf("%s is %w: move it out of the registry", id, err)
	case err != nil:
		return nil, fmt.Errorf("open %s: %v", id, err)
	}
	return &layout{id: id, dir: id, root: root}, nil
}

func (l *layout) close() { l.root.Close() }

// path returns a file of the layout relative to the registry.
func (l *layout) path(name string) string { return path.Join(l.dir, name) }

// index reads and checks oci-layout and index.json. A directory gets its
// name when it has both, so that one is missing is never the trace of a crash.
func (l *layout) index() (*index, error) {
	data, err := l.readFile(v1.ImageLayoutFile)
	if err != nil {
		return nil, err
	}
	var mark v1.ImageLayout
	if err := json.Unmarshal(data, &mark); err != nil || mark.Version != v1.ImageLayoutVersion {
		return nil, fmt.Errorf(`%s is not {"imageLayoutVersion":"%s"}: restore it`, l.path(v1.ImageLayoutFile), v1.ImageLayoutVersion)
	}
	if data, err = l.readFile(v1.ImageIndexFile); err != nil {
		return nil, err
	}
	x, err := parseIndex(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.path(v1.ImageIndexFile), err)
	}
	return x, nil
}

// readFile reads a file that has no digest to be compared with.
func (l *layout) readFile(name string) ([]byte, error) {
	f, _, err := l.open(name, MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing, so the directory is only half of a layout: restore it from a backup or copy it again; if nothing was ever published there, remove the directory", l.path(name))
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

// manifest reads the manifest of an index entry.
func (l *layout) manifest(d v1.Descriptor) (*v1.Manifest, error) {
	if d.MediaType != v1.MediaTypeImageManifest {
		return nil, fmt.Errorf("index entry %.100q has the media type %.100q, not %s: restore index.json from a backup", d.Digest, d.MediaType, v1.MediaTypeImageManifest)
	}
	data, err := l.read(d, MaxJSON)
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
