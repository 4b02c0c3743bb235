package registry_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
)

var since = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

func lifecycle(state evidence.State) evidence.Lifecycle {
	return evidence.Lifecycle{State: state, Reason: "because", Since: since}
}

func set(t *testing.T, r *registry.Registry, version string, s evidence.Lifecycle) {
	t.Helper()
	if err := r.SetLifecycle(t.Context(), beam, version, s); err != nil {
		t.Fatal(err)
	}
}

// three publishes 1.0.0, 1.1.0 and 2.0.0-rc.1; 1.1.0 is current.
func three(t *testing.T) (*registry.Registry, string) {
	t.Helper()
	r, dir := open(t)
	for _, v := range []string{"1.0.0", "1.1.0", "2.0.0-rc.1"} {
		publish(t, r, candidate(beam, v))
	}
	return r, dir
}

func TestLifecycleIsRead(t *testing.T) {
	r, _ := three(t)
	want := evidence.Lifecycle{State: evidence.Deprecated, Reason: "older constants", Sunset: "2027-06-30", Successor: "1.1.0", Since: since}
	set(t, r, "1.0.0", lifecycle(evidence.Yanked))
	set(t, r, "1.0.0", want) // the last record counts
	c := capability(t, r, beam)
	if got := release(c, "1.0.0").Lifecycle; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if s := release(c, "1.1.0").Lifecycle; s.State != evidence.Active || c.Problem != nil || c.Current != "1.1.0" {
		t.Errorf("1.1.0 is %v; current %s; %v", s, c.Current, c.Problem)
	}
}

// The time since which a version is current is known if it was promoted. It is not known if
// the version became current with its publication.
func TestPromotionIsDated(t *testing.T) {
	r, dir := three(t)
	if c := capability(t, r, beam); c.Current != "1.1.0" || !c.Promoted.IsZero() {
		t.Errorf("published: current %s since %v", c.Current, c.Promoted)
	}
	before := time.Now()
	if err := r.Promote(t.Context(), beam, "1.0.0"); err != nil {
		t.Fatal(err)
	}
	promoted := capability(t, r, beam)
	if promoted.Current != "1.0.0" || promoted.Promoted.Before(before) || promoted.Promoted.After(time.Now()) {
		t.Errorf("promoted: current %s since %v", promoted.Current, promoted.Promoted)
	}
	set(t, r, "1.1.0", lifecycle(evidence.Deprecated)) // current does not move
	again, err := registry.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := capability(t, again, beam); !c.Promoted.Equal(promoted.Promoted) {
		t.Errorf("read again: since %v, and not %v", c.Promoted, promoted.Promoted)
	}
	set(t, r, "1.0.0", lifecycle(evidence.Yanked)) // 1.1.0 becomes current
	if c := capability(t, r, beam); c.Current != "1.1.0" || !c.Promoted.Equal(since) {
		t.Errorf("yanked: current %s since %v", c.Current, c.Promoted)
	}
	publish(t, r, candidate(beam, "1.2.0"))
	if c := capability(t, r, beam); c.Current != "1.2.0" || !c.Promoted.IsZero() {
		t.Errorf("published later: current %s since %v", c.Current, c.Promoted)
	}
}

// A record that repeats an earlier one, to the second, is still the last one.
func TestRepeatedLifecycleRecord(t *testing.T) {
	for name, open := range map[string]func(*signedRegistry) *registry.Registry{
		"unsigned": func(h *signedRegistry) *registry.Registry { return h.by(nil) }, "signed": func(h *signedRegistry) *registry.Registry { return h.by(h.publisher) },
	} {
		h := newSignedRegistry(t)
		for _, state := range []evidence.State{evidence.Yanked, evidence.Active, evidence.Yanked} {
			set(t, open(h), "1.0.0", lifecycle(state))
		}
		read := h.by(nil)
		if name == "signed" {
			read = h.strict()
		}
		if s := release(capability(t, read, beam), "1.0.0").Lifecycle; s.State != evidence.Yanked {
			t.Errorf("%s: yanked, reinstated and yanked again is %s", name, s.State)
		}
	}
}

// Current never points to a yanked or revoked version, nor to a pre-release.
func TestCurrentLeavesWhatIsWithdrawn(t *testing.T) {
	for _, state := range []evidence.State{evidence.Yanked, evidence.Revoked} {
		r, _ := three(t)
		for _, step := range []struct{ version, current string }{{"1.1.0", "1.0.0"}, {"1.0.0", ""}} {
			set(t, r, step.version, lifecycle(state))
			if c := capability(t, r, beam); c.Current != step.current || c.Problem != nil {
				t.Errorf("after %s %s current is %q, want %q; %v", state, step.version, c.Current, step.current, c.Problem)
			}
		}
		publish(t, r, candidate(beam, "1.2.0"))
		if c := capability(t, r, beam); c.Current != "1.2.0" {
			t.Errorf("a new version after all were %s: current %q", state, c.Current)
		}
	}
}

func TestDeprecatedStaysCurrent(t *testing.T) {
	r, _ := three(t)
	set(t, r, "1.1.0", lifecycle(evidence.Deprecated))
	if c := capability(t, r, beam); c.Current != "1.1.0" {
		t.Errorf("current %q", c.Current)
	}
}

func TestPromote(t *testing.T) {
	r, _ := three(t)
	if err := r.Promote(t.Context(), beam, "1.0.0"); err != nil {
		t.Fatal(err)
	}
	if c := capability(t, r, beam); c.Current != "1.0.0" || !slices.Equal(versionsOf(c), []string{"2.0.0-rc.1", "1.1.0", "1.0.0"}) {
		t.Errorf("current %q of %v", c.Current, versionsOf(c))
	}
	unreported := candidate(beam, "1.3.0")
	unreported.Report = nil
	publish(t, r, unreported)
	set(t, r, "1.1.0", lifecycle(evidence.Yanked))
	for version, why := range map[string]string{"2.0.0-rc.1": "pre-release", "1.3.0": "conformance report", "1.1.0": "yanked", "9.9.9": "not published"} {
		if err := r.Promote(t.Context(), beam, version); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("promote %s: %v, want something about %s", version, err, why)
		}
	}
	set(t, r, "1.1.0", evidence.Lifecycle{State: evidence.Active, Since: since})
	if err := r.Promote(t.Context(), beam, "1.1.0"); err != nil {
		t.Errorf("after it is active again: %v", err)
	}
}

func TestRefusedLifecycles(t *testing.T) {
	r, _ := three(t)
	set(t, r, "1.0.0", lifecycle(evidence.Revoked))
	for _, tt := range []struct {
		version string
		s       evidence.Lifecycle
		why     string
	}{
		{"1.0.0", evidence.Lifecycle{State: evidence.Active}, "final"},
		{"1.1.0", evidence.Lifecycle{State: "retired", Reason: "x"}, "unknown state"},
		{"1.1.0", evidence.Lifecycle{State: evidence.Yanked}, "needs a reason"},
		{"1.1.0", evidence.Lifecycle{State: evidence.Yanked, Reason: strings.Repeat("x", 501)}, "at most 500"},
		{"1.1.0", evidence.Lifecycle{State: evidence.Yanked, Reason: "x", Sunset: "2027-01-01"}, "only a deprecated"},
		{"1.1.0", evidence.Lifecycle{State: evidence.Deprecated, Reason: "x", Sunset: "June"}, "not a date"},
		{"1.1.0", evidence.Lifecycle{State: evidence.Deprecated, Reason: "x", Successor: "7.0.0"}, "not another published"},
		{"1.1.0", evidence.Lifecycle{State: evidence.Deprecated, Reason: "x", Successor: "1.1.0"}, "not another published"},
		{"7.0.0", lifecycle(evidence.Yanked), "not published"},
	} {
		if err := r.SetLifecycle(t.Context(), beam, tt.version, tt.s); err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s %+v: %v, want something about %s", tt.version, tt.s, err, tt.why)
		}
	}
	if err := r.SetLifecycle(t.Context(), "test.no.such", "1.0.0", lifecycle(evidence.Yanked)); err == nil {
		t.Error("a capability that is not published was yanked")
	}
}

// A release is not served if a record about it cannot be read, because that could be a
// revocation.
func TestDamagedLifecycleIsNotServed(t *testing.T) {
	r, dir := three(t)
	set(t, r, "1.0.0", lifecycle(evidence.Revoked))
	d := disk{t, filepath.Join(dir, beam)}
	x := d.index()
	record := x.Manifests[slices.IndexFunc(x.Manifests, func(m v1.Descriptor) bool { return m.ArtifactType == mediatype.Lifecycle })]
	d.write(d.blob(record.Digest), []byte("{}"))
	if rel := release(capability(t, r, beam), "1.0.0"); rel.Problem == nil || !strings.Contains(rel.Problem.Error(), "its lifecycle cannot be read") {
		t.Errorf("problem %v", rel.Problem)
	}
}

// If the tag current is pointed at a withdrawn version, there is no current version.
func TestCurrentForgedOntoWithdrawn(t *testing.T) {
	r, dir := three(t)
	set(t, r, "1.1.0", lifecycle(evidence.Revoked))
	d := disk{t, filepath.Join(dir, beam)}
	d.edit(func(x *v1.Index) {
		revoked, current := *d.entry(x, "1.1.0"), d.entry(x, store.CurrentTag)
		current.Digest, current.Size = revoked.Digest, revoked.Size
	})
	if c := capability(t, r, beam); c.Current != "" || c.Problem == nil || !strings.Contains(c.Problem.Error(), "revoked") {
		t.Errorf("current %q, problem %v", c.Current, c.Problem)
	}
}
