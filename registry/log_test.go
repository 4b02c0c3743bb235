package registry_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/transparency"
)

// logOf returns a log with the entries.
func logOf(t testing.TB, entries ...transparency.Entry) *transparency.Log {
	t.Helper()
	l, err := transparency.New("test")
	if err == nil {
		l, err = l.Append(time.Now(), entries)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// clock is a time that advances by a day with each write.
type clock struct{ now time.Time }

func (c *clock) tick() time.Time {
	c.now = c.now.AddDate(0, 0, 1)
	return c.now
}

// logging returns the registry of a writer with this clock, who signs with the key unless it
// is nil.
func (h *signedRegistry) logging(k *sign.Signer, c *clock) *registry.Registry {
	h.t.Helper()
	r, err := registry.Open(h.dir, &registry.Options{Signer: k, Now: c.tick})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func logged(t testing.TB, r *registry.Registry, o *registry.LogUpdate) *transparency.Log {
	t.Helper()
	l, _, err := r.UpdateLog(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// problemsUnder returns the errors of capabilities that lag the log.
func problemsUnder(l *transparency.Log, list ...registry.Capability) error {
	var errs []error
	for _, c := range registry.LoggedIn(l).Apply(list) {
		errs = append(errs, c.Problem)
	}
	return errors.Join(errs...)
}

// entryTexts lists the entries of a log, from one on.
func entryTexts(l *transparency.Log, from int) string {
	var lines []string
	for _, e := range l.Entries()[from:] {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Kind, e.Version, e.State)))
	}
	return strings.Join(lines, ", ")
}

// Every change of a registry has an entry in the log with its kind and version.
func TestLogOfEverything(t *testing.T) {
	t.Parallel()
	h, c := newSignedRegistry(t), &clock{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	desk := h.logging(h.publisher, c)
	if _, _, err := desk.UpdateLog(t.Context(), nil); !errors.Is(err, registry.ErrNoLog) {
		t.Errorf("no log: %v", err)
	}
	l := logged(t, desk, &registry.LogUpdate{Create: true, Valid: time.Hour})
	if !strings.HasPrefix(entryTexts(l, 0), "release 1.0.0, release 1.1.0, ") || strings.Count(entryTexts(l, 0), "current") != 2 {
		t.Errorf("the beginning: %s", entryTexts(l, 0))
	}
	for _, step := range []struct {
		name       string
		do         func() error
		entryTexts string
	}{
		{"publish", func() error { _, err := desk.Publish(t.Context(), candidate(beam, "1.2.0")); return err }, "release 1.2.0, signature 1.2.0, report 1.2.0, current 1.2.0"},
		{"publish again", func() error { _, err := desk.Publish(t.Context(), candidate(beam, "1.2.0")); return err }, ""},
		{"promote", func() error { return desk.Promote(t.Context(), beam, "1.0.0") }, "current 1.0.0"},
		{"yank", func() error {
			return desk.SetLifecycle(t.Context(), beam, "1.0.0", evidence.Lifecycle{State: evidence.Yanked, Reason: "wrong", Since: c.now})
		}, "standing 1.0.0 yanked, current 1.2.0"},
		{"sign", func() error { _, err := desk.SignRelease(t.Context(), beam, "1.0.0"); return err }, "signature 1.0.0"},
		{"by another key, which does not keep the log", func() error { return h.logging(h.stranger, c).Promote(t.Context(), beam, "1.1.0") }, ""},
		{"and who keeps it next", func() error {
			return desk.SetLifecycle(t.Context(), beam, "1.0.0", evidence.Lifecycle{State: evidence.Active, Since: c.now})
		}, "standing 1.0.0 active, current 1.1.0"},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		next, err := desk.Log(l)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		got := entryTexts(next, len(l.Entries()))
		if sorted(got) != sorted(step.entryTexts) {
			t.Errorf("%s: %s, want %s", step.name, got, step.entryTexts)
		}
		if err := next.Continues(l.Checkpoint()); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		l = next
	}
	if by, err := h.strict().Endorsement(l); err != nil || by.By != "publisher" {
		t.Errorf("the checkpoint is signed by %q, %v", by.By, err)
	}
	if got := l.Checkpoint().Valid(); got != time.Hour {
		t.Errorf("it counts for %s", got)
	}
	if _, _, err := h.logging(nil, c).UpdateLog(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "give the key") {
		t.Errorf("without the key: %v", err)
	}
}

func sorted(list string) string {
	parts := strings.Split(list, ", ")
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// The history of the current version follows from the log.
func TestHistory(t *testing.T) {
	t.Parallel()
	h, c := newSignedRegistry(t), &clock{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	desk := h.logging(h.publisher, c)
	logged(t, desk, &registry.LogUpdate{Create: true}) // on 2 March
	publish(t, desk, candidate(beam, "1.2.0"))         // 3
	h.disk().retag("1.0.0")
	logged(t, desk, nil) // statement 4: an unsigned tag
	if err := desk.SetLifecycle(t.Context(), beam, "1.2.0", evidence.Lifecycle{State: evidence.Revoked, Reason: "wrong", Since: c.now}); err != nil {
		t.Fatal(err) // 5
	}
	l, err := desk.Log(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []struct {
		name string
		r    *registry.Registry
		want []string // for each day from 1 March on
	}{
		{"who trusts all writers", h.by(nil), []string{"", "1.1.0", "1.2.0", "1.0.0", "1.1.0"}},
		{"who trusts keys", h.strict(), []string{"", "1.1.0", "1.2.0", "1.2.0", "1.1.0"}},
	} {
		list, err := who.r.Capabilities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, served := range registry.LoggedIn(l).Apply(list) {
			if served.Problem != nil {
				t.Errorf("%s: %v", who.name, served.Problem)
			}
			for i, want := range who.want {
				at := time.Date(2026, 3, 1+i, 0, 0, 0, 0, time.UTC)
				if got := served.History.At(at); got != want {
					t.Errorf("%s: on %s %q was current, want %q", who.name, at.Format(time.DateOnly), got, want)
				}
				if got := served.History.At(at.Add(-time.Second)); i > 0 && got != who.want[i-1] {
					t.Errorf("%s: before %s %q was current", who.name, at.Format(time.DateOnly), got)
				}
			}
		}
	}
}

func (h *signedRegistry) setState(version string, state evidence.State, at time.Time) {
	h.t.Helper()
	if err := h.by(h.publisher).SetLifecycle(h.t.Context(), beam, version, evidence.Lifecycle{State: state, Reason: "wrong", Since: at}); err != nil {
		h.t.Fatal(err)
	}
}

// all returns every capability, for a reader who trusts only the keys of the fixture.
func (h *signedRegistry) all() []registry.Capability {
	h.t.Helper()
	list, err := h.strict().Capabilities(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// G5: a registry that was reset to an older copy lags its log, even if everything in it is
// signed. A registry that is ahead of its log does not.
func TestRegistryLagsLog(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, tt := range []struct {
		name   string
		before func(*signedRegistry) // before the copy is made
		after  func(*signedRegistry) // after the copy; then the log is made, and the copy is restored
		why    string
	}{
		{"a version is gone", nil, func(h *signedRegistry) { publish(h.t, h.by(h.publisher), candidate(beam, "1.2.0")) }, "1.2.0 is gone"},
		{"a revocation is gone", nil, func(h *signedRegistry) { h.setState("1.0.0", evidence.Revoked, now) }, "1.0.0 was revoked, and is active"},
		{"a yank is gone, and current was set back", nil, func(h *signedRegistry) { h.setState("1.1.0", evidence.Yanked, now) }, "was yanked, and is active"},
		{"a capability is gone", nil, func(h *signedRegistry) { publish(h.t, h.by(h.publisher), candidate(cable, "1.0.0")) }, "it is gone from the registry"},
		{"current is older", func(h *signedRegistry) { h.promote(h.publisher, "1.0.0") }, func(h *signedRegistry) { h.promote(h.publisher, "1.1.0") }, "current was 1.1.0, and is 1.0.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newSignedRegistry(t)
			if tt.before != nil {
				tt.before(h)
			}
			copied := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(copied, os.DirFS(h.dir)); err != nil {
				t.Fatal(err)
			}
			tt.after(h)
			log := logged(t, h.by(h.publisher), &registry.LogUpdate{Create: true})
			if err := problemsUnder(log, h.all()...); err != nil {
				t.Errorf("the registry lags its own log: %v", err)
			}
			h.dir = copied
			mustServe(t, h.release("1.1.0")) // each signature is valid
			if err := problemsUnder(log, h.all()...); err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%v, want %q", err, tt.why)
			}
		})
	}
}

func TestAheadOfLog(t *testing.T) {
	t.Parallel()
	h := newSignedRegistry(t)
	now := time.Now().Add(-time.Hour).Truncate(time.Second)
	h.setState("1.0.0", evidence.Yanked, now)
	log := logged(t, h.by(h.publisher), &registry.LogUpdate{Create: true})
	ahead := func() {
		t.Helper()
		if err := problemsUnder(log, h.all()...); err != nil {
			t.Error(err)
		}
	}
	h.setState("1.0.0", evidence.Active, now.Add(2*time.Minute))
	h.setState("1.1.0", evidence.Revoked, now.Add(2*time.Minute)) // current moves to 1.0.0
	publish(t, h.by(h.publisher), candidate(cable, "1.0.0"))
	ahead()
	publish(t, h.by(h.publisher), candidate(beam, "2.0.0"))
	ahead()
}

// A removal on purpose is logged. From then on it is not damage.
func TestRemovedOnPurpose(t *testing.T) {
	t.Parallel()
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	publish(t, r, candidate(cable, "1.0.0"))
	logged(t, r, &registry.LogUpdate{Create: true})
	removed := &registry.LogUpdate{Removed: []string{cable}}
	if _, _, err := r.UpdateLog(t.Context(), removed); !mentions(err, "still in the registry") {
		t.Errorf("what is there: %v", err)
	}
	if _, _, err := r.UpdateLog(t.Context(), &registry.LogUpdate{Removed: []string{beam + "@7.0.0"}}); !mentions(err, "not in the log") {
		t.Errorf("what was never there: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, cable)); err != nil {
		t.Fatal(err)
	}
	here := []registry.Capability{capability(t, r, beam)}
	if err := problemsUnder(logged(t, r, nil), here...); !mentions(err, "it is gone from the registry") {
		t.Errorf("before it is logged: %v", err)
	}
	if err := problemsUnder(logged(t, r, removed), here...); err != nil {
		t.Errorf("after it is logged: %v", err)
	}
}

// A writer may end at any step. The next one logs everything that is in the registry, once.
// Readers in between find a complete log that continues the earlier one.
func TestCrashAtAnyStepIsLogged(t *testing.T) {
	t.Parallel()
	first, _ := open(t)
	publish(t, first, candidate(beam, "1.0.0"))
	logged(t, first, &registry.LogUpdate{Create: true})
	total, unlogged := len(steps(t, first, candidate(beam, "1.1.0"))), 0
	for n := range total {
		r, _ := open(t)
		publish(t, r, candidate(beam, "1.0.0"))
		before := logged(t, r, &registry.LogUpdate{Create: true})
		if err := crash(t, r, candidate(beam, "1.1.0"), n); !errors.Is(err, errFault) {
			t.Fatalf("step %d: error = %v", n, err)
		}
		l, err := r.Log(nil)
		if err == nil {
			err = l.Continues(before.Checkpoint())
		}
		if err != nil {
			t.Errorf("step %d of %d: %v", n, total, err)
			continue
		}
		if release(capability(t, r, beam), "1.1.0") != nil && l.Checkpoint().Equal(before.Checkpoint()) {
			unlogged++
		}
		publish(t, r, candidate(beam, "1.1.0"))
		l, err = r.Log(l)
		if err != nil {
			t.Errorf("step %d: %v", n, err)
		} else if got := entryTexts(l, len(before.Entries())); got != "release 1.1.0, report 1.1.0, current 1.1.0" {
			t.Errorf("step %d: the next writer logs %s", n, got)
		}
	}
	if unlogged == 0 {
		t.Error("no crash came between a statement and its entry")
	}
}

// A registry with a damaged log refuses additions.
func TestDamagedLogIsRepairedFirst(t *testing.T) {
	t.Parallel()
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	logged(t, r, &registry.LogUpdate{Create: true})
	d := disk{t, filepath.Join(dir, ".log")}
	file := d.path("tile/entries/000.p/3")
	good := d.read(file)
	bad := slices.Clone(good)
	bad[len(bad)/2] ^= 1
	d.write(file, bad)
	var fault *transparency.Fault
	if _, err := r.Publish(t.Context(), candidate(beam, "1.1.0")); !errors.As(err, &fault) || fault.Kind != transparency.Damaged {
		t.Errorf("published into a registry with a damaged log: %v", err)
	}
	if release(capability(t, r, beam), "1.1.0") != nil {
		t.Error("the version is there")
	}
	d.write(file, good)
	publish(t, r, candidate(beam, "1.1.0"))
}
