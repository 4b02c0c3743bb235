// Package store answers one question: which bytes are on disk, whatever crashed? A store
// is a directory with one OCI image layout per name:
//
//	<dir>/<id>/oci-layout
//	           index.json            what is listed, under tags
//	           blobs/sha256/<hex>    what it names, by digest
//	           ingest/               files being written
//
// What is listed becomes visible by one rename of index.json, after every byte it needs
// is on disk; a crash at any point leaves it fully there or not there. Every read of a
// blob compares the bytes with their digest. What the bytes mean is for others: the
// package knows neither Specs nor keys.
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

const (
	ingestDir = "ingest"
	blobDir   = "blobs/sha256"
	lockFile  = ".lock"
	newPrefix = ".new-" // of a layout being created
)

// Store is a directory of layouts. It is safe for concurrent use, also by several
// processes: readers see each index whole, writers take turns.
type Store struct {
	dir    string
	before func(step string) error
	now    func() time.Time
}

// Options change how a store is written.
type Options struct {
	// Before is called before every step of writing, such as "fsync ID/blobs"; the step
	// fails with its error. Tests crash writers with it. Nil lets every step happen.
	Before func(step string) error

	// Now tells the time, by which a [Stamp] is settled; time.Now if nil.
	Now func() time.Time
}

func always(string) error { return nil }

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
	s := &Store{abs, always, time.Now}
	if o != nil && o.Before != nil {
		s.before = o.Before
	}
	if o != nil && o.Now != nil {
		s.now = o.Now
	}
	return s, root.Close()
}

// Dir returns the directory.
func (s *Store) Dir() string { return s.dir }

// Names lists what is in the store, sorted, but hidden files. Not every name need be that
// of a layout.
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

// Has reports whether there is anything of that name.
func (s *Store) Has(name string) bool {
	root, err := regular.Root(s.dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Lstat(name)
	return err == nil
}

// Layout opens the layout of that name, and nothing else. The error is fs.ErrNotExist only
// if there is nothing under that name.
func (s *Store) Layout(id string) (*Layout, error) {
	root, err := regular.Root(s.dir)
	if err != nil {
		return nil, fmt.Errorf("%v", err) // the store is not there, which is not the same
	}
	defer root.Close()
	return openLayout(root, id)
}

// DigestError is a file whose bytes are not those that were published.
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
