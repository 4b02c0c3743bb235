package snapshot_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// inOrder returns a value with a correct format and checksum, as everyone can make who can write to
// the store.
func inOrder(id, expires, body string) string {
	sum := sha256.Sum256([]byte(id + "\n" + expires + "\n" + body))
	return fmt.Sprintf("slipstick-snapshot-1 %s %x\n%s", expires, sum, body)
}

// A record is served only if its id can be derived from its content, whatever its checksum is.
func TestForgedRecords(t *testing.T) {
	client := connect(t, miniredis.RunT(t).Addr())
	store := storing(t, client)
	made, other := create(t, store, content(t, "ohms")), create(t, store, content(t, "amps"))
	expires, body := fmt.Sprint(made.ExpiresAt.Unix()), string(made.Body)
	replace := func(old, by string) string { return strings.Replace(body, old, by, 1) }
	later := made.ExpiresAt.Add(time.Hour)
	hour := func(t time.Time) string { return t.Format(time.RFC3339) }
	for _, tt := range []struct{ name, expires, body string }{
		{"another result", expires, replace(`"current":1.5`, `"current":9.5`)},
		{"another input", expires, strings.ReplaceAll(body, `"voltage":12`, `"voltage":13`)},
		{"another version", expires, replace(`"calculation_version":"1.0.0"`, `"calculation_version":"1.0.1"`)},
		{"another engine", expires, replace(digest, "sha256:"+strings.Repeat("0", 64))},
		{"another tool", expires, replace(`"tool_id":"ohms-law"`, `"tool_id":"ohms-lax"`)},
		{"another's record", expires, string(other.Body)},
		{"another's record under this id", expires, strings.ReplaceAll(string(other.Body), other.ID, made.ID)},
		{"spelled otherwise", expires, replace(`{"status"`, `{ "status"`)},
		{"data after it", expires, body + "\n"},
		{"another life in the store", fmt.Sprint(later.Unix()), body},
		{"another life", fmt.Sprint(later.Unix()), replace(hour(made.ExpiresAt), hour(later))},
		{"no end", expires, replace(`"expires_at":"`+hour(made.ExpiresAt)+`"`, `"expires_at":null`)},
		{"other links", expires, replace(`"/s/`, `"//evil.example/s/`)},
		{"a signed copy", expires, string(signedCopy(t, store, made.ID))},
		{"no record", expires, `{"status":"success"}`},
		{"no object", expires, "null"},
		{"nothing", expires, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.body == body && tt.expires == expires {
				t.Fatal("nothing is forged")
			}
			ask(t, client, "set", keyPrefix+made.ID, inOrder(made.ID, tt.expires, tt.body))
			before := store.Forged()
			if snap, err := store.Get(t.Context(), made.ID); !onlyForged(err) || snap.Body != nil {
				t.Errorf("read: %s, %v, want ErrForged", snap.Body, err)
			}
			if snap, err := store.Create(t.Context(), content(t, "ohms")); !onlyForged(err) || snap.Body != nil {
				t.Errorf("create: %s, %v, want ErrForged", snap.Body, err)
			}
			if n := store.Forged() - before; n != 2 {
				t.Errorf("%d were counted, want 2", n)
			}
		})
	}
	ask(t, client, "set", keyPrefix+made.ID, inOrder(made.ID, expires, body))
	before := store.Forged()
	if read := get(t, store, made.ID); !bytes.Equal(read.Body, made.Body) || store.Forged() != before {
		t.Errorf("the record itself, written by others: %s", read.Body)
	}
}

func onlyForged(err error) bool {
	return errors.Is(err, snapshot.ErrForged) && !errors.Is(err, snapshot.ErrCorrupt) &&
		!errors.Is(err, snapshot.ErrNotFound) && !errors.Is(err, snapshot.ErrUnavailable)
}

// A record stays readable as long as the server has the key that derived its id. A server without
// that key serves no such record.
func TestKeysOfRecords(t *testing.T) {
	client := connect(t, miniredis.RunT(t).Addr())
	dir := t.TempDir()
	made := create(t, storeOf(t, client, dir), content(t, "ohms"))
	for name, store := range map[string]*snapshot.Store{
		"the same": storeOf(t, client, dir),
		"one is configured now, and that of the directory only verifies": storeOf(t, client, dir, seed),
		"two are configured now": storeOf(t, client, dir, seed2, seed),
	} {
		if read := get(t, store, made.ID); !bytes.Equal(read.Body, made.Body) {
			t.Errorf("%s: %s", name, read.Body)
		}
	}
	if _, err := snapshot.Rotate(dir, noon); err != nil {
		t.Fatal(err)
	}
	get(t, storeOf(t, client, dir), made.ID)
	if _, err := storeOf(t, client, t.TempDir()).Get(t.Context(), made.ID); !onlyForged(err) {
		t.Errorf("a server with other keys: %v, want ErrForged", err)
	}
	second := create(t, storeOf(t, client, "", seed2, seed), content(t, "amps"))
	get(t, storeOf(t, client, "", seed, seed2), second.ID) // in another order
}

// storeOf returns a store with the keys of the directory and the seeds.
func storeOf(t *testing.T, client redis.Client, dir string, seeds ...string) *snapshot.Store {
	t.Helper()
	keys, err := snapshot.LoadKeys(dir, seeds...)
	if err != nil {
		t.Fatal(err)
	}
	store, err := snapshot.New(keys, &snapshot.Options{Redis: client, Deadline: 20 * time.Second, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	return store
}
