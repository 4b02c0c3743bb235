package registry

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/registry/transparency"
	"github.com/slipstick/slipstick/sdk/preset"
)

// Transferred counts what an export or an import has moved.
type Transferred struct {
	Capabilities int // without tables
	Tables       int
	Versions     int // of capabilities and tables; an import counts new versions
	Records      int // statements about versions, counted like Versions
	LeftOut      int // engines for other platforms that were not there
}

// add counts a capability or a table.
func (t *Transferred) add(id string) {
	if preset.IsTable(id) {
		t.Tables++
	} else {
		t.Capabilities++
	}
}

// Export writes the registry as a ZIP file with the files of its directory: everything that is
// published, each runtime once, and the log. It compares every byte with its digest, and refuses a
// registry with damage. The same content gives the same bytes.
func (r *Registry) Export(ctx context.Context, to io.Writer) (Transferred, error) {
	e := &export{Context: ctx, Writer: zip.NewWriter(to), registry: r, written: map[string]bool{}}
	err := e.all()
	if err != nil {
		return Transferred{}, fmt.Errorf("export registry %s: %w", r.store.Dir(), err)
	}
	return e.count, nil
}

type export struct {
	context.Context
	*zip.Writer
	registry *Registry
	written  map[string]bool // blobs, by their names
	count    Transferred
}

func (e *export) all() error {
	// Before the capabilities, so that the log has no entries that the file lacks.
	l, err := e.registry.Log(nil)
	if err != nil {
		return err
	}
	names, err := e.registry.Names(e)
	if err != nil {
		return err
	}
	for _, id := range names {
		if err := e.capability(id); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	if err := e.shared(); err != nil {
		return err
	}
	if l != nil {
		if err := e.log(l); err != nil {
			return err
		}
	}
	return e.Close()
}

// capability writes the layout of a capability. The index is last, as on disk.
func (e *export) capability(id string) error {
	l, x, err := e.registry.open(id)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := x.Check(); err != nil {
		return err
	}
	for _, d := range x.Entries() {
		if e.written[blobIn(id, d.Digest)] {
			continue // it is the current version
		}
		if err := e.manifest(l, d); err != nil {
			return err
		}
	}
	e.count.add(id)
	e.count.Versions += len(x.Versions())
	e.count.Records += len(x.Untagged())
	return e.layout(id, x.Bytes())
}

// shared completes the layout of runtimes, which has an empty index.
func (e *export) shared() error {
	l, err := e.registry.store.Layout(store.Shared)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.Close()
	x, err := l.Index()
	if err != nil {
		return err
	}
	return e.layout(store.Shared, x.Bytes())
}

// layout writes the files of an OCI image layout that are not blobs.
func (e *export) layout(id string, index []byte) error {
	err := e.file(path.Join(id, v1.ImageLayoutFile), store.Marshal(v1.ImageLayout{Version: v1.ImageLayoutVersion}))
	if err == nil {
		err = e.file(path.Join(id, v1.ImageIndexFile), index)
	}
	return err
}

// manifest writes a manifest and what it names.
func (e *export) manifest(l *layout, entry v1.Descriptor) error {
	m, err := l.Manifest(entry)
	if err != nil {
		return err
	}
	if err := e.blob(l.Layout, l.ID(), entry, store.MaxJSON); err != nil {
		return err
	}
	for _, d := range append(slices.Clone(m.Layers), m.Config) {
		if err := e.part(l, d); err != nil {
			return err
		}
	}
	return nil
}

func (e *export) part(l *layout, d v1.Descriptor) error {
	if !isProgram(d) {
		return e.blob(l.Layout, l.ID(), d, store.MaxJSON)
	}
	err := e.program(l, d)
	if absentElsewhere(d, err) {
		e.count.LeftOut++
		return nil
	}
	return err
}

// program writes an engine, or a runtime.
func (e *export) program(l *layout, d v1.Descriptor) error {
	if d.MediaType == mediatype.Engine {
		return e.blob(l.Layout, l.ID(), d, MaxEngine)
	}
	shared, err := l.openShared()
	if err != nil {
		return err
	}
	defer shared.Close()
	return e.blob(shared, store.Shared, d, MaxEngine)
}

// blob writes a blob, unless the file has it already.
func (e *export) blob(l *store.Layout, dir string, d v1.Descriptor, limit int64) error {
	name := blobIn(dir, d.Digest)
	if err := e.Err(); err != nil || e.written[name] {
		return err
	}
	from, err := l.OpenBlob(d, limit)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := e.create(name)
	if err != nil {
		return err
	}
	hash := digest.SHA256.Digester()
	if _, err := io.Copy(io.MultiWriter(to, hash.Hash()), from); err != nil {
		return err
	}
	if hash.Digest() != d.Digest {
		return &store.DigestError{File: name, Expected: d.Digest.String(), Found: hash.Digest().String()}
	}
	e.written[name] = true
	return nil
}

func (e *export) log(l *transparency.Log) error {
	files, err := l.Files(0)
	if err != nil {
		return err
	}
	rotations, err := e.registry.LogRotations()
	if err != nil {
		return err
	}
	if rotations != nil {
		files = append([]transparency.File{{Name: transparency.RotationsFile, Data: rotations}}, files...)
	}
	for _, f := range files {
		if err := e.file(path.Join(logDir, f.Name), f.Data); err != nil {
			return err
		}
	}
	return nil
}

func (e *export) file(name string, data []byte) error {
	to, err := e.create(name)
	if err == nil {
		_, err = to.Write(data)
	}
	return err
}

// create starts a file. ZIP files can have no time before 1980.
func (e *export) create(name string) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	h.SetMode(0o644)
	return e.CreateHeader(h)
}

// blobIn returns the name of a blob in the directory of a registry.
func blobIn(dir string, d digest.Digest) string {
	return path.Join(dir, v1.ImageBlobsDir, d.Algorithm().String(), d.Encoded())
}

// isProgram reports whether a layer is an engine or a runtime, which are for one platform.
func isProgram(d v1.Descriptor) bool {
	return d.MediaType == mediatype.Engine || d.MediaType == mediatype.Runtime
}

// isHere reports whether a program is for this platform.
func isHere(d v1.Descriptor) bool {
	return d.Platform != nil && d.Platform.OS+"/"+d.Platform.Architecture == platform
}
