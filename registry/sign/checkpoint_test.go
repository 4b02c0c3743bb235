package sign_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

func state(number uint64) sign.State {
	return sign.State{Number: number, Time: day(5), Expires: day(10), Capabilities: map[string]sign.Holding{
		"electrical.basic.ohms_law": {Current: "1.0.0", Versions: map[string]sign.Held{"1.0.0": {Release: digest, State: "active"}}},
	}}
}

func publisher(k *sign.Key) { k.Roles = []sign.Role{sign.Publishes} }

func TestReadState(t *testing.T) {
	k, _ := newKey(t)
	trust := trusting(t, k, publisher)
	file, err := k.SignState(state(7))
	if err != nil {
		t.Fatal(err)
	}
	got, by, err := trust.ReadState(file, day(9))
	if err != nil || got.Number != 7 || by.Key != "anna" || got.Capabilities["electrical.basic.ohms_law"].Versions["1.0.0"].Release != digest {
		t.Errorf("%+v, %+v, %v", got, by, err)
	}
	if n, err := sign.NumberOf(file); n != 7 || err != nil {
		t.Errorf("number %d, %v", n, err)
	}
	for _, tt := range []struct {
		name  string
		trust *sign.Trust
		file  []byte
		at    time.Time
		why   string
	}{
		{"expired", trust, file, day(11), "expired on 2026-01-10"},
		{"from the future", trust, file, day(4), "in the future"},
		{"changed", trust, bytes.Replace(file, []byte("aaaa"), []byte("aaab"), 1), day(9), "does not hold"},
		{"cut off", trust, file[:len(file)/2], day(9), "cannot be read"},
		{"with more in it", trust, bytes.Replace(file, []byte(`{"statement"`), []byte(`{"x":1,"statement"`), 1), day(9), "cannot be read"},
		{"huge", trust, make([]byte, sign.MaxCheckpoint+1), day(9), "more than the"},
		{"by a reviewer", trusting(t, k), file, day(9), "needs publish"},
		{"of other capabilities", trusting(t, k, publisher, func(k *sign.Key) { k.Capabilities = []string{"mechanical.*"} }), file, day(9), "does not count for electrical"},
		{"by a key that was revoked", trusting(t, k, publisher, func(k *sign.Key) { k.RevokedAt = at(day(8)) }), file, day(9), "was revoked"},
	} {
		if _, _, err := tt.trust.ReadState(tt.file, tt.at); err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.why)
		}
	}
	// What was signed as something else is no checkpoint, nor a checkpoint something else.
	if _, err := k.SignState(sign.State{Number: 1, Time: day(5), Expires: day(5)}); err == nil {
		t.Error("a checkpoint that never counts was signed")
	}
}

// G5: what was accepted is never followed by something older, and only what passed every
// check is remembered.
func TestNewestCheckpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data", "checkpoint.json")
	s5, s6, fork := state(5), state(6), state(6)
	fork.Capabilities["mechanical.x.y"] = sign.Holding{Versions: map[string]sign.Held{}}
	for _, step := range []struct {
		name string
		s    *sign.State
		why  string
	}{{"first", &s5, ""}, {"again", &s5, ""}, {"next", &s6, ""}, {"older", &s5, "older than 6"}, {"another of the same number", &fork, "two checkpoints"}, {"next again", &s6, ""}} {
		err := step.s.CheckNewest(file)
		if (err == nil) != (step.why == "") || err != nil && !strings.Contains(err.Error(), step.why) {
			t.Errorf("%s: %v, want %q", step.name, err, step.why)
		}
		if err == nil {
			if err := step.s.Remember(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s6.CheckNewest(file); err == nil {
		t.Error("a damaged memory remembers nothing")
	}
}
