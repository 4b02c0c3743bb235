// Package store keeps OCI image layouts in a directory, and survives crashes. It is the lowest
// layer of package registry, and does not interpret the bytes: it knows neither Specs nor keys.
// [Open] opens a store. Use [Store.Layout] to read a layout, and [Store.Lock] for a [Writer].
//
// A store is a directory with one layout per name:
//
//	<dir>/<id>/oci-layout
//	           index.json            what is listed, under tags
//	           blobs/sha256/<hex>    what it names, by digest
//	           ingest/               files being written
//
// A change becomes visible by one rename of index.json, after every byte that it needs is on disk.
// After a crash at any point the change is either complete or absent. Every read of a blob compares
// the bytes with their digest.
package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/regular"
)

// MaxJSON is the largest size of every file except engines, in bytes, for reading and writing.
const MaxJSON = 16 << 20

// Shared is the name of a layout with blobs that several layouts need. [Store.Names] does not list it.
const Shared = ".shared"

const (
	ingestDir = "ingest"
	blobDir   = "blobs/sha256"
	lockFile  = ".lock"
	newPrefix = ".new-" // of a layout being created
)

// Store is a directory of layouts. It is safe for concurrent use, also by several processes.
// Readers see each index completely; writers take turns.
type Store struct {
	dir  string
	disk func(*os.Root) Disk
	now  func() time.Time
}

// Options of a Store.
type Options struct {
	// Disk returns the Disk of the directory, through which writers change files; NewDisk if nil.
	Disk func(*os.Root) Disk

	// Now returns the time by which a [Stamp] is settled; time.Now if nil.
	Now func() time.Time
}

// Open returns the store in a directory, which it creates if there is none. Nil options are
// the zero ones.
func Open(dir string, o *Options) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := makeDir(abs); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	s := &Store{abs, NewDisk, time.Now}
	if o != nil && o.Disk != nil {
		s.disk = o.Disk
	}
	if o != nil && o.Now != nil {
		s.now = o.Now
	}
	return s, root.Close()
}

// Dir returns the directory.
func (s *Store) Dir() string { return s.dir }

// Names lists the names in the store, sorted, without hidden files. A name need not be a
// layout.
func (s *Store) Names(ctx context.Context) (list []string, err error) {
	root, err := regular.Root(s.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			list = append(list, e.Name())
		}
	}
	return list, ctx.Err()
}

// Has reports whether the name exists.
func (s *Store) Has(name string) bool {
	root, err := regular.Root(s.dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Lstat(name)
	return err == nil
}

// Layout opens the layout with that name, and nothing else. The error is fs.ErrNotExist only
// if the name does not exist.
func (s *Store) Layout(id string) (*Layout, error) {
	root, err := regular.Root(s.dir)
	if err != nil {
		return nil, fmt.Errorf("%v", err) // the store itself is missing, which is another error
	}
	defer root.Close()
	return openLayout(root, id)
}

// DigestError reports a file that does not match its published digest.
type DigestError struct {
	File     string // below the directory of the store
	Expected string
	Found    string
}

// Error names the file, both digests, and what to do.
func (e *DigestError) Error() string {
	return fmt.Sprintf("%s was changed or damaged: expected %s, found %s; restore the file from a backup, or publish the same release again",
		e.File, e.Expected, e.Found)
}
