package sign_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/slipstick/slipstick/registry/sign"
)

func publisher(k *sign.Key) { k.Roles = []sign.Role{sign.Publishes} }

func logKey(k *sign.Key) { k.Roles = []sign.Role{sign.Logs} }

func signedNote(t *testing.T, by *sign.Signer) *sign.Note {
	t.Helper()
	n := &sign.Note{Name: "log", Text: "log\n2\nAAAA\n", Signed: day(5), Capabilities: []string{"electrical.basic.ohms_law"}}
	line, err := by.SignNote(n.Name, n.Text)
	if err != nil {
		t.Fatal(err)
	}
	n.Signatures = line
	return n
}

// demanding returns a trust file with keys and a demand for a log.
func demanding(t *testing.T, demand *sign.LogDemand, keys ...sign.Key) (*sign.Trust, error) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"keys": keys, "log": demand})
	if err != nil {
		t.Fatal(err)
	}
	return sign.ReadTrust(data)
}

// Tools for logs can check the signature of a checkpoint with the key alone.
func TestNoteOfOtherTools(t *testing.T) {
	k, _ := newKey(t)
	n := signedNote(t, k)
	public, err := base64.StdEncoding.DecodeString(k.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	text, err := note.NewEd25519VerifierKey("log", public[10:])
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(text)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := note.Open([]byte(n.Text+"\n"+n.Signatures), note.VerifierList(verifier))
	if err != nil || len(opened.Sigs) != 1 {
		t.Errorf("%+v, %v", opened, err)
	}
	if !k.Keeps("log", n.Signatures) || k.Keeps("other", n.Signatures) {
		t.Error("a key does not know its own signature")
	}
	if other, _ := newKey(t); other.Keeps("log", n.Signatures) {
		t.Error("a key takes the signature of another for its own")
	}
}

func TestCheckNote(t *testing.T) {
	k, _ := newKey(t)
	trust := trusting(t, k, logKey)
	good := signedNote(t, k)
	for _, tt := range []struct {
		name     string
		trust    *sign.Trust
		change   func(*sign.Note)
		required bool
		why      string // "" if it counts
	}{
		{"by the key of the log", trust, nil, true, ""},
		{"by a publisher", trusting(t, k, publisher), nil, true, ""},
		{"by nobody", trust, func(n *sign.Note) { n.Signatures = "" }, false, ""},
		{"by nobody, where somebody must", trust, func(n *sign.Note) { n.Signatures = "" }, true, "is not signed"},
		{"by a reviewer", trusting(t, k), nil, false, "role publish or log"},
		{"by somebody else", trust, func(n *sign.Note) {
			other, _ := newKey(t)
			n.Signatures = signedNote(t, other).Signatures
		}, false, "role publish or log"},
		{"changed", trust, func(n *sign.Note) { n.Text = strings.Replace(n.Text, "2", "3", 1) }, false, "does not hold"},
		{"of another log", trust, func(n *sign.Note) { n.Name = "other" }, false, "role publish or log"},
		{"of other capabilities", trusting(t, k, logKey, func(k *sign.Key) { k.Capabilities = []string{"mechanical.*"} }), nil, false, "does not count for electrical"},
		{"by a key that was revoked", trusting(t, k, logKey, func(k *sign.Key) { k.RevokedAt = at(day(4)) }), nil, false, "was revoked"},
		{"before it counts", trusting(t, k, logKey, func(k *sign.Key) { k.NotBefore = at(day(6)) }), nil, false, "counts only from"},
		{"of no time", trust, func(n *sign.Note) { n.Signed = time.Time{} }, false, "when it was signed"},
		{"of the future", trust, func(n *sign.Note) { n.Signed = day(8) }, false, "in the future"},
	} {
		n := *good
		if tt.change != nil {
			tt.change(&n)
		}
		if _, err := tt.trust.CheckNote(&n, tt.required, day(7)); (err == nil) != (tt.why == "") || err != nil && !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.why)
		}
	}
	n := *good
	n.Text += "x\n"
	if _, err := trust.CheckNote(&n, false, day(7)); !errors.Is(err, sign.ErrForged) {
		t.Errorf("changed: %v", err)
	}
}

// A reader with only the old key accepts checkpoints of its successor.
func TestNoteAfterRotation(t *testing.T) {
	k, _ := newKey(t)
	next, err := k.Rotate(filepath.Join(t.TempDir(), "next"), "", day(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := signedNote(t, next)
	trust := trusting(t, k, logKey)
	if _, err := trust.CheckNote(n, true, day(7)); err == nil {
		t.Error("a key counts that nobody knows")
	}
	n.Rotations = next.Rotations()
	if by, err := trust.CheckNote(n, true, day(7)); err != nil || by.By != "next" {
		t.Errorf("%+v, %v", by, err)
	}
}

func TestWitnesses(t *testing.T) {
	k, _ := newKey(t)
	first, _ := newKey(t)
	second, _ := newKey(t)
	keys := []sign.Key{
		{Name: "desk", PublicKey: k.PublicKey(), Roles: []sign.Role{sign.Publishes}, Capabilities: []string{"*"}},
		{Name: "first", PublicKey: first.PublicKey(), Roles: []sign.Role{sign.Witnesses}, Capabilities: []string{"*"}},
		{Name: "second", PublicKey: second.PublicKey(), Roles: []sign.Role{sign.Witnesses}, Capabilities: []string{"*"}, NotAfter: at(day(6))},
	}
	if _, err := demanding(t, &sign.LogDemand{Witnesses: 3}, keys...); err == nil {
		t.Error("a trust file demands more witnesses than it has")
	}
	n := signedNote(t, k)
	cosign := func(by *sign.Signer, day time.Time) string {
		line, err := by.Cosign(n.Text, day)
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	log := n.Signatures
	for _, tt := range []struct {
		name       string
		signatures string
		demand     sign.LogDemand
		why        string
	}{
		{"one of none", log, sign.LogDemand{}, ""},
		{"none of one", log, sign.LogDemand{Witnesses: 1}, "0 of the"},
		{"one of one", log + cosign(first, day(6)), sign.LogDemand{Witnesses: 1}, ""},
		{"one twice", log + cosign(first, day(6)) + cosign(first, day(5)), sign.LogDemand{Witnesses: 2}, "1 of the"},
		{"two of two", log + cosign(first, day(6)) + cosign(second, day(5)), sign.LogDemand{Witnesses: 2, Origin: "log"}, ""},
		{"after its key ended", log + cosign(first, day(6)) + cosign(second, day(7)), sign.LogDemand{Witnesses: 2}, "1 of the"},
		{"a stranger", log + cosign(k, day(6)), sign.LogDemand{Witnesses: 1}, "0 of the"},
		{"witnesses alone", cosign(first, day(6)), sign.LogDemand{}, "witnesses only"},
		{"another log", log, sign.LogDemand{Origin: "other"}, "demands other"},
		{"nobody", "", sign.LogDemand{}, "is not signed"},
	} {
		trust, err := demanding(t, &tt.demand, keys...)
		if err != nil {
			t.Fatal(err)
		}
		n.Signatures = tt.signatures
		if _, err := trust.CheckNote(n, false, day(8)); (err == nil) != (tt.why == "") || err != nil && !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.why)
		}
	}
}
