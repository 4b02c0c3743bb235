package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/regular"
)

// writer changes a registry. It is used under the lock only.
type writer struct {
	root *os.Root
	step func(name string) error // before each change
}

func (r *Registry) writer() (*writer, error) {
	root, err := regular.Root(r.dir)
	if err != nil {
		return nil, err
	}
	step := r.fault
	if step == nil {
		step = func(string) error { return nil }
	}
	return &writer{root, step}, nil
}

func (w *writer) close() { w.root.Close() }

// sweep removes what a publisher that crashed has left: nobody else is writing.
func (w *writer) sweep() error {
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), newPrefix) {
			err = errors.Join(err, w.remove(e.Name()))
			continue
		}
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() {
			continue
		}
		err = errors.Join(err, w.sweepDir(e.Name()))
	}
	return err
}

// sweepDir removes what is left in one layout.
func (w *writer) sweepDir(dir string) error {
	ingest := path.Join(dir, ingestDir)
	if info, err := w.root.Lstat(ingest); err != nil || !info.IsDir() {
		return nil // nor follow a link: what is behind it is no trace of ours
	}
	left, err := fs.ReadDir(w.root.FS(), ingest)
	for _, f := range left {
		err = errors.Join(err, w.remove(path.Join(ingest, f.Name())))
	}
	return err
}

func (w *writer) remove(name string) error {
	if err := w.step("remove " + name); err != nil {
		return err
	}
	return w.root.RemoveAll(name)
}

// create makes an empty layout under a hidden name, which show takes away.
func (w *writer) create(id string) (*layout, error) {
	l := &layout{id: id, dir: newPrefix + id}
	mark := marshal(v1.ImageLayout{Version: v1.ImageLayoutVersion})
	err := w.makeDirs(l)
	if err == nil {
		err = w.write(l.path(v1.ImageLayoutFile), mark)
	}
	if err == nil {
		err = w.write(l.path(v1.ImageIndexFile), emptyIndex())
	}
	if err == nil {
		l.root, err = regular.OpenDir(w.root, l.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("create the layout of %s: %w", id, err)
	}
	return l, nil
}

// makeDirs makes the directories of a layout that are not there.
func (w *writer) makeDirs(l *layout) error {
	for _, dir := range []string{blobDir, ingestDir} {
		if err := w.step("mkdir " + l.path(dir)); err != nil {
			return err
		}
		if err := w.root.MkdirAll(l.path(dir), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// fill writes the blobs that are not there whole, and returns how many those were.
// When it returns all of them are on disk, and so is the index that was there: a
// publisher that crashed may have left either only in memory.
func (w *writer) fill(ctx context.Context, l *layout, blobs []blob) (written int, err error) {
	if err := w.makeDirs(l); err != nil {
		return 0, err
	}
	for _, b := range blobs {
		if err := ctx.Err(); err != nil {
			return written, err
		}
		if l.verify(b.Descriptor, b.Size) == nil {
			continue
		}
		name, err := blobName(b.Digest)
		if err != nil {
			return written, err
		}
		if err := w.put(l, name, b.data); err != nil {
			return written, err
		}
		written++
	}
	for _, dir := range []string{blobDir, "blobs", "."} {
		if err := w.sync(l.path(dir)); err != nil {
			return written, err
		}
	}
	return written, w.sync(".")
}

// show makes a version visible in one step: the rename of index.json, or that of
// the directory if it is the first version.
func (w *writer) show(l *layout, x, next *index) error {
	if err := w.put(l, v1.ImageIndexFile, next.raw); err != nil {
		return err
	}
	if l.dir == l.id {
		return w.settle(l.dir, func() error { return w.put(l, v1.ImageIndexFile, x.raw) })
	}
	if err := w.sync(l.dir); err != nil {
		return err
	}
	if err := w.rename(l.dir, l.id); err != nil {
		return err
	}
	return w.settle(".", func() error { return w.rename(l.id, l.dir) })
}

// settle puts a visible step on disk. When that fails it takes the step back, so
// that a failed publish shows nothing.
func (w *writer) settle(dir string, back func() error) error {
	err := w.sync(dir)
	if err == nil {
		return nil
	}
	if failed := back(); failed != nil {
		return fmt.Errorf("%w; the version is visible, but may not outlast a power failure (%w): publish it again", err, failed)
	}
	return err
}

// put writes a file of a layout under a temporary name, and renames it when it is
// on disk.
func (w *writer) put(l *layout, name string, data []byte) error {
	return w.place(l, name, func(temp string) error { return w.write(temp, data) })
}

// pour is put for a blob that is read from somewhere. It must have the size and the
// digest that its descriptor says.
func (w *writer) pour(l *layout, name string, d v1.Descriptor, from io.Reader) error {
	return w.place(l, name, func(temp string) error {
		hash := digest.SHA256.Digester()
		size, err := w.copy(temp, io.TeeReader(io.LimitReader(from, d.Size+1), hash.Hash()))
		switch {
		case err != nil:
			return err
		case size != d.Size:
			return fmt.Errorf("%s was read with %d bytes or more, not %d", d.Digest, size, d.Size)
		}
		return l.compare(d.Digest, hash.Digest())
	})
}

func (w *writer) place(l *layout, name string, write func(temp string) error) error {
	temp := l.path(path.Join(ingestDir, path.Base(name)))
	err := write(temp)
	if err == nil {
		err = w.rename(temp, l.path(name))
	}
	if err != nil {
		return errors.Join(err, w.remove(temp))
	}
	return nil
}

// write makes a new file; its bytes are on disk when it returns.
func (w *writer) write(name string, data []byte) error {
	_, err := w.copy(name, bytes.NewReader(data))
	return err
}

// copy makes a new file of what is read; its bytes are on disk when it returns.
func (w *writer) copy(name string, from io.Reader) (size int64, err error) {
	if err := w.step("create " + name); err != nil {
		return 0, err
	}
	f, err := w.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := w.step("write " + name); err != nil {
		return 0, err
	}
	if size, err = io.Copy(f, from); err != nil {
		return size, err
	}
	if err := w.step("fsync " + name); err != nil {
		return size, err
	}
	return size, f.Sync()
}

func (w *writer) rename(from, to string) error {
	if err := w.step("rename " + to); err != nil {
		return err
	}
	return w.root.Rename(from, to)
}

// sync puts the names in a directory on disk.
func (w *writer) sync(dir string) error {
	if err := w.step("fsync " + dir); err != nil {
		return err
	}
	f, err := w.root.Open(dir + "/.") // a pipe would make it wait
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// makeDir makes a directory and those above it, and puts their names on disk.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.Open(parent)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
