package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/internal/faulty"
	"github.com/slipstick/slipstick/registry/store"
)

var errFault = errors.New("the disk is gone")

// write lists one more manifest under a version of the layout a.
func write(ctx context.Context, s *store.Store, version string) error {
	w, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Sweep(); err != nil {
		return err
	}
	l, err := w.Layout("a")
	if errors.Is(err, fs.ErrNotExist) {
		l, err = w.Create("a")
	}
	if err != nil {
		return err
	}
	defer l.Close()
	x, err := l.Index()
	if err != nil {
		return err
	}
	m := store.ManifestOf(v1.Manifest{ArtifactType: "test/" + version, Annotations: map[string]string{v1.AnnotationVersion: version}})
	entry := m.Descriptor
	entry.Annotations = map[string]string{v1.AnnotationVersion: version}
	next, err := x.With(entry, nil, version, true)
	if err != nil {
		return err
	}
	if _, err := w.Fill(ctx, l, []store.Blob{m}); err != nil {
		return err
	}
	return w.Show(l, x, next)
}

// A link has the bytes of the blob. A damaged blob is not linked.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(filepath.Join(dir, "store"), nil)
	if err == nil {
		err = write(t.Context(), s, "1.0.0")
	}
	if err != nil {
		t.Fatal(err)
	}
	blobs, _ := filepath.Glob(filepath.Join(dir, "store", "a", "blobs", "sha256", "*"))
	if len(blobs) != 1 {
		t.Fatalf("blobs: %v", blobs)
	}
	d := digest.NewDigestFromEncoded(digest.SHA256, filepath.Base(blobs[0]))
	copied := filepath.Join(dir, "copy")
	same := func() bool {
		blob, err := os.Stat(blobs[0])
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.Stat(copied)
		return err == nil && os.SameFile(blob, file)
	}
	if err := os.WriteFile(copied, []byte("a copy"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, nothing changes
		if err := s.Link("a", d, store.MaxJSON, copied); err != nil || !same() {
			t.Errorf("linked: %v, %v", same(), err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("files: %v", files)
	}
	if err := os.Remove(copied); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blobs[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Link("a", d, store.MaxJSON, copied); !errors.As(err, new(*store.DigestError)) || same() {
		t.Errorf("a damaged blob: linked %v, %v", same(), err)
	}
}

// A file with the bytes of a blob becomes the blob. Other files are not changed.
func TestFillTakesFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(filepath.Join(dir, "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for name, tt := range map[string]struct {
		prepare func(file string) error
		taken   bool
	}{
		"its bytes":    {func(file string) error { return os.WriteFile(file, []byte("its bytes"), 0o777) }, true},
		"other bytes":  {func(file string) error { return os.WriteFile(file, []byte("others"), 0o777) }, false},
		"a link":       {func(file string) error { return os.Symlink(filepath.Join(dir, "its bytes"), file) }, false},
		"no such file": {func(string) error { return nil }, false},
	} {
		file := filepath.Join(dir, name)
		if err := tt.prepare(file); err != nil {
			t.Fatal(err)
		}
		was, _ := os.Lstat(file)
		l, err := w.Create("a" + strings.ReplaceAll(name, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		blob := store.BlobIn("text/plain", file, digest.FromString(name), []byte(name))
		if n, err := w.Fill(t.Context(), l, []store.Blob{blob}); n != 1 || err != nil {
			t.Errorf("%s: %d blobs written, %v", name, n, err)
		}
		if data, err := l.Read(blob.Descriptor, store.MaxJSON); string(data) != name {
			t.Errorf("%s: the blob is %q, %v", name, data, err)
		}
		f, err := l.OpenBlob(blob.Descriptor, store.MaxJSON)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if taken := err == nil && was != nil && os.SameFile(was, info); taken != tt.taken || info.Mode() != 0o644 {
			t.Errorf("%s: taken %v, want %v; mode %v, %v", name, taken, tt.taken, info.Mode(), err)
		}
		f.Close()
		blob = store.BlobIn("text/plain", file, digest.FromString("a wrong digest"), []byte(name))
		if n, err := w.Fill(t.Context(), l, []store.Blob{blob}); n != 0 || !errors.As(err, new(*store.DigestError)) {
			t.Errorf("%s under a wrong digest: %d blobs written, %v", name, n, err)
		}
		l.Close()
	}
}

// versions reads the versions of the layout a, and every manifest of it.
func versions(t *testing.T, s *store.Store) []string {
	t.Helper()
	l, err := s.Layout("a")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	x, err := l.Index()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range x.Versions() {
		entry, err := x.Release(v)
		if err == nil {
			_, err = l.Manifest(entry)
		}
		if err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
	return x.Versions()
}

// A writer that stops before any step, or for which any one step fails, keeps all earlier
// entries, and the next writer removes its files. After one failed step, nothing is visible.
// After a stop, the change is either complete or absent.
func TestFaultAtAnyStep(t *testing.T) {
	for name, before := range map[string][]string{"no layout": nil, "a version": {"1.0.0"}} {
		for _, stops := range []bool{false, true} {
			for n := 0; ; n++ {
				dir, count := t.TempDir(), 0
				sound, err := store.Open(dir, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range before {
					if err := write(t.Context(), sound, v); err != nil {
						t.Fatal(err)
					}
				}
				broken, err := store.Open(dir, &store.Options{Disk: faulty.Disk(func(string) error {
					count++
					if count == n+1 || stops && count > n {
						return errFault
					}
					return nil
				})})
				if err != nil {
					t.Fatal(err)
				}
				failed := write(t.Context(), broken, "1.1.0")
				if failed == nil {
					if n < 12 {
						t.Errorf("%s: only %d steps", name, n)
					}
					break
				}
				if !errors.Is(failed, errFault) {
					t.Fatalf("%s, step %d: %v", name, n, failed)
				}
				got := versions(t, sound)
				visible := slices.Contains(got, "1.1.0")
				if rest := slices.DeleteFunc(got, func(v string) bool { return v == "1.1.0" }); !slices.Equal(rest, before) || visible && !stops {
					t.Errorf("%s, step %d: %v is listed", name, n, got)
				}
				if visible {
					continue
				}
				if err := write(t.Context(), sound, "1.1.0"); err != nil || !slices.Contains(versions(t, sound), "1.1.0") {
					t.Errorf("%s, step %d: writing again: %v", name, n, err)
				}
				for _, pattern := range []string{".new-*", "*/ingest/*"} {
					if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
						t.Errorf("%s, step %d: left over: %v", name, n, left)
					}
				}
			}
		}
	}
}

func TestLayoutOpensNothingElse(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, missing := range map[string]bool{"a": true, "file": false, "../" + filepath.Base(dir): false} {
		if _, err := s.Layout(name); err == nil || errors.Is(err, fs.ErrNotExist) != missing {
			t.Errorf("%s: error = %v, missing is %v", name, err, missing)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Layout("a"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the store is missing, and the error of the layout is: %v", err)
	}
}

func TestDropAndCreateAgain(t *testing.T) {
	s, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := write(t.Context(), s, "1.0.0"); err != nil {
			t.Fatal(err)
		}
		w, err := s.LockOne(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // also if it does not exist
			if err := w.Drop("a"); err != nil {
				t.Error(err)
			}
		}
		w.Close()
		if got := versions(t, s); got != nil {
			t.Errorf("after it was dropped: %v", got)
		}
	}
}
