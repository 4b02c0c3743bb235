package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

// A copy that is made during writes has all earlier records. It can replace a damaged file without
// a restart.
func TestFileCopy(t *testing.T) {
	dir := t.TempDir()
	store := filing(t, dir)
	var before []snapshot.Snapshot
	for i := range 30 {
		before = append(before, create(t, store, numbered(t, i)))
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 1000; ; i++ {
			select {
			case <-stop:
				return
			default:
				if snap, err := store.Create(t.Context(), numbered(t, i)); err != nil || snap.Fallback {
					t.Errorf("%+v, %v", snap, err)
				}
			}
		}
	}()
	path, backup := filepath.Join(dir, snapshot.FileName), filepath.Join(t.TempDir(), "backup")
	owner := os.Getuid()
	if owner == 0 { // root copies for the user of a server
		owner = 12345
		if err := os.Chown(path, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	copied, err := snapshot.NewFile(dir, nil).Copy(backup)
	close(stop)
	<-stopped
	if err != nil || copied.Records < len(before) || len(copied.Damaged) > 0 {
		t.Fatalf("%+v, %v", copied, err)
	}
	if info, err := os.Stat(backup); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != owner || info.Mode() != 0o600 {
		t.Errorf("%+v, %v; the owner of the file is %d", info, err, owner)
	}
	if _, err := snapshot.NewFile(dir, nil).Copy(backup); !errors.Is(err, os.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(t.Context(), before[0].ID); !errors.Is(err, snapshot.ErrUnavailable) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("read of a file that was cut: %v", err)
	}
	if snap := create(t, store, numbered(t, 5000)); !snap.Fallback || !strings.Contains(snap.Cause.Error(), "damaged") {
		t.Errorf("create in a truncated file: %+v", snap)
	}
	if err := os.Rename(backup, path); err != nil {
		t.Fatal(err)
	}
	for _, snap := range before {
		if read := get(t, store, snap.ID); !bytes.Equal(read.Body, snap.Body) {
			t.Errorf("%s has changed", snap.ID)
		}
	}
	if snap := create(t, store, numbered(t, 5000)); snap.Fallback {
		t.Error(snap.Cause)
	}
}

// Whatever happens to the file, during or before the run of a server: an acknowledged id is never
// unknown, and no other content is shown. New snapshots get ids that can be read.
func TestFileLosesNoID(t *testing.T) {
	base := t.TempDir()
	var made []snapshot.Snapshot
	store := filing(t, base)
	for i := range 16 {
		made = append(made, create(t, store, numbered(t, i)))
	}
	path := filepath.Join(base, snapshot.FileName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marker, err := os.ReadFile(filepath.Join(base, snapshot.MarkerName))
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	create(t, filing(t, other), content(t, "ohms"))
	foreign, err := os.ReadFile(filepath.Join(other, snapshot.FileName))
	if err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	db, err := bbolt.Open(empty, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	begun, err := os.ReadFile(empty)
	if err != nil {
		t.Fatal(err)
	}

	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(data []byte) func(string) {
		return func(path string) { must(os.WriteFile(path, data, 0o600)) }
	}
	random := func(seed uint64, n int) func(string) {
		return func(path string) {
			r, data := rand.New(rand.NewPCG(seed, 1)), bytes.Clone(good)
			for range n {
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
			must(os.WriteFile(path, data, 0o600))
		}
	}
	flip := func(at int) func(string) {
		data := bytes.Clone(good)
		data[at] ^= 1
		return write(data)
	}
	type damage struct {
		name  string
		do    func(path string)
		whole bool // no part of the file can be read
	}
	list := []damage{
		{"emptied", func(path string) { must(os.Truncate(path, 0)) }, true},
		{"cut to a byte", func(path string) { must(os.Truncate(path, 1)) }, true},
		{"cut to a page", func(path string) { must(os.Truncate(path, 4096)) }, true},
		{"cut to half", func(path string) { must(os.Truncate(path, int64(len(good)/2))) }, true},
		{"removed", func(path string) { must(os.Remove(path)) }, true},
		{"begun anew", write(begun), true},
		{"emptied by rename", func(path string) { must(os.WriteFile(path+"2", nil, 0o600)); must(os.Rename(path+"2", path)) }, true},
		{"that of another", write(foreign), true},
		{"zeroes", write(make([]byte, len(good))), true},
		{"text", write(bytes.Repeat([]byte("no database\n"), 10_000)), true},
		{"a directory", func(path string) { must(os.Remove(path)); must(os.Mkdir(path, 0o700)) }, true},
		{"a pipe", func(path string) { must(os.Remove(path)); must(syscall.Mkfifo(path, 0o600)) }, true},
		{"no head 0", flip(40), false},
		{"no head 1", flip(4096 + 40), false},
	}
	for page := 2; page < len(good)/4096; page++ {
		data := bytes.Clone(good)
		name, at := fmt.Sprint("page ", page), page*4096
		switch page % 3 {
		case 0:
			clear(data[at : at+4096])
		case 1:
			copy(data[at:], good[4*4096:5*4096])
		case 2:
			for i := range 40 {
				data[at+page*97%4000+i] ^= 0xa5
			}
		}
		list = append(list, damage{name, write(data), false})
	}
	for seed := range uint64(4) {
		list = append(list, damage{fmt.Sprint("400 bytes ", seed), random(seed, 400), false}, damage{fmt.Sprint("9 bytes ", seed), random(seed, 9), false})
	}
	for _, d := range list {
		dir := t.TempDir()
		path := filepath.Join(dir, snapshot.FileName)
		must(os.WriteFile(path, good, 0o600))
		must(os.WriteFile(filepath.Join(dir, snapshot.MarkerName), marker, 0o600))
		file := snapshot.NewFile(dir, &snapshot.FileOptions{Now: at(noon)})
		serving := filing(t, dir, func(o *snapshot.Options) { o.File = file })
		get(t, serving, made[0].ID)
		d.do(path)
		for name, store := range map[string]*snapshot.Store{"serving": serving, "started": filing(t, dir)} {
			hidden := 0
			for _, snap := range made {
				read, err := store.Get(t.Context(), snap.ID)
				switch {
				case err == nil && bytes.Equal(read.Body, snap.Body):
				case errors.Is(err, snapshot.ErrUnavailable) || errors.Is(err, snapshot.ErrCorrupt) || errors.Is(err, snapshot.ErrForged):
					hidden++
				default:
					t.Fatalf("%s, %s: %s: %q, %v", d.name, name, snap.ID, read.Body, err)
				}
			}
			if d.whole && hidden != len(made) {
				t.Errorf("%s, %s: %d of %d cannot be read", d.name, name, hidden, len(made))
			}
			if d.whole {
				if _, err := store.Get(t.Context(), "cx_"+strings.Repeat("a", 26)); !errors.Is(err, snapshot.ErrUnavailable) {
					t.Errorf("%s, %s: an id that was never given: %v", d.name, name, err)
				}
			}
			if name == "started" && !d.whole {
				continue // damaged further below
			}
			snap, err := store.Create(t.Context(), content(t, "ohms"))
			if errors.Is(err, snapshot.ErrCorrupt) || errors.Is(err, snapshot.ErrForged) {
				continue // the value of this id is damaged
			}
			if err != nil || d.whole && !snap.Fallback {
				t.Fatalf("%s, %s: created %+v, %v", d.name, name, snap, err)
			}
			if _, err := store.Get(t.Context(), snap.ID); err != nil && (d.whole || errors.Is(err, snapshot.ErrNotFound)) {
				t.Errorf("%s, %s: %s: %v", d.name, name, snap.ID, err)
			}
		}
		if d.whole && file.State() == nil {
			t.Errorf("%s: the file says that all is well", d.name)
		}
		if strings.HasPrefix(d.name, "no head") || d.whole {
			must(os.RemoveAll(path))
			must(os.WriteFile(path, good, 0o600)) // the backup is used immediately
			for _, snap := range made {
				get(t, serving, snap.ID)
			}
			wantNotFound(t, serving, d.name, "cx_"+strings.Repeat("a", 26))
			if snap := create(t, serving, content(t, "amps")); snap.Fallback || file.State() != nil {
				t.Errorf("%s: after the backup was put in place: %v, %v", d.name, snap.Cause, file.State())
			}
		}
	}
}

// A file of an earlier version gets its identity and order at the first use, and so does a copy of
// one. If both files are removed, a new file is created.
func TestFileOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	store := filing(t, dir)
	var made []snapshot.Snapshot
	for i := range 40 {
		made = append(made, create(t, store, numbered(t, i)))
	}
	path, marker := filepath.Join(dir, snapshot.FileName), filepath.Join(dir, snapshot.MarkerName)
	db, err := bbolt.Open(path, 0o600, nil)
	if err == nil {
		err = db.Update(func(tx *bbolt.Tx) error {
			return errors.Join(tx.DeleteBucket([]byte("order")), tx.DeleteBucket([]byte("about")))
		})
		err = errors.Join(err, db.Close(), os.Remove(marker))
	}
	if err != nil {
		t.Fatal(err)
	}
	if copied, err := snapshot.NewFile(dir, nil).Copy(filepath.Join(t.TempDir(), "copy")); err != nil || copied.Records != 40 || len(copied.Damaged) > 0 {
		t.Errorf("copied %+v, %v", copied, err)
	}
	store = filing(t, dir) // reads first
	wantNotFound(t, store, "unknown", "cx_"+strings.Repeat("a", 26))
	for _, snap := range made {
		get(t, store, snap.ID)
	}
	if snap := create(t, store, content(t, "ohms")); snap.Fallback {
		t.Error(snap.Cause)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(path), os.Remove(marker)); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(t.Context(), made[0].ID); !errors.Is(err, snapshot.ErrUnavailable) {
		t.Errorf("a server that has used the file: %v", err)
	}
	store = filing(t, dir)
	wantNotFound(t, store, "begun anew", made[0].ID)
	if snap := create(t, store, numbered(t, 1)); snap.Fallback {
		t.Error(snap.Cause)
	}
}

// Forged and foreign records in a file are detected as in Redis.
func TestFileForged(t *testing.T) {
	dir := t.TempDir()
	store := filing(t, dir)
	made, other := create(t, store, content(t, "ohms")), create(t, store, content(t, "amps"))
	change := func(edit func(records *bbolt.Bucket) error) {
		t.Helper()
		db, err := bbolt.Open(filepath.Join(dir, snapshot.FileName), 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bbolt.Tx) error { return edit(tx.Bucket([]byte("records"))) })
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"text": "hello", "nothing": "", "format alone": "slipstick-snapshot-1 9999999999 00\n{}"} {
		change(func(records *bbolt.Bucket) error { return records.Put([]byte(made.ID), []byte(text)) })
		if _, err := store.Get(t.Context(), made.ID); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Errorf("%s: read: %v", name, err)
		}
		if _, err := store.Create(t.Context(), content(t, "ohms")); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Errorf("%s: create: %v", name, err)
		}
	}
	if copied, err := snapshot.NewFile(dir, nil).Copy(filepath.Join(t.TempDir(), "copy")); err != nil || copied.Records != 1 || len(copied.Damaged) != 1 || copied.Damaged[0] != made.ID {
		t.Errorf("copied %+v, %v", copied, err)
	}
	stranger, err := snapshot.New(keysOf(t, seed2), &snapshot.Options{File: snapshot.NewFile(dir, nil), Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Get(t.Context(), other.ID); !errors.Is(err, snapshot.ErrForged) || stranger.Forged() != 1 {
		t.Errorf("with another key: %v", err)
	}
	both, err := snapshot.New(keysOf(t, seed2, seed), &snapshot.Options{File: snapshot.NewFile(dir, nil), Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	get(t, both, other.ID)
}

// A server with Redis still reads the records in its file. A server that embeds reads both.
func TestFileWithOtherStores(t *testing.T) {
	dir := t.TempDir()
	made := create(t, filing(t, dir), content(t, "ohms"))
	embeds := filing(t, dir, func(o *snapshot.Options) { o.Embed = true })
	get(t, embeds, made.ID)
	if snap := create(t, embeds, content(t, "amps")); !strings.HasPrefix(snap.ID, prefix) || snap.Fallback {
		t.Errorf("%+v, want an embedded id by choice", snap)
	}
	client := connect(t, startRedis(t).addr)
	moved := filing(t, dir, func(o *snapshot.Options) { o.Redis = client })
	get(t, moved, made.ID)
	stored := create(t, moved, content(t, "amps"))
	get(t, moved, stored.ID)
	wantNotFound(t, filing(t, dir), "in Redis only", stored.ID)
}
