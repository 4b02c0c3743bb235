package registry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
)

// promote makes a version current, signed by the key, or unsigned if it is nil.
func (h *signedRegistry) promote(k *sign.Signer, version string) {
	h.t.Helper()
	if err := h.by(k).Promote(h.t.Context(), beam, version); err != nil {
		h.t.Fatal(err)
	}
}

// beam returns the capability for a reader who trusts only these keys.
func (h *signedRegistry) beam() registry.Capability {
	h.t.Helper()
	return capability(h.t, h.strict(), beam)
}

// retag points the tag current at a version, as anyone with write access can.
func (d disk) retag(version string) {
	d.t.Helper()
	d.edit(func(x *v1.Index) {
		to := *d.entry(x, version)
		at := d.entry(x, store.CurrentTag)
		at.Digest, at.Size = to.Digest, to.Size
	})
}

// take removes entries from index.json.
func (d disk) take(removed ...v1.Descriptor) {
	d.t.Helper()
	d.edit(func(x *v1.Index) {
		x.Manifests = slices.DeleteFunc(x.Manifests, func(m v1.Descriptor) bool {
			return slices.ContainsFunc(removed, func(g v1.Descriptor) bool { return g.Digest == m.Digest })
		})
	})
}

// Where signatures are required, current is the version that a trusted publisher signed last,
// independent of everything else in the registry.
func TestCurrentIsSigned(t *testing.T) {
	numbers := func(h *signedRegistry, version string, change func([]byte) []byte) {
		h.disk().reforge(mediatype.Current, version, layer(h.disk(), mediatype.Current+"+json", change))
	}
	for _, tt := range []struct {
		name    string
		change  func(*signedRegistry)
		current string
		problem string
	}{
		{"as it was published", func(*signedRegistry) {}, "1.1.0", ""},
		{"the tag is set back", func(h *signedRegistry) { h.disk().retag("1.0.0") }, "1.1.0", ""},
		{"promoted by its publisher", func(h *signedRegistry) { h.promote(h.publisher, "1.0.0") }, "1.0.0", ""},
		{"and forward again", func(h *signedRegistry) {
			h.promote(h.publisher, "1.0.0")
			h.promote(h.publisher, "1.1.0")
		}, "1.1.0", ""},
		{"promoted without a signature", func(h *signedRegistry) { h.promote(nil, "1.0.0") }, "1.1.0", ""},
		{"promoted by a stranger", func(h *signedRegistry) { h.promote(h.stranger, "1.0.0") }, "1.1.0", ""},
		{"promoted by a reviewer", func(h *signedRegistry) { h.promote(h.reviewer, "1.0.0") }, "1.1.0", ""},
		{"promoted by a publisher of other things", func(h *signedRegistry) {
			other := key(h.t)
			h.keys = append(h.keys, sign.Key{Name: "other", PublicKey: other.PublicKey(), Roles: []sign.Role{sign.Publishes}, Capabilities: []string{"electrical.*"}})
			h.promote(other, "1.0.0")
		}, "1.1.0", ""},
		{"an older statement is listed last", func(h *signedRegistry) {
			d := h.disk()
			first := d.entries(mediatype.Current, "1.0.0")[0]
			d.take(first)
			d.edit(func(x *v1.Index) { x.Manifests = append(x.Manifests, first) })
		}, "1.1.0", ""},
		{"its number is raised", func(h *signedRegistry) {
			numbers(h, "1.0.0", func([]byte) []byte { return []byte(`{"sequence":99}`) })
		}, "1.1.0", ""},
		{"its statement is about another version", func(h *signedRegistry) {
			d := h.disk()
			var m v1.Manifest
			d.must(json.Unmarshal(d.read(d.blob(d.entries(mediatype.Current, "1.1.0")[0].Digest)), &m))
			d.reforge(mediatype.Current, "1.0.0", func(theirs *v1.Manifest) { theirs.Layers = m.Layers })
			d.take(d.entries(mediatype.Current, "1.1.0")...)
		}, "", "promote"},
		{"no statement", func(h *signedRegistry) {
			d := h.disk()
			d.take(append(d.entries(mediatype.Current, "1.0.0"), d.entries(mediatype.Current, "1.1.0")...)...)
		}, "", "slipstick promote " + beam + " 1.1.0 --sign KEY"},
		{"a statement that cannot be read", func(h *signedRegistry) {
			d := h.disk()
			d.must(os.Remove(d.blob(d.entries(mediatype.Current, "1.1.0")[0].Digest)))
		}, "", "cannot be read"},
		{"the release cannot be read", func(h *signedRegistry) {
			d := h.disk()
			x := d.index()
			d.write(d.blob(d.entry(&x, "1.1.0").Digest), []byte("damaged"))
		}, "1.1.0", ""},
		{"yanked by its publisher", func(h *signedRegistry) { h.setState("1.1.0", evidence.Yanked, time.Now()) }, "1.0.0", ""},
		{"yanked and reinstated", func(h *signedRegistry) {
			h.setState("1.1.0", evidence.Yanked, time.Now())
			h.setState("1.1.0", evidence.Active, time.Now())
		}, "1.0.0", ""},
		{"all yanked, one reinstated", func(h *signedRegistry) {
			h.setState("1.0.0", evidence.Yanked, time.Now())
			h.setState("1.1.0", evidence.Yanked, time.Now())
			h.setState("1.1.0", evidence.Active, time.Now())
		}, "", ""},
		{"published without a signature", func(h *signedRegistry) { publish(h.t, h.by(nil), candidate(beam, "1.2.0")) }, "1.1.0", ""},
		{"an old line is published after the tag was set back", func(h *signedRegistry) {
			h.disk().retag("1.0.0")
			publish(h.t, h.by(h.publisher), candidate(beam, "1.0.1"))
		}, "1.1.0", ""},
		{"a newer one is published after that", func(h *signedRegistry) {
			h.disk().retag("1.0.0")
			publish(h.t, h.by(h.publisher), candidate(beam, "1.2.0"))
		}, "1.2.0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newSignedRegistry(t)
			tt.change(h)
			c := h.beam()
			if c.Current != tt.current || !mentions(c.Problem, tt.problem) {
				t.Errorf("current %q, problem %v; want %q and %q", c.Current, c.Problem, tt.current, tt.problem)
			}
			mustServe(t, release(c, "1.0.0")) // pinned calls still work
		})
	}
}

// A registry without signatures is served unless signatures are required. Where they are
// required, signing and promoting its versions is enough.
func TestCurrentOfUnsignedRegistry(t *testing.T) {
	h := newSignedRegistry(t)
	h.dir = filepath.Join(t.TempDir(), "registry")
	for _, version := range []string{"1.0.0", "1.1.0"} {
		publish(t, h.by(nil), candidate(beam, version))
	}
	h.promote(nil, "1.0.0")
	if c := capability(t, h.by(nil), beam); c.Current != "1.0.0" || c.Problem != nil || c.Sequenced {
		t.Errorf("current %q, %v", c.Current, c.Problem)
	}
	sign := func(version string) {
		t.Helper()
		if _, err := h.by(h.publisher).SignRelease(t.Context(), beam, version); err != nil {
			t.Fatal(err)
		}
	}
	sign("1.1.0")
	if c := h.beam(); c.Current != "" || !errors.Is(c.Problem, registry.ErrNoCurrent) {
		t.Errorf("current %q, %v", c.Current, c.Problem)
	}
	sign("1.0.0") // the tag current points to it
	if c := h.beam(); c.Current != "1.0.0" || c.Problem != nil || c.Sequence != 1 {
		t.Errorf("current %q by %d, %v", c.Current, c.Sequence, c.Problem)
	}
	h.promote(nil, "1.1.0")
	sign("1.1.0") // a statement makes another version current, and that stays
	if c := h.beam(); c.Current != "1.0.0" || c.Problem != nil {
		t.Errorf("current %q, %v", c.Current, c.Problem)
	}
}

// All signed records of a history share one sequence. A stored record without a number is
// older than every record with one.
func TestSequence(t *testing.T) {
	h := newSignedRegistry(t) // statements 1 and 2 made each version current
	h.setState("1.0.0", evidence.Deprecated, since)
	h.setState("1.1.0", evidence.Yanked, since) // statement 4; statement 5 makes 1.0.0 current
	h.setState("1.1.0", evidence.Active, since)
	h.promote(h.publisher, "1.1.0")
	c := h.beam()
	if c.Sequence != 7 || c.Current != "1.1.0" || !c.Sequenced {
		t.Errorf("current %s by %d", c.Current, c.Sequence)
	}
	if n := release(c, "1.0.0").Lifecycle.Sequence; n != 3 {
		t.Errorf("1.0.0 is deprecated by %d", n)
	}
	unsigned := capability(t, h.by(nil), beam)
	if unsigned.Sequence != 0 || unsigned.Sequenced {
		t.Errorf("without a trust file: %d", unsigned.Sequence)
	}
}

// Publishers who work at the same time take turns, and never use one number twice.
func TestSequenceOfManyPublishers(t *testing.T) {
	h := newSignedRegistry(t)
	r := h.by(h.publisher)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			var err error
			if i%2 == 0 {
				err = r.Promote(t.Context(), beam, []string{"1.0.0", "1.1.0"}[i/2%2])
			} else {
				err = r.SetLifecycle(t.Context(), beam, "1.0.0", lifecycle(evidence.Deprecated))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := map[uint64]bool{}
	c := h.beam()
	for _, rel := range c.Releases {
		for _, e := range rel.Evidence {
			switch {
			case e.Lead != nil:
				seen[e.Lead.Sequence] = true
			case e.Lifecycle != nil:
				seen[e.Lifecycle.Sequence] = true
			}
		}
	}
	if len(seen) != 8 || c.Sequence != 8 || c.Problem != nil {
		t.Errorf("numbers %v, last %d, %v", seen, c.Sequence, c.Problem)
	}
}

// Two registries with different publishers are merged, so one number has two statements. That
// is damage until a publisher signs again.
func TestOneNumberTwice(t *testing.T) {
	h := newSignedRegistry(t)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(h.dir)); err != nil {
		t.Fatal(err)
	}
	h.promote(h.publisher, "1.0.0")
	other := disk{t, filepath.Join(copied, beam)}
	there := *h
	there.dir = copied
	there.setState("1.0.0", evidence.Deprecated, time.Now())
	d := h.disk()
	twin := other.entries(mediatype.Lifecycle, "1.0.0")[0]
	var m v1.Manifest
	d.must(json.Unmarshal(other.read(other.blob(twin.Digest)), &m))
	for _, b := range append(m.Layers, m.Config) {
		d.write(d.blob(b.Digest), other.read(other.blob(b.Digest)))
	}
	d.write(d.blob(twin.Digest), other.read(other.blob(twin.Digest)))
	d.edit(func(x *v1.Index) { x.Manifests = append(x.Manifests, twin) })
	if c := h.beam(); !mentions(c.Problem, "sequence number 3 at the same time") {
		t.Errorf("problem %v", c.Problem)
	}
	h.promote(h.publisher, "1.0.0")
	if c := h.beam(); c.Problem != nil || c.Sequence != 4 {
		t.Errorf("%d, %v", c.Sequence, c.Problem)
	}
}

// strictly reads the registry as a server does that starts with this memory.
func (h *signedRegistry) strictly(file string) registry.Capability {
	h.t.Helper()
	t, ok := h.t.(*testing.T)
	if !ok {
		h.t.Fatal("only for tests")
	}
	return remembered(t, h.strict(), file)
}

// A server never goes back in a history, also after a restart. A server without its memory
// trusts the signatures.
func TestMemoryOfLife(t *testing.T) {
	for _, tt := range []struct {
		name    string
		say     func(*signedRegistry)
		back    func(*signedRegistry) // the change by the attacker
		current string
		state   evidence.State // of 1.0.0
		problem string
		forgot  string // current version without the memory
	}{
		{"the statement is taken away", func(h *signedRegistry) {
			h.promote(h.publisher, "1.0.0")
			h.promote(h.publisher, "1.1.0")
		}, func(h *signedRegistry) { d := h.disk(); d.take(d.entries(mediatype.Current, "1.1.0")...) },
			"1.1.0", evidence.Active, "by the signed statement 4", "1.0.0"},
		{"a yank is taken away", func(h *signedRegistry) { h.setState("1.0.0", evidence.Yanked, time.Now()) },
			func(h *signedRegistry) { h.drop(mediatype.Lifecycle) }, "1.1.0", evidence.Yanked, "version 1.0.0 is yanked by the signed record 3", "1.1.0"},
		{"all statements are taken away", func(h *signedRegistry) { h.setState("1.0.0", evidence.Deprecated, time.Now()) },
			func(h *signedRegistry) {
				h.drop(mediatype.Lifecycle)
				d := h.disk()
				d.take(append(d.entries(mediatype.Current, "1.0.0"), d.entries(mediatype.Current, "1.1.0")...)...)
			}, "1.1.0", evidence.Deprecated, "by the signed statement 2", ""},
		{"a revocation is taken away, and its heir", func(h *signedRegistry) { h.setState("1.1.0", evidence.Revoked, time.Now()) },
			func(h *signedRegistry) {
				d := h.disk()
				d.take(d.entries(mediatype.Lifecycle, "1.1.0")...)
				d.take(d.entries(mediatype.Current, "1.0.0")[1:]...)
			}, "1.0.0", evidence.Active, "version 1.1.0 was revoked", "1.1.0"},
		{"nothing", func(h *signedRegistry) { h.setState("1.0.0", evidence.Deprecated, time.Now()) },
			func(h *signedRegistry) { h.setState("1.0.0", evidence.Active, time.Now()) }, "1.1.0", evidence.Active, "", "1.1.0"},
		{"withdrawn and reinstated between two looks", func(*signedRegistry) {},
			func(h *signedRegistry) {
				h.setState("1.0.0", evidence.Yanked, time.Now())
				h.setState("1.1.0", evidence.Yanked, time.Now())
				h.setState("1.1.0", evidence.Active, time.Now())
			}, "", evidence.Yanked, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newSignedRegistry(t)
			file := filepath.Join(t.TempDir(), "seen.json")
			h.strictly(file)
			tt.say(h)
			h.strictly(file)
			tt.back(h)
			for range 2 { // refused data is not remembered either
				c := h.strictly(file)
				if c.Current != tt.current || !mentions(c.Problem, tt.problem) || release(c, "1.0.0").State() != tt.state {
					t.Errorf("current %q, 1.0.0 is %s, problem %v; want %q, %s and %q", c.Current, release(c, "1.0.0").State(), c.Problem, tt.current, tt.state, tt.problem)
				}
			}
			if c := h.strictly(filepath.Join(t.TempDir(), "lost.json")); c.Current != tt.forgot {
				t.Errorf("without the memory current is %q, want %q", c.Current, tt.forgot)
			}
		})
	}
}

// A memory file without histories can be read, and is rewritten with histories.
func TestEarlierMemoryFormat(t *testing.T) {
	h := newSignedRegistry(t)
	file := filepath.Join(t.TempDir(), "seen.json")
	was := h.release("1.1.0").Digest
	old := fmt.Appendf(nil, `{%q:{"1.0.0":{"digest":"sha256:%s"},"1.1.0":{"digest":%q,"revoked":"wrong"}}}`, beam, zeros, was)
	if err := os.WriteFile(file, old, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c := h.strictly(file)
		if rel := release(c, "1.0.0"); !mentions(rel.Problem, "first seen here") {
			t.Errorf("1.0.0: %v", rel.Problem)
		}
		if rel := release(c, "1.1.0"); rel.State() != evidence.Revoked {
			t.Errorf("1.1.0 is %s", rel.State())
		}
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), `"format": 2`) {
		t.Errorf("%s, %v", data, err)
	}
	for _, bad := range []string{`{"format":3,"capabilities":{}}`, `{"format":2,"capabilities":{"a.b":null}}`, `{"format":2`, `[]`} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := registry.OpenMemory(file); err == nil || !strings.Contains(err.Error(), "remove it to start again") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
