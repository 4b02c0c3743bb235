package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/transparency"
)

// Two capabilities claim the tool id beam. In the order of ids squat is the first.
const squat = "aaa.evil.squat"

// rivals is a registry in which both claim it, with the signers.
type rivals struct {
	t             testing.TB
	dir           string
	desk, mallory *sign.Signer
	tools         map[string][]string // of the keys in the trust file, by name
}

// newRivals publishes beam, and the squatter later. A capability is signed only if its flag is
// set.
func newRivals(t testing.TB, deskSigns, mallorySigns bool, later time.Duration) *rivals {
	t.Helper()
	r := &rivals{t: t, dir: filepath.Join(t.TempDir(), "registry"), desk: key(t), mallory: key(t), tools: map[string][]string{}}
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r.publish(beam, r.desk, deskSigns, created)
	r.publish(squat, r.mallory, mallorySigns, created.Add(later))
	return r
}

// publish adds a capability without any check, as anyone with write access can.
func (r *rivals) publish(id string, by *sign.Signer, signs bool, created time.Time) {
	r.t.Helper()
	elsewhere := filepath.Join(r.t.TempDir(), "registry")
	options := new(registry.Options)
	if signs {
		options.Signer = by
	}
	to, err := registry.Open(elsewhere, options)
	if err != nil {
		r.t.Fatal(err)
	}
	c := candidate(id, "1.0.0")
	c.Spec.Tool, c.Created = "beam", created
	publish(r.t, to, c)
	if err := os.CopyFS(filepath.Join(r.dir, id), os.DirFS(filepath.Join(elsewhere, id))); err != nil {
		r.t.Fatal(err)
	}
}

// trust returns a trust file in which each key may publish the capability that it has
// published.
func (r *rivals) trust() *sign.Trust {
	h := &signedRegistry{t: r.t, keys: []sign.Key{
		{Name: "desk", PublicKey: r.desk.PublicKey(), Roles: []sign.Role{sign.Publishes}, Capabilities: []string{"mechanical.*"}, Tools: r.tools["desk"]},
		{Name: "mallory", PublicKey: r.mallory.PublicKey(), Roles: []sign.Role{sign.Publishes}, Capabilities: []string{"aaa.*"}, Tools: r.tools["mallory"]},
	}}
	return h.trust()
}

// read reads the registry.
func (r *rivals) read(required bool) []registry.Capability {
	r.t.Helper()
	reg, err := registry.Open(r.dir, &registry.Options{Trust: r.trust(), RequireSignatures: required})
	if err != nil {
		r.t.Fatal(err)
	}
	list, err := reg.Capabilities(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// assigned returns the owner of the tool id beam, and the errors of the others.
func assigned(t testing.TB, n *registry.Names, list []registry.Capability) (owner, refusal string) {
	t.Helper()
	list, err := n.Assign(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if slices.Contains(c.Tools, "beam") {
			owner += c.ID
		}
		var taken *registry.TakenError
		if errors.As(c.Problem, &taken) {
			refusal += taken.Error()
		}
		for _, rel := range c.Releases {
			if called := rel.Spec.Tool; rel.Spec.Capability != "" && called != c.ID && !slices.Contains(c.Tools, called) {
				t.Errorf("%s is called %s", c.ID, called)
			}
			if rel.Spec.Capability != "" && rel.EngineSpec().Tool != "beam" {
				t.Errorf("the engine of %s has the tool id %s", c.ID, rel.EngineSpec().Tool)
			}
		}
	}
	return owner, refusal
}

func TestNameByClaims(t *testing.T) {
	vouch := func(n *registry.Names, id string) {
		n.AdoptLog(registry.LoggedIn(logOf(t, transparency.Entry{Kind: transparency.Published, Capability: id, Version: "1.0.0", Tool: "beam"})))
	}
	for _, tt := range []struct {
		name           string
		desk, mallory  bool // whether they sign
		later          time.Duration
		tools          map[string][]string
		logged         string
		owner, refusal string
	}{
		{"the first", false, false, time.Hour, nil, "", beam, "version 1.0.0 names the tool id beam, which belongs to " + beam + " (it was the first, on 2026-03-01T12:00:00Z): it is called by the id " + squat + " alone"},
		{"the first, signed", true, true, -time.Hour, nil, "", squat, "version 1.0.0 names the tool id beam, which belongs to " + squat + " (it was the first"},
		{"at the same time", true, true, 0, nil, "", squat, "the order of the ids decides"},
		{"signed", true, false, -time.Hour, nil, "", beam, "a trusted key has signed it"},
		{"the log", true, true, -time.Hour, nil, beam, beam, "the first that names it in the log"},
		{"the log against a signature", false, true, -time.Hour, nil, beam, beam, "the first that names it in the log"},
		{"the trust file lists it", true, true, -time.Hour, map[string][]string{"desk": {"beam"}}, "", beam, "the trust file keeps it for desk"},
		{"the trust file against the log", true, true, -time.Hour, map[string][]string{"desk": {"other-*", "*"}}, squat, beam, "the trust file keeps it for desk"},
		{"the trust file lists it at both", true, true, -time.Hour, map[string][]string{"desk": {"beam"}, "mallory": {"*"}}, "", squat, "it was the first"},
		{"the trust file limits the other", true, true, -time.Hour, map[string][]string{"mallory": {"evil-*"}}, "", beam, `the trust file lists other tools at the key "mallory"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRivals(t, tt.desk, tt.mallory, tt.later)
			r.tools = tt.tools
			n := new(registry.Names)
			if tt.logged != "" {
				vouch(n, tt.logged)
			}
			if owner, refusal := assigned(t, n, r.read(false)); owner != tt.owner || !strings.Contains(refusal, tt.refusal) {
				t.Errorf("it belongs to %q, and the error of the other is %q, not %q", owner, refusal, tt.refusal)
			}
		})
	}
}

// An untrusted or damaged release takes no tool id from a sound one, also if it would come
// first. The same holds for a release out of the scope of its key. They are not remembered
// either.
func TestNamesNothing(t *testing.T) {
	layout := func(r *rivals) disk { return disk{r.t, filepath.Join(r.dir, squat)} }
	for _, tt := range []struct {
		name    string
		signed  bool
		damage  func(*rivals)
		refusal bool
		another bool // the tool id is its own if no other capability claims it
	}{
		{"not signed", false, nil, false, true},
		{"out of the key's capabilities", true, func(r *rivals) { r.dir = deskSignsAll(r) }, false, true},
		{"out of the key's tools", true, func(r *rivals) { r.tools["mallory"] = []string{"evil-*"} }, true, false},
		{"an index that is none", true, func(r *rivals) { layout(r).write(layout(r).path("index.json"), []byte("{")) }, false, false},
		{"a Spec that cannot be read", true, func(r *rivals) {
			d := layout(r)
			d.write(d.blob(d.manifest("1.0.0").Config.Digest), []byte("{}"))
		}, false, false},
		{"the Spec of another", true, func(r *rivals) {
			d := layout(r)
			d.forge("1.0.0", func(m *v1.Manifest) { m.Config = disk{r.t, filepath.Join(r.dir, beam)}.manifest("1.0.0").Config })
		}, false, false},
		{"an engine that is gone", true, func(r *rivals) {
			d := layout(r)
			d.must(os.Remove(d.blob(d.manifest("1.0.0").Layers[0].Digest)))
		}, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRivals(t, true, tt.signed, -time.Hour)
			if tt.damage != nil {
				tt.damage(r)
			}
			owner, refusal := assigned(t, new(registry.Names), r.read(true))
			if owner != beam || (refusal != "") != tt.refusal {
				t.Errorf("it belongs to %q, and the errors of the others are %q", owner, refusal)
			}
			file := filepath.Join(t.TempDir(), "tools.json")
			n, err := registry.OpenNames(file)
			if err != nil {
				t.Fatal(err)
			}
			without := slices.DeleteFunc(r.read(true), func(c registry.Capability) bool { return c.ID == beam })
			owner, _ = assigned(t, n, without)
			if (owner == squat) != tt.another {
				t.Errorf("when nobody else names it, it belongs to %q", owner)
			}
			n, err = registry.OpenNames(file)
			if err != nil {
				t.Fatal(err)
			}
			owner, _ = assigned(t, n, r.read(true))
			if owner != beam {
				t.Errorf("after that it belongs to %q", owner)
			}
		})
	}
}

// deskSignsAll returns a registry like the one of r in which the desk has signed both without
// permission.
func deskSignsAll(r *rivals) string {
	both := &rivals{t: r.t, dir: filepath.Join(r.t.TempDir(), "registry")}
	both.publish(beam, r.desk, true, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	both.publish(squat, r.desk, true, time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC))
	return both.dir
}

// The first owner keeps the tool id. Claims of others do not change that, also when the owner
// is damaged or missing, and after a restart.
func TestMemoryOfTools(t *testing.T) {
	r := newRivals(t, false, true, -time.Hour)
	file := filepath.Join(t.TempDir(), "below", "tools.json")
	restarted := func() *registry.Names {
		t.Helper()
		n, err := registry.OpenNames(file)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	only := func(id string) []registry.Capability {
		return slices.DeleteFunc(r.read(false), func(c registry.Capability) bool { return c.ID != id })
	}
	n := restarted()
	if owner, refusal := assigned(t, n, only(beam)); owner != beam || refusal != "" {
		t.Fatalf("%s, %s", owner, refusal)
	}
	r.tools["mallory"] = []string{"beam"} // a change of the trust file does not change it either
	for _, n := range []*registry.Names{n, restarted()} {
		if owner, refusal := assigned(t, n, r.read(false)); owner != beam || !strings.Contains(refusal, "it had it first, as is remembered in "+file) {
			t.Errorf("%s, %s", owner, refusal)
		}
		if !n.Took(squat, "1.0.0") || n.Took(beam, "1.0.0") {
			t.Error("who took it is not known")
		}
		if owner, refusal := assigned(t, n, only(squat)); owner != "" || refusal == "" {
			t.Errorf("while the owner is away: %s, %s", owner, refusal)
		}
		if !restarted().Took(squat, "1.0.0") {
			t.Error("who took it is not remembered")
		}
		d := disk{t, filepath.Join(r.dir, beam)}
		good := d.read(d.path("index.json"))
		d.write(d.path("index.json"), []byte("{"))
		if owner, _ := assigned(t, n, r.read(false)); owner != beam {
			t.Errorf("while the owner cannot be read: %s", owner)
		}
		d.write(d.path("index.json"), good)
		if owner, refusal := assigned(t, n, only(beam)); owner != beam || refusal != "" || n.Took(squat, "1.0.0") {
			t.Errorf("after the other disappeared: %s, %s", owner, refusal)
		}
	}
	for text, want := range map[string]string{"{": "unexpected end", `{"format":2}`: "the format 2"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := registry.OpenNames(file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// An assignment that cannot be written is still valid, and is written at the next look.
func TestMemoryOfToolsCannotBeWritten(t *testing.T) {
	r := newRivals(t, false, false, time.Hour)
	d := disk{t, t.TempDir()}
	file := d.path("below/tools.json")
	n, err := registry.OpenNames(file)
	d.must(err)
	d.write(d.path("below"), nil) // a file at the path of the directory
	if list, err := n.Assign(r.read(false)); err == nil || len(list) != 2 || !slices.Contains(list[1].Tools, "beam") {
		t.Errorf("%+v, %v", list, err)
	}
	d.must(os.Remove(d.path("below")))
	if owner, _ := assigned(t, n, r.read(false)); owner != beam {
		t.Error(owner)
	}
	if data := d.read(file); !strings.Contains(string(data), beam) {
		t.Errorf("remembered: %s", data)
	}
}

// A capability can publish under its own tool id, also when others claim it.
func TestPublishWithSquatter(t *testing.T) {
	r := newRivals(t, false, false, -time.Hour)
	reg, err := registry.Open(r.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	publish(t, reg, candidate(beam, "1.1.0"))
	third := candidate("other.one.thing", "1.0.0")
	third.Spec.Tool = "beam"
	if _, err := reg.Publish(t.Context(), third); err == nil || !strings.Contains(err.Error(), "the tool id beam belongs to "+squat) {
		t.Errorf("a third: %v", err)
	}
}

// A mirror removes exactly the capability that it should not have.
func TestDrop(t *testing.T) {
	r := newRivals(t, false, false, time.Hour)
	reg, err := registry.Open(r.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, it is absent already
		if err := reg.Drop(t.Context(), squat); err != nil {
			t.Fatal(err)
		}
		if names, err := reg.Names(t.Context()); err != nil || !slices.Equal(names, []string{beam}) {
			t.Errorf("%v, %v", names, err)
		}
	}
	if err := reg.Drop(t.Context(), "../registry"); err == nil {
		t.Error("a path was dropped")
	}
}

// A capability that may disappear leaves no problem. The absence of any other one is damage.
func TestFollowLetsGo(t *testing.T) {
	r := newRivals(t, false, false, time.Hour)
	reg, err := registry.Open(r.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(r.dir, "zzz.empty.one"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := reg.Follow()
	f.AllowRemoval(func(rel *registry.Release) bool { return rel.Capability == squat })
	see := func(want int) []registry.Capability {
		t.Helper()
		list, changed, err := f.Look(t.Context())
		if err != nil || !changed || len(list) != want {
			t.Fatalf("%d capabilities, changed %v, %v", len(list), changed, err)
		}
		return list
	}
	see(3)
	for _, removed := range [][]string{{squat, "zzz.empty.one"}, {beam}} {
		for _, id := range removed {
			if err := os.RemoveAll(filepath.Join(r.dir, id)); err != nil {
				t.Fatal(err)
			}
		}
		list := see(1)
		if list[0].ID != beam || mentions(list[0].Problem, "") != (removed[0] == squat) {
			t.Errorf("left: %s, %v", list[0].ID, list[0].Problem)
		}
		if _, changed, err := f.Look(t.Context()); changed || err != nil {
			t.Errorf("at the next look: changed %v, %v", changed, err)
		}
	}
}
