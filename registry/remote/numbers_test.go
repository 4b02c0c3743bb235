package remote_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/remote"
	"github.com/slipstick/slipstick/registry/sign"
)

// day is the time of all signatures in this file.
var day = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// publisher makes a key, and the options of a reader who trusts only it.
func publisher(t testing.TB) (*sign.Signer, *remote.Options) {
	t.Helper()
	key, err := sign.NewKey(filepath.Join(t.TempDir(), "key"), "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]any{"keys": []sign.Key{{
		Name: "publisher", PublicKey: key.PublicKey(), Roles: []sign.Role{sign.Publishes, sign.Reports}, Capabilities: []string{"*"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	trust, err := sign.ReadTrust(data)
	if err != nil {
		t.Fatal(err)
	}
	return key, &remote.Options{Mirror: registry.Options{Trust: trust, RequireSignatures: true}}
}

// draft returns a draft that signs.
func draft(t testing.TB, r *remote.Registry, key *sign.Signer) *remote.Draft {
	t.Helper()
	d, err := r.Draft(t.Context(), &registry.Options{Signer: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// signed makes a draft, changes it and pushes it, with signatures.
func signed(t testing.TB, r *remote.Registry, key *sign.Signer, f func(*registry.Registry) error) error {
	t.Helper()
	d := draft(t, r, key)
	if err := f(d.Registry()); err != nil {
		t.Fatal(err)
	}
	return d.Push(t.Context(), beam)
}

func promotes(t testing.TB, version string) func(*registry.Registry) error {
	return func(l *registry.Registry) error { return l.Promote(t.Context(), beam, version) }
}

func deprecates(t testing.TB, version string) func(*registry.Registry) error {
	return func(l *registry.Registry) error {
		return l.SetLifecycle(t.Context(), beam, version, evidence.Lifecycle{State: evidence.Deprecated, Reason: "because", Since: day})
	}
}

// twoSigned publishes 1.0.0 and 1.1.0, which statement 2 makes current.
func twoSigned(t testing.TB, r *remote.Registry, key *sign.Signer) {
	t.Helper()
	for _, version := range []string{"1.0.0", "1.1.0"} {
		c := candidate(beam, version)
		c.Created = day
		err := signed(t, r, key, func(l *registry.Registry) error { _, err := l.Publish(t.Context(), c); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Where signatures are required, the signed statement decides which version is current, and
// not the remote tag. A publisher who signs after another one gets an error before anything is
// pushed.
func TestStatementsElsewhere(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		key, strict := publisher(t)
		r := open(t, address)
		twoSigned(t, r, key)
		there, err := remote.Open(address, t.TempDir(), strict)
		if err != nil {
			t.Fatal(err)
		}
		if c := look(t, there, beam); c.Current != "1.1.0" || c.Sequence != 2 || c.Problem != nil {
			t.Fatalf("current %q by %d, %v", c.Current, c.Sequence, c.Problem)
		}
		if err := change(t, r, beam, promotes(t, "1.0.0")); err != nil { // unsigned: only the tag moves
			t.Fatal(err)
		}
		if c := look(t, open(t, address), beam); c.Current != "1.0.0" {
			t.Errorf("where no signatures are required current is %q", c.Current)
		}
		if c := look(t, there, beam); c.Current != "1.1.0" || c.Problem != nil {
			t.Errorf("the tag was moved: current %q, %v", c.Current, c.Problem)
		}

		late := draft(t, open(t, address), key)
		if err := signed(t, r, key, deprecates(t, "1.1.0")); err != nil {
			t.Fatal(err)
		}
		if err := promotes(t, "1.0.0")(late.Registry()); err != nil {
			t.Fatal(err)
		}
		if err := late.Push(t.Context(), beam); err == nil || !strings.Contains(err.Error(), "statement 3 of its history since") {
			t.Errorf("the late one: %v", err)
		}
		if c := look(t, there, beam); c.Current != "1.1.0" || c.Sequence != 3 || c.Problem != nil {
			t.Errorf("after the late one current is %q by %d, %v", c.Current, c.Sequence, c.Problem)
		}
		if err := signed(t, open(t, address), key, promotes(t, "1.0.0")); err != nil {
			t.Fatal(err)
		}
		if c := look(t, there, beam); c.Current != "1.0.0" || c.Sequence != 4 {
			t.Errorf("tried again: current is %q by %d", c.Current, c.Sequence)
		}
	})
}

// If two publishers use one number at the same instant, the one that finds the other's
// statement gets an error. Readers get an error too, until a publisher signs again.
func TestOneNumberAtTheSameTime(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		key, strict := publisher(t)
		twoSigned(t, open(t, address), key)
		b := proxy(t, address)
		mirror, err := remote.Open(b.address, t.TempDir(), strict)
		if err != nil {
			t.Fatal(err)
		}
		mine, other := draft(t, mirror, key), draft(t, open(t, address), key)
		if err := promotes(t, "1.0.0")(mine.Registry()); err != nil {
			t.Fatal(err)
		}
		if err := deprecates(t, "1.0.0")(other.Registry()); err != nil {
			t.Fatal(err)
		}
		var first sync.Once
		between := func(r *http.Request) bool { // after this publisher has read, and before it has written
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				first.Do(func() {
					if err := other.Push(t.Context(), beam); err != nil {
						t.Errorf("the other: %v", err)
					}
				})
			}
			return false
		}
		b.refuse.Store(&between)
		if err := mine.Push(t.Context(), beam); err == nil || !strings.Contains(err.Error(), "sequence number 3 at the same time") {
			t.Errorf("the loser: %v", err)
		}
		b.refuse.Store(nil)
		if c := mirrored(t, mirror, beam); c.Problem == nil || !strings.Contains(c.Problem.Error(), "sequence number 3") {
			t.Errorf("who reads: %v", c.Problem)
		}
		if err := signed(t, open(t, address), key, promotes(t, "1.0.0")); err != nil {
			t.Fatal(err)
		}
		if c := look(t, mirror, beam); c.Problem != nil || c.Current != "1.0.0" || c.Sequence != 4 {
			t.Errorf("signed again: current %q by %d, %v", c.Current, c.Sequence, c.Problem)
		}
	})
}
