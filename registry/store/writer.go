package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/regular"
)

// Writer changes a store. It has the lock until it is closed, so there is no second writer.
type Writer struct {
	root   *os.Root
	disk   Disk
	unlock func()
}

// Lock waits until no other writer has the lock of the store.
func (s *Store) Lock(ctx context.Context) (*Writer, error) { return s.lockAs(ctx, lockFile) }

// LockOne waits until no other writer has the lock of this one layout. It is for writers that
// fetch their data, which can take a long time.
func (s *Store) LockOne(ctx context.Context, id string) (*Writer, error) {
	return s.lockAs(ctx, lockFile+"-"+id)
}

func (s *Store) lockAs(ctx context.Context, name string) (*Writer, error) {
	unlock, err := s.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	root, err := regular.Root(s.dir)
	if err != nil {
		unlock()
		return nil, err
	}
	return &Writer{root, s.disk(root), unlock}, nil
}

// Close releases the lock.
func (w *Writer) Close() {
	w.root.Close()
	w.unlock()
}

// Layout opens the layout with that name, as [Store.Layout] does.
func (w *Writer) Layout(id string) (*Layout, error) { return openLayout(w.root, id) }

// Sweep removes the files of a crashed writer. The lock makes sure that no writer is active.
func (w *Writer) Sweep() error {
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), newPrefix) {
			err = errors.Join(err, w.disk.RemoveAll(e.Name()))
			continue
		}
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() {
			continue
		}
		err = errors.Join(err, w.sweepDir(e.Name()))
	}
	return err
}

// sweepDir removes the files of a crashed writer in one layout.
func (w *Writer) sweepDir(dir string) error {
	ingest := path.Join(dir, ingestDir)
	if info, err := w.root.Lstat(ingest); err != nil || !info.IsDir() {
		return nil // do not follow a link: its target was not left by a writer
	}
	left, err := fs.ReadDir(w.root.FS(), ingest)
	for _, f := range left {
		err = errors.Join(err, w.disk.RemoveAll(path.Join(ingest, f.Name())))
	}
	return err
}

// Prepare removes the files of a crashed writer in a layout, and makes its directories.
func (w *Writer) Prepare(l *Layout) error {
	return errors.Join(w.sweepDir(l.dir), w.makeDirs(l))
}

// Discard removes a hidden layout.
func (w *Writer) Discard(l *Layout) error { return w.disk.RemoveAll(l.dir) }

// Drop removes a layout, for all readers at once.
func (w *Writer) Drop(id string) error {
	// A hidden layout is swept later if the removal is interrupted.
	hidden := newPrefix + id
	err := w.disk.RemoveAll(hidden)
	if err == nil {
		err = w.disk.Rename(id, hidden)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = w.disk.RemoveAll(hidden)
	}
	return err
}

// Create makes an empty layout under a hidden name. [Writer.Show] makes it visible.
func (w *Writer) Create(id string) (*Layout, error) {
	l := &Layout{id: id, dir: newPrefix + id}
	if err := w.disk.RemoveAll(l.dir); err != nil { // of a writer that was killed
		return nil, err
	}
	mark := Marshal(v1.ImageLayout{Version: v1.ImageLayoutVersion})
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

// makeDirs makes the missing directories of a layout.
func (w *Writer) makeDirs(l *Layout) error {
	for _, dir := range []string{blobDir, ingestDir} {
		if err := w.disk.MkdirAll(l.path(dir)); err != nil {
			return err
		}
	}
	return nil
}

// Fill writes the blobs that are missing or damaged, and returns their number. When Fill
// returns, all blobs are on disk, and so is the earlier index. That is needed because a
// publisher that crashed may have left either only in memory.
//
// If a blob has a File with its bytes, the file gets a second name as the blob. Fill writes a
// copy if the file system or the owner of the file does not allow that.
func (w *Writer) Fill(ctx context.Context, l *Layout, blobs []Blob) (written int, err error) {
	if err := w.makeDirs(l); err != nil {
		return 0, err
	}
	for _, b := range blobs {
		if err := ctx.Err(); err != nil {
			return written, err
		}
		if l.Verify(b.Descriptor, b.Size) == nil {
			continue
		}
		name, err := blobName(b.Digest)
		if err != nil {
			return written, err
		}
		if b.File == "" || w.take(l, name, b) != nil {
			err := l.compare(b.Digest, digest.FromBytes(b.Data))
			if err == nil {
				err = w.put(l, name, b.Data)
			}
			if err != nil {
				return written, err
			}
		}
		written++
	}
	if err := w.Flush(l); err != nil {
		return written, err
	}
	return written, w.sync(".")
}

// Flush puts the names of all files of a layout on disk.
func (w *Writer) Flush(l *Layout) error {
	for _, dir := range []string{blobDir, "blobs", "."} {
		if err := w.sync(l.path(dir)); err != nil {
			return err
		}
	}
	return nil
}

// Show makes the next index visible in place of x in one step. That is the rename of
// index.json, or of the directory if next is the first index.
func (w *Writer) Show(l *Layout, x, next *Index) error {
	if len(next.raw) > MaxJSON {
		return fmt.Errorf("index.json would have %d bytes, more than the %d that are read", len(next.raw), MaxJSON)
	}
	if err := w.put(l, v1.ImageIndexFile, next.raw); err != nil {
		return err
	}
	if !l.Hidden() {
		return w.settle(l.dir, func() error { return w.put(l, v1.ImageIndexFile, x.raw) })
	}
	if err := w.sync(l.dir); err != nil {
		return err
	}
	if err := w.disk.Rename(l.dir, l.id); err != nil {
		return err
	}
	return w.settle(".", func() error { return w.disk.Rename(l.id, l.dir) })
}

// settle puts a visible step on disk. If that fails, it reverts the step, so that a failed
// publish shows nothing.
func (w *Writer) settle(dir string, back func() error) error {
	err := w.sync(dir)
	if err == nil {
		return nil
	}
	if failed := back(); failed != nil {
		return fmt.Errorf("%w; the version is visible, but may not outlast a power failure (%w): publish it again", err, failed)
	}
	return err
}

// put writes a file of a layout under a temporary name, and renames it when it is on disk.
func (w *Writer) put(l *Layout, name string, data []byte) error {
	return w.place(l, name, func(temp string) error { return w.write(temp, data) })
}

// take makes the file of a blob that blob, with the guarantees of a written one. Only its
// owner may be able to write to the file, and its bytes are on disk.
func (w *Writer) take(l *Layout, name string, b Blob) error {
	return w.place(l, name, func(temp string) error {
		if err := w.disk.Link(b.File, temp); err != nil {
			return err
		}
		f, _, err := regular.Open(w.root, temp)
		if err != nil {
			return err
		}
		defer f.Close()
		found, err := digest.FromReader(f)
		if err == nil {
			err = l.compare(b.Digest, found)
		}
		if err == nil && runtime.GOOS != "windows" { // where a file has the access list of its directory
			err = f.Chown(os.Geteuid(), os.Getegid())
			if err == nil {
				err = f.Chmod(0o644)
			}
			if err == nil {
				err = w.keepToOwner(f)
			}
		}
		if err == nil {
			err = w.disk.Sync(f)
		}
		return err
	})
}

// keepToOwner gives a file with a second name elsewhere the permissions of the store. It refuses a file whose owner does not
// own the store, because the file must not be given away.
func (w *Writer) keepToOwner(f *os.File) error {
	dir, err := w.root.Stat(".")
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !regular.SameOwner(dir, info) {
		return errors.New("the file and the store have different owners")
	}
	return adopt(w.root, f)
}

// Pour writes a blob from a reader. The bytes must match the size and the digest of the
// descriptor.
func (w *Writer) Pour(l *Layout, d v1.Descriptor, from io.Reader) error {
	name, err := blobName(d.Digest)
	if err != nil {
		return err
	}
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

// Keep atomically replaces, or creates, a file that belongs to no layout. The file is on disk
// when Keep returns.
func (w *Writer) Keep(name string, data []byte) error {
	dir := path.Dir(name)
	if err := w.makeDir(dir); err != nil {
		return err
	}
	temp := name + ".new"
	if err := w.disk.RemoveAll(temp); err != nil { // of a writer that was killed
		return err
	}
	err := w.write(temp, data)
	if err == nil {
		err = w.disk.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, w.disk.RemoveAll(temp))
	}
	return w.sync(dir)
}

// Remove removes a file that belongs to no layout.
func (w *Writer) Remove(name string) error { return w.disk.RemoveAll(name) }

// makeDir makes a directory and its parents, and puts their names on disk.
func (w *Writer) makeDir(dir string) error {
	if info, err := w.root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := w.makeDir(path.Dir(dir)); err != nil {
		return err
	}
	if err := w.disk.Mkdir(dir); err != nil {
		return err
	}
	return w.sync(path.Dir(dir))
}

func (w *Writer) place(l *Layout, name string, write func(temp string) error) error {
	temp := l.path(path.Join(ingestDir, path.Base(name)))
	err := write(temp)
	if err == nil {
		err = w.disk.Rename(temp, l.path(name))
	}
	if err != nil {
		return errors.Join(err, w.disk.RemoveAll(temp))
	}
	return nil
}

// write makes a new file. Its bytes are on disk when write returns.
func (w *Writer) write(name string, data []byte) error {
	_, err := w.copy(name, bytes.NewReader(data))
	return err
}

// copy makes a new file with the bytes of a reader. They are on disk when copy returns.
func (w *Writer) copy(name string, from io.Reader) (size int64, err error) {
	f, err := w.disk.Create(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err = w.disk.Write(f, from)
	if err != nil {
		return size, err
	}
	return size, w.disk.Sync(f)
}

// sync puts the names in a directory on disk.
func (w *Writer) sync(dir string) error {
	f, err := w.root.Open(dir + "/.") // a pipe would make it wait
	if err != nil {
		return err
	}
	return errors.Join(w.disk.Sync(f), f.Close())
}
