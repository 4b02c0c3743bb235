package snapshot_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/slipstick/slipstick/host/internal/snapshot"
)

// A copy that is made while others freeze has what was kept before, and takes the place of a
// file that is damaged, without a restart.
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
	copied, err := snapshot.NewFile(dir, nil).Copy(backup)
	close(stop)
	<-stopped
	if err != nil || copied.Records < len(before) || len(copied.Damaged) > 0 {
		t.Fatalf("%+v, %v", copied, err)
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
		t.Errorf("freeze in a file that was cut: %+v", snap)
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

// Whatever has happened to the file: the host goes on, and no record is shown that is another
// than what was frozen.
func TestFileDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, snapshot.FileName)
	store := filing(t, dir)
	var made []snapshot.Snapshot
	for i := range 20 {
		made = append(made, create(t, store, numbered(t, i)))
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	check := func(what string, data []byte) {
		t.Helper()
		save(t, path, string(data), 0o600)
		store := filing(t, dir)
		for _, snap := range made {
			read, err := store.Get(t.Context(), snap.ID)
			if err == nil && !bytes.Equal(read.Body, snap.Body) {
				t.Errorf("%s: %s is shown", what, read.Body)
			}
			if err != nil {
				found++
			}
		}
		if _, err := store.Create(t.Context(), content(t, "ohms")); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	check("nothing", nil)
	for _, size := range []int{1, 100, 4096, 8192, 16384, 20000, len(good) / 2} {
		check("cut", good[:size])
	}
	for at := 0; at < len(good); at += 1021 {
		data := bytes.Clone(good)
		for i := at; i < min(at+40, len(data)); i++ {
			data[i] ^= 0xa5
		}
		check("flipped", data)
	}
	if found == 0 {
		t.Error("no damage was found")
	}
}

// Forged and foreign records in a file are found as they are in Redis.
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

// A host that is given a Redis still reads what its file keeps; one that embeds reads both.
func TestFileBesideOthers(t *testing.T) {
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
	kept := create(t, moved, content(t, "amps"))
	get(t, moved, kept.ID)
	wantNotFound(t, filing(t, dir), "in Redis only", kept.ID)
}
