package registry

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// engineFile is the engine for a platform. An engine is one blob, or a text engine, whose file
// consists of a runtime and a text. The registry has a runtime once for all text engines.
type engineFile struct {
	platform   string
	storedFile                // the whole file; of a text engine the size is the runtime's
	runtime    *v1.Descriptor // nil unless it is a text engine
	text       *text          // nil unless it is a text engine
}

// text locates the text of a text engine.
type text struct{ document, vectors, closure v1.Descriptor }

// splitEngine takes a text engine apart. The file is nil if the engine is another program.
func splitEngine(data []byte) (*enginefile.File, error) {
	file, err := enginefile.Read(bytes.NewReader(data), int64(len(data)))
	if errors.Is(err, enginefile.ErrNoDocument) {
		return nil, nil
	}
	return file, err
}

// sameText reports whether an engine has that text, or none if it is nil.
func sameText(want *enginefile.Text, file *enginefile.File) bool {
	if want == nil || file == nil {
		return want == nil && file == nil
	}
	return bytes.Equal(want.Document, file.Document) && bytes.Equal(want.Vectors, file.Vectors) && bytes.Equal(want.Closure, file.Closure)
}

// addRuntime adds the runtime of a text engine, which has that digest as a whole.
func (a *artifact) addRuntime(file *enginefile.File, data []byte, whole digest.Digest) v1.Descriptor {
	blob := store.BlobIn(mediatype.Runtime, "", digest.NewDigestFromBytes(digest.SHA256, file.Runtime.SHA256[:]), data[:file.Runtime.Size])
	a.shared = append(a.shared, blob)
	layer := blob.Descriptor
	layer.Annotations = map[string]string{mediatype.EngineNote: whole.String()}
	return layer
}

// addText adds the text of all engines.
func (a *artifact) addText(t *enginefile.Text) []v1.Descriptor {
	layers := []v1.Descriptor{a.add(store.BlobOf(mediatype.Document, t.Document))}
	if len(t.Vectors) > 0 {
		layers = append(layers, a.add(store.BlobOf(mediatype.VectorsFile, t.Vectors)))
	}
	if len(t.Closure) > 0 {
		layers = append(layers, a.add(store.BlobOf(mediatype.Closure, t.Closure)))
	}
	return layers
}

// openEngine opens an engine, without comparing its bytes with the digest.
func (l *layout) openEngine(e *engineFile) (io.ReadCloser, error) {
	if e.runtime == nil {
		f, err := l.OpenBlob(e.descriptor(), MaxEngine)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	tail, err := l.tail(e)
	if err != nil {
		return nil, err
	}
	runtime, err := l.openRuntime(e)
	if err != nil {
		return nil, err
	}
	return &joined{io.MultiReader(runtime, bytes.NewReader(tail)), runtime}, nil
}

// tail returns the bytes of a text engine after its runtime.
func (l *layout) tail(e *engineFile) ([]byte, error) {
	t, err := l.readText(e.text)
	if err != nil {
		return nil, err
	}
	if err := store.CheckDigest(e.runtime.Digest); err != nil {
		return nil, fmt.Errorf("the runtime for %s: %w", e.platform, err)
	}
	file := enginefile.File{Text: *t, Runtime: enginefile.Part{Size: e.runtime.Size}}
	if _, err := hex.Decode(file.Runtime.SHA256[:], []byte(e.runtime.Digest.Encoded())); err != nil {
		return nil, err
	}
	return file.Tail()
}

// openRuntime opens the runtime of a text engine, without comparing its bytes with the digest.
func (l *layout) openRuntime(e *engineFile) (io.ReadCloser, error) {
	shared, err := l.openShared()
	if err != nil {
		return nil, err
	}
	defer shared.Close()
	f, err := shared.OpenBlob(*e.runtime, MaxEngine)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Runtime returns the digest of the runtime for this platform. It is "" if the release is not a
// text engine. The engine file is the runtime, followed by [Release.Tail].
func (rel *Release) Runtime() string {
	e := rel.engineFor(platform)
	if e.runtime == nil {
		return ""
	}
	return e.runtime.Digest.String()
}

// OpenRuntime opens the runtime of a text engine for this platform. Its bytes have not been
// compared with a digest. The caller must compare runtime and tail with EngineDigest.
func (rel *Release) OpenRuntime() (io.ReadCloser, error) {
	var file io.ReadCloser
	err := rel.read(func(l *layout) (err error) {
		file, err = l.openRuntime(rel.engineFor(platform))
		return err
	})
	return file, err
}

// Tail returns the bytes of a text engine that follow the runtime for this platform: its text and
// the trailer. The text is compared with its digests.
func (rel *Release) Tail() ([]byte, error) {
	var tail []byte
	err := rel.read(func(l *layout) (err error) {
		tail, err = l.tail(rel.engineFor(platform))
		return err
	})
	return tail, err
}

// RuntimeFor returns the runtime of a text engine for a platform, compared with its digest. It does so
// also for a release that must not be served.
func (rel *Release) RuntimeFor(platform string) ([]byte, error) {
	e := rel.engineFor(platform)
	if e.runtime == nil {
		return nil, fmt.Errorf("%s %s has no runtime for %s", rel.Capability, rel.Version, platform)
	}
	var data []byte
	err := rel.open(func(l *layout) (err error) {
		data, err = l.readShared(*e.runtime)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("runtime of %s %s for %s: %w", rel.Capability, rel.Version, platform, err)
	}
	return data, nil
}

// Text returns the text of a text engine, compared with its digests. It does so also for a release
// that must not be served. It is nil if the release is not a text engine.
func (rel *Release) Text() (*enginefile.Text, error) {
	i := slices.IndexFunc(rel.engines, func(e engineFile) bool { return e.text != nil })
	if i < 0 {
		return nil, nil
	}
	var t *enginefile.Text
	err := rel.open(func(l *layout) (err error) {
		t, err = l.readText(rel.engines[i].text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("text of %s %s: %w", rel.Capability, rel.Version, err)
	}
	return t, nil
}

// joined reads a text engine. Closing it closes the file of the runtime.
type joined struct {
	io.Reader
	io.Closer
}

// readText reads the text of a text engine, compared with its digests.
func (l *layout) readText(t *text) (*enginefile.Text, error) {
	if t.document.Digest == "" {
		return nil, errors.New("the release has a runtime and no document: publish it again")
	}
	document, err := l.Read(t.document, enginefile.MaxDocument)
	if err != nil {
		return nil, err
	}
	out := &enginefile.Text{Document: document}
	if t.vectors.Digest != "" {
		out.Vectors, err = l.Read(t.vectors, enginefile.MaxVectors)
	}
	if err == nil && t.closure.Digest != "" {
		out.Closure, err = l.Read(t.closure, enginefile.MaxClosure)
	}
	return out, err
}

// readEngine returns an engine, compared with its digest.
func (l *layout) readEngine(e *engineFile) ([]byte, error) {
	if e.runtime == nil {
		return l.Read(e.descriptor(), MaxEngine)
	}
	f, err := l.openEngine(e)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read the engine for %s: %w", e.platform, err)
	}
	return data, l.compareEngine(e, digest.FromBytes(data))
}

// verifyEngine compares an engine with its digest.
func (l *layout) verifyEngine(e *engineFile) error {
	if e.runtime == nil {
		return l.Verify(e.descriptor(), MaxEngine)
	}
	f, err := l.openEngine(e)
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := digest.FromReader(f)
	if err != nil {
		return fmt.Errorf("read the engine for %s: %w", e.platform, err)
	}
	return l.compareEngine(e, found)
}

// compareEngine returns an error unless a text engine was found with its digest. The error names
// the runtime if that is damaged.
func (l *layout) compareEngine(e *engineFile, found digest.Digest) error {
	if found == e.digest {
		return nil
	}
	shared, err := l.openShared()
	if err != nil {
		return err
	}
	defer shared.Close()
	if err := shared.Verify(*e.runtime, MaxEngine); err != nil {
		return err
	}
	return fmt.Errorf("its runtime and document give the engine %s, and the release names %s: publish the release again", found, e.digest)
}

// openShared opens the layout of runtimes.
func (l *layout) openShared() (*store.Layout, error) {
	shared, err := l.files.Layout(store.Shared)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s, which has the runtimes of text engines, is missing: restore it from a backup, or publish the same release again: %w", store.Shared, err)
	}
	return shared, err
}

// readShared returns a runtime, compared with its digest.
func (l *layout) readShared(d v1.Descriptor) ([]byte, error) {
	shared, err := l.openShared()
	if err != nil {
		return nil, err
	}
	defer shared.Close()
	return shared.Read(d, MaxEngine)
}

// hasShared reports whether a runtime is here with its size.
func (l *layout) hasShared(d v1.Descriptor) bool {
	shared, err := l.openShared()
	if err != nil {
		return false
	}
	defer shared.Close()
	f, err := shared.OpenBlob(d, MaxEngine)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// fillShared writes the runtimes that are missing or damaged, and returns their number. Nothing
// removes a runtime: to find one that no release needs, list the layers of all manifests.
func (r *Registry) fillShared(ctx context.Context, blobs []store.Blob) (written int, err error) {
	if len(blobs) == 0 {
		return 0, nil
	}
	err = r.changeShared(ctx, func(w *store.Writer, l *store.Layout) error {
		written, err = w.Fill(ctx, l, blobs)
		return err
	})
	return written, err
}

// changeShared calls change with the layout of runtimes, which it creates if there is none. Other
// writers of runtimes wait.
func (r *Registry) changeShared(ctx context.Context, change func(*store.Writer, *store.Layout) error) error {
	w, err := r.store.LockOne(ctx, store.Shared)
	if err != nil {
		return err
	}
	defer w.Close()
	l, err := w.Layout(store.Shared)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = createShared(w)
	}
	if err != nil {
		return err
	}
	defer l.Close()
	if err := w.Prepare(l); err != nil {
		return err
	}
	return change(w, l)
}

// createShared creates the layout of runtimes, which lists nothing.
func createShared(w *store.Writer) (*store.Layout, error) {
	l, err := w.Create(store.Shared)
	if err != nil {
		return nil, err
	}
	x, err := l.Index()
	if err == nil {
		err = w.Show(l, x, x)
	}
	l.Close()
	if err != nil {
		return nil, err
	}
	return w.Layout(store.Shared)
}
