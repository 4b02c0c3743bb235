package snapshot

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/registry/regular"
)

// MarkerName is the name of the file that has the identity of the snapshot file. It is next to the
// snapshot file. With it, an emptied, removed or replaced snapshot file is not mistaken for a new
// one.
const MarkerName = "snapshots.id"

// The table with the properties of the file itself.
var (
	aboutTable  = []byte("about")
	identityKey = []byte("identity")
)

var identityForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// errOlder means that the file was written before files had an identity and an order. The file gets
// both when it is opened for writing.
var errOlder = errors.New("it was written by an earlier version")

// OtherFileError means that the snapshot file is not the file that was used before.
type OtherFileError struct {
	file *File
	what string
}

func (e *OtherFileError) Error() string {
	return fmt.Sprintf("%s %s, and is not the file that was used before: put that file or a backup of it back. %s", e.file.path, e.what, e.file.newFileHint())
}

// newFileHint returns the instruction to create a new file.
func (f *File) newFileHint() string {
	return fmt.Sprintf("To start a new file, stop all servers that use it, and remove it and %s", f.marker())
}

// expected returns the identity that the file must have, "" if there was no file yet.
func (f *File) expected() (string, error) {
	if identity := f.knownIdentity(); identity != "" {
		return identity, nil
	}
	text, err := regular.Read(f.marker(), 100)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	identity, whole := strings.CutSuffix(string(text), "\n")
	if !whole || !identityForm.MatchString(identity) {
		return "", fmt.Errorf("%s is damaged: restore it, or remove it if %s is complete", f.marker(), f.path)
	}
	return identity, nil
}

func (f *File) marker() string { return filepath.Join(filepath.Dir(f.path), MarkerName) }

// identityOf returns the identity of the file, or "".
func identityOf(tx *bbolt.Tx) string {
	about := tx.Bucket(aboutTable)
	if about == nil {
		return ""
	}
	return string(about.Get(identityKey))
}

// recognize checks the identity of an open file. A file without an identity gets one when it is
// opened for writing, before any of its records is acknowledged.
func (f *File) recognize(db *bbolt.DB, p purpose, want string) error {
	var is string
	read := func(tx *bbolt.Tx) error {
		is = identityOf(tx)
		return nil
	}
	err := db.View(read)
	if err == nil && is == "" && want == "" && p >= writing {
		err = errors.Join(db.Update(identify), db.View(read))
	}
	switch {
	case err != nil:
		return err
	case is == "" && want == "" && p == copying:
		return nil
	case is == "" && want == "":
		return errOlder
	case is == "":
		return &OtherFileError{f, "has no identity"}
	case want != "" && is != want:
		return &OtherFileError{f, "has another identity"}
	case p >= writing && f.knownIdentity() == "":
		err = f.mark(is)
	}
	if err == nil {
		f.mu.Lock()
		f.identity = is
		f.mu.Unlock()
	}
	return err
}

// knownIdentity returns the identity of the file that this process has used, or "".
func (f *File) knownIdentity() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.identity
}

// identify writes an identity, and the order of the existing ids.
func identify(tx *bbolt.Tx) error {
	return errors.Join(makeOrder(tx), setIdentity(tx, rand.Text()))
}

// makeOrder creates the tables, and the order of the existing ids.
func makeOrder(tx *bbolt.Tx) error {
	t, err := openTables(tx)
	if err != nil {
		return err
	}
	if err := t.order.put(ends, neighbours{ends, ends}); err != nil {
		return err
	}
	return t.records.ForEach(func(id, _ []byte) error { return t.order.add(string(id)) })
}

func setIdentity(tx *bbolt.Tx, identity string) error {
	about, err := tx.CreateBucketIfNotExists(aboutTable)
	if err != nil {
		return err
	}
	return about.Put(identityKey, []byte(identity))
}

// mark writes the marker file, unless it exists.
func (f *File) mark(identity string) error {
	if _, err := os.Lstat(f.marker()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.Replace(f.marker(), 0o600, durable.Bytes([]byte(identity+"\n")))
}
