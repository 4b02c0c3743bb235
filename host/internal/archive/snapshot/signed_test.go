package snapshot_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/registry/hostkeys"
)

// shortIDs returns a store with short ids, at noon.
func shortIDs(t *testing.T, seeds ...string) *snapshot.Store {
	t.Helper()
	o := &snapshot.Options{File: snapshot.NewFile(t.TempDir(), &snapshot.FileOptions{Now: at(noon)}), Now: at(noon), Deadline: 20 * time.Second}
	store, err := snapshot.New(keysOf(t, seeds...), o)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// publicKeys returns the public keys of a store.
func publicKeys(s *snapshot.Store) hostkeys.Set {
	return hostkeys.Set{{Name: "keys", Document: s.Keys().Public()}}
}

func signedCopy(t *testing.T, s *snapshot.Store, id string) []byte {
	t.Helper()
	snap, err := s.Signed(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return snap.Body
}

func record(t *testing.T, body []byte) *snapshot.Record {
	t.Helper()
	r, err := snapshot.ReadRecord(body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const rotated = seed2 + "@2026-11-21T11:00:00Z" // an hour before noon

// With a signed copy and the public keys, readers can verify which server created the snapshot.
// This works for all kinds of ids, and without secrets.
func TestPublicKeysIdentifyTheServer(t *testing.T) {
	short, embedded := shortIDs(t, seed, rotated), embedding(t, seed, rotated)
	for _, s := range []*snapshot.Store{short, embedded} {
		made := create(t, s, content(t, "ohms"))
		copied := signedCopy(t, s, made.ID)
		found, err := record(t, copied).CheckPublic(publicKeys(s))
		if err != nil || found.ID != s.Keys().Public().Keys[1].ID || found.Name != "keys" {
			t.Errorf("%s: %+v, %v", made.ID[:10], found, err)
		}
		if err := record(t, copied).Check(s.Keys()); err != nil {
			t.Errorf("with the secret keys: %v", err)
		}
		if !bytes.Equal(signedCopy(t, s, made.ID), copied) || !bytes.Equal(get(t, s, made.ID).Body, made.Body) {
			t.Error("a second copy differs, or a copy changes the record")
		}
	}
	// A newer key does not change copies.
	made := create(t, short, content(t, "ohms"))
	before := signedCopy(t, short, made.ID)
	short.SetKeys(keysOf(t, seed, rotated, strings.Repeat("ab", 32)+"@2026-11-21T13:00:00Z"))
	if !bytes.Equal(signedCopy(t, short, made.ID), before) {
		t.Error("a copy differs with one more key")
	}
	if _, err := record(t, made.Body).CheckPublic(publicKeys(short)); !errors.Is(err, snapshot.ErrUnsigned) || !errors.Is(err, snapshot.ErrUnchecked) {
		t.Errorf("a record without a signature: %v", err)
	}
}

func TestForgedCopyIsRefused(t *testing.T) {
	own, stranger := shortIDs(t, seed, rotated), shortIDs(t, strings.Repeat("ab", 32))
	copied := string(signedCopy(t, own, create(t, own, content(t, "ohms")).ID))
	other := string(signedCopy(t, own, create(t, own, content(t, "amps")).ID))
	foreign := string(signedCopy(t, stranger, create(t, stranger, content(t, "ohms")).ID))
	outdated := shortIDs(t, seed) // does not know that another key signs now
	outdatedCopy := string(signedCopy(t, outdated, create(t, outdated, content(t, "ohms")).ID))
	signature := func(body string) string { return body[strings.LastIndex(body, `,"signature":`):] }
	for name, tt := range map[string]struct{ body, want string }{
		"another number":    {strings.Replace(copied, `"current":1.5`, `"current":1.6`, 1), "does not hold"},
		"another time":      {strings.ReplaceAll(copied, "2026-11-21T12", "2026-11-21T11"), "does not hold"},
		"another id":        {strings.ReplaceAll(copied, record(t, []byte(copied)).ID, record(t, []byte(other)).ID), "does not hold"},
		"another signature": {strings.Replace(copied, signature(copied), signature(other), 1), "does not hold"},
		"a stranger's copy": {foreign, "is none of these public keys"},
		"an outdated key":   {outdatedCopy, "until 2026-11-21T11:00:00Z"},
		"no key":            {strings.Replace(copied, `"key":"`, `"key":"0`, 1), "not a key id"},
	} {
		if tt.body == copied {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := record(t, []byte(tt.body)).CheckPublic(publicKeys(own)); err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, snapshot.ErrUnchecked) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := snapshot.ReadRecord([]byte(copied[:len(copied)-1] + `,"more":1}`)); err == nil {
		t.Error("data after the signature is accepted")
	}
	outdatedID := create(t, embedding(t, seed), content(t, "ohms")).ID
	r, err := snapshot.ReadEmbedded(outdatedID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.CheckPublic(publicKeys(own)); err == nil || !strings.Contains(err.Error(), "until 2026-11-21T11:00:00Z") {
		t.Errorf("an embedded id by an outdated key: %v", err)
	}
}

// Servers with the same keys publish the same document, and it contains every key that verifies.
func TestPublicDocument(t *testing.T) {
	dir := t.TempDir()
	for _, from := range []time.Time{{}, noon.Add(-time.Hour), noon.Add(time.Hour)} {
		if _, err := snapshot.Rotate(dir, from); err != nil {
			t.Fatal(err)
		}
	}
	document := func(keys *snapshot.Keys, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text, err := keys.Public().JSON()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := document(snapshot.LoadKeys(dir))
	read, err := hostkeys.Parse([]byte(first))
	if err != nil || len(read.Keys) != 3 || !read.Keys[0].From.IsZero() || !read.Keys[0].Until.Equal(noon.Add(-time.Hour)) || !read.Keys[2].From.Equal(noon.Add(time.Hour)) {
		t.Errorf("%s, %v", first, err)
	}
	var seeds []string
	for _, name := range []string{"snapshot-0001.key", "snapshot-0002.key", "snapshot-0003.key"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, strings.TrimSpace(string(text)))
		if strings.Contains(first, strings.TrimSpace(seeds[len(seeds)-1])[:64]) {
			t.Error("the document has a seed in it")
		}
	}
	if other := document(snapshot.LoadKeys("", seeds...)); other != first {
		t.Errorf("the same keys, configured:\n%s\nin a directory:\n%s", other, first)
	}
	if both := document(snapshot.LoadKeys(dir, seeds...)); both != first {
		t.Errorf("the same keys twice:\n%s", both)
	}
	configured, err := snapshot.LoadKeys(dir, seed)
	if err != nil || len(configured.Public().Keys) != 4 || configured.Public().Keys[3].Supersedes != read.Keys[2].ID {
		t.Errorf("%+v, %v", configured.Public(), err)
	}
	uneven, err := snapshot.LoadKeys("", seed, seed2+"@2026-11-21T14:59:59.5+03:00")
	if err != nil || !uneven.Public().Keys[1].From.Equal(noon) {
		t.Errorf("a time with a fraction and a zone: %+v, %v", uneven, err)
	}
	if _, err := snapshot.Rotate(dir, noon); err == nil || !strings.Contains(err.Error(), "snapshot-0003.key") {
		t.Errorf("a key that starts before the previous one: %v", err)
	}
}
