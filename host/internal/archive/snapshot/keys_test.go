package snapshot_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

func load(t *testing.T, dir string, configured ...string) *snapshot.Store {
	t.Helper()
	keys, err := snapshot.LoadKeys(dir, configured...)
	if err != nil {
		t.Fatal(err)
	}
	store, err := snapshot.New(keys, &snapshot.Options{Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// The first start creates a key that only its owner can read, and every later start uses it.
func TestKeyIsCreatedAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	made := create(t, load(t, dir), content(t, "ohms"))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the directory holds %v, %v", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	again := load(t, dir)
	get(t, again, made.ID)
	if second := create(t, again, content(t, "ohms")); second.ID != made.ID {
		t.Error("the second start signs with another key")
	}
}

// The newest key signs, and all of them verify.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	var ids []string
	for i := range 12 {
		if _, err := snapshot.Rotate(dir, noon.Add(time.Duration(i-12)*time.Hour)); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, create(t, load(t, dir), content(t, "ohms")).ID)
	}
	last := load(t, dir)
	for i, id := range ids {
		get(t, last, id)
		if i > 0 && id == ids[i-1] {
			t.Errorf("start %d signs with the key of the one before", i)
		}
	}
	if err := os.Remove(filepath.Join(dir, "snapshot-0001.key")); err != nil {
		t.Fatal(err)
	}
	wantNotFound(t, load(t, dir), "id of a removed key", ids[0])
	get(t, load(t, dir), ids[1])
}

// A key that root makes belongs to the user of the server, who owns the directory.
func TestRotationByRoot(t *testing.T) {
	dir, owner := t.TempDir(), os.Getuid()
	if owner == 0 {
		owner = 12345
		if err := os.Chown(dir, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	name, err := snapshot.Rotate(dir, noon)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != owner || info.Mode() != 0o600 {
		t.Errorf("%+v, %v; the owner of the directory is %d", info, err, owner)
	}
}

// timed returns a store at a time.
func timed(t *testing.T, keys *snapshot.Keys, now time.Time) *snapshot.Store {
	t.Helper()
	store, err := snapshot.New(keys, &snapshot.Options{Now: at(now)})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// A timed key verifies immediately, and signs from its time on. All servers change keys at that
// time, and short ids do not change.
func TestTimedKey(t *testing.T) {
	const later = seed2 + "@2026-11-21T13:00:00Z" // an hour after noon
	keys := keysOf(t, seed, later)
	created := func(hour time.Duration) snapshot.Content {
		c := content(t, "ohms")
		c.CreatedAt = noon.Add(hour * time.Hour)
		return c
	}
	at := func(hour time.Duration) string {
		t.Helper()
		return create(t, timed(t, keys, noon.Add(hour*time.Hour)), created(hour)).ID
	}
	if at(0) != create(t, embedding(t, seed), created(0)).ID {
		t.Error("before its time the former key does not sign")
	}
	if at(1) != create(t, timed(t, keysOf(t, seed2), noon.Add(time.Hour)), created(1)).ID {
		t.Error("at its time the new key does not sign")
	}
	get(t, embedding(t, seed, later), create(t, embedding(t, seed2), content(t, "ohms")).ID) // known before
	// The clock can reach the next second between the two calls; the time in the record counts.
	if create(t, timed(t, keys, noon.Add(time.Hour)), created(0)).ID != at(0) {
		t.Error("the signing key is not the key of the creation time")
	}

	list := keys.States(noon.Add(time.Hour))
	if len(list) != 2 || list[0].Signs || !list[0].Derives || !list[1].Signs || list[1].Derives || list[0].ID == list[1].ID {
		t.Errorf("the list is %+v", list)
	}
	for _, configured := range [][]string{{later}, {seed, later, strings.Repeat("ab", 32)}, {seed, seed2 + "@soon"}, {seed, seed2 + "@"}} {
		if _, err := snapshot.LoadKeys("", configured...); err == nil || strings.Contains(err.Error(), seed2) {
			t.Errorf("%d keys: error %v, want one that does not repeat them", len(configured), err)
		}
	}
}

// Configured keys sign, whatever the directory contains; its keys still verify.
func TestConfiguredKeys(t *testing.T) {
	dir := t.TempDir()
	former := create(t, load(t, dir), content(t, "ohms")).ID
	store := load(t, dir, seed, seed2)
	get(t, store, former)
	get(t, store, create(t, embedding(t, seed), content(t, "ohms")).ID)
	if id := create(t, store, content(t, "ohms")).ID; id != create(t, embedding(t, seed2), content(t, "ohms")).ID {
		t.Error("the newest configured key does not sign")
	}
	empty := t.TempDir()
	load(t, empty, seed)
	if entries, _ := os.ReadDir(empty); len(entries) > 0 {
		t.Errorf("%v was created next to a configured key", entries)
	}
}

func TestSpellingsOfConfiguredKeys(t *testing.T) {
	raw, _ := hex.DecodeString(strings.Repeat("fb", 32)) // contains characters in which the alphabets differ
	want := ""
	for _, text := range []string{
		hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)) + "\n",
		base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	} {
		id := create(t, embedding(t, text), content(t, "ohms")).ID
		if want == "" {
			want = id
		}
		if id != want {
			t.Errorf("%q is another key", text)
		}
	}
	for _, text := range []string{"", "secret", strings.Repeat("0", 63), strings.Repeat("0", 66), strings.Repeat("g", 64), strings.Repeat("A", 42), strings.Repeat("A", 44)} {
		if _, err := snapshot.LoadKeys("", text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: error %v, want one that does not repeat it", text, err)
		}
	}
	if _, err := snapshot.LoadKeys(""); err == nil {
		t.Error("no key at all is accepted")
	}
}

// A damaged key file, or one that others can read, prevents the start. It is never replaced.
func TestBadKeyFiles(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"empty", "", 0o600, "restore it"},
		{"cut", seed[:40], 0o600, "restore it"},
		{"not hexadecimal", strings.Repeat("x", 64), 0o600, "restore it"},
		{"large", strings.Repeat("0", 2000), 0o600, "not a small regular file"},
		{"readable by the group", seed, 0o640, "chmod 600"},
		{"readable by all", seed, 0o604, "chmod 600"},
	} {
		path := filepath.Join(t.TempDir(), "snapshot-0001.key")
		save(t, path, tt.text, tt.mode)
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		_, err := snapshot.LoadKeys(filepath.Dir(path))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one about %s and %q", tt.name, err, path, tt.want)
		}
		if !bytes.Equal(file(t, path), []byte(tt.text)) {
			t.Errorf("%s: the file was changed", tt.name)
		}
	}
	dir := filepath.Join(t.TempDir(), "file")
	save(t, dir, "", 0o600)
	if _, err := snapshot.LoadKeys(dir); err == nil {
		t.Error("a data directory that is a file is accepted")
	}
}

// Other files do not count, for example the remains of a key after a crash.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".snapshot-key-123", "snapshot-1.key", "snapshot-0001.key.bak", "notes"} {
		save(t, filepath.Join(dir, name), "x", 0o644)
	}
	create(t, load(t, dir), content(t, "ohms"))
}

// Servers that start concurrently on one directory agree on one key.
func TestStartingTogether(t *testing.T) {
	dir := t.TempDir()
	ids := make([]string, 16)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			keys, err := snapshot.LoadKeys(dir)
			if err != nil {
				t.Error(err)
				return
			}
			store, _ := snapshot.New(keys, &snapshot.Options{Now: at(noon)})
			snap, err := store.Create(t.Context(), content(t, "ohms"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = snap.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Error("two servers sign with two keys")
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the directory holds %v", entries)
	}
}
