package registry_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
)

// checkpoint is what the registry holds now.
func (h *house) checkpoint(at time.Time) *sign.State {
	h.t.Helper()
	list, err := h.strict().Capabilities(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	held, err := registry.StateOf(list)
	if err != nil {
		h.t.Fatal(err)
	}
	return &sign.State{Number: 1, Time: at, Expires: at.Add(24 * time.Hour), Capabilities: held}
}

func (h *house) behind(state *sign.State) error {
	h.t.Helper()
	list, err := h.strict().Capabilities(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return registry.Behind(list, state)
}

func (h *house) stand(version string, state evidence.State, at time.Time) {
	h.t.Helper()
	if err := h.by(h.publisher).SetLifecycle(h.t.Context(), beam, version, evidence.Lifecycle{State: state, Reason: "wrong", Since: at}); err != nil {
		h.t.Fatal(err)
	}
}

// G5: a registry that was set back to an older copy, in which everything is signed, is
// behind the checkpoint; one that went on is not.
func TestBehindCheckpoint(t *testing.T) {
	now := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, tt := range []struct {
		name   string
		before func(*house) // then the copy is made
		after  func(*house) // then the checkpoint, then the copy comes back
		why    string
	}{
		{"a version is gone", nil, func(h *house) { publish(h.t, h.by(h.publisher), candidate(beam, "1.2.0")) }, "1.2.0 is gone"},
		{"a revocation is gone", nil, func(h *house) { h.stand("1.0.0", evidence.Revoked, now) }, "1.0.0 was revoked, and is active"},
		{"a yank is gone, and current was set back", nil, func(h *house) { h.stand("1.1.0", evidence.Yanked, now) }, "was yanked, and is active"},
		{"a capability is gone", nil, func(h *house) { publish(h.t, h.by(h.publisher), candidate(cable, "1.0.0")) }, cable + " is gone"},
		{"current is older", func(h *house) {
			if err := h.by(h.publisher).Promote(h.t.Context(), beam, "1.0.0"); err != nil {
				h.t.Fatal(err)
			}
		}, func(h *house) {
			if err := h.by(h.publisher).Promote(h.t.Context(), beam, "1.1.0"); err != nil {
				h.t.Fatal(err)
			}
		}, "current was 1.1.0, and is 1.0.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			if tt.before != nil {
				tt.before(h)
			}
			copied := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(copied, os.DirFS(h.dir)); err != nil {
				t.Fatal(err)
			}
			tt.after(h)
			state := h.checkpoint(now.Add(time.Minute))
			if err := h.behind(state); err != nil {
				t.Errorf("the registry is behind itself: %v", err)
			}
			h.dir = copied
			mustServe(t, h.release("1.1.0")) // each signature holds
			if err := h.behind(state); err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%v, want %q", err, tt.why)
			}
		})
	}
}

func TestAheadOfCheckpoint(t *testing.T) {
	h := newHouse(t)
	now := time.Now().Add(-time.Hour).Truncate(time.Second)
	h.stand("1.0.0", evidence.Yanked, now)
	state := h.checkpoint(now.Add(time.Minute))
	h.stand("1.0.0", evidence.Active, now.Add(2*time.Minute))
	h.stand("1.1.0", evidence.Revoked, now.Add(2*time.Minute)) // which moves current to 1.0.0
	publish(t, h.by(h.publisher), candidate(cable, "1.0.0"))
	if err := h.behind(state); err != nil {
		t.Error(err)
	}
	publish(t, h.by(h.publisher), candidate(beam, "2.0.0"))
	if err := h.behind(state); err != nil {
		t.Error(err)
	}
}

func TestCheckpointOfDamage(t *testing.T) {
	h := newHouse(t)
	h.drop(mediatype.Signature)
	list, err := h.strict().Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.StateOf(list); err == nil || !strings.Contains(err.Error(), "nobody has signed it") {
		t.Errorf("%v", err)
	}
}
