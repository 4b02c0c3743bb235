package hostkeys_test

import (
	"bytes"
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/hostkeys"
)

var start = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// private is the nth key of a test. The first has no time.
func private(n byte) hostkeys.Private {
	p := hostkeys.Private{Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))}
	if n > 1 {
		p.From = start.AddDate(0, int(n), 0)
	}
	return p
}

func three(t *testing.T) *hostkeys.Document {
	t.Helper()
	d, err := hostkeys.New([]hostkeys.Private{private(1), private(2), private(3)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func text(t *testing.T, d *hostkeys.Document) []byte {
	t.Helper()
	data, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDocumentIsReadAsItWasWritten(t *testing.T) {
	data := text(t, three(t))
	d, err := hostkeys.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if again := text(t, d); !bytes.Equal(again, data) || !bytes.Equal(text(t, three(t)), data) {
		t.Errorf("written again\n%s\nfirst\n%s", again, data)
	}
	second := d.Keys[1]
	for at, want := range map[time.Time]bool{
		second.From.Add(-time.Second): false, second.From: true, second.Until.Add(-time.Second): true, second.Until: false,
	} {
		if second.Valid(at) != want {
			t.Errorf("valid on %v: %v", at, !want)
		}
	}
	if !d.Keys[0].Valid(time.Time{}) || !d.Keys[2].Valid(start.AddDate(100, 0, 0)) {
		t.Error("the first key begins, or the last one ends")
	}
}

func TestForgedDocumentIsRefused(t *testing.T) {
	other, err := hostkeys.New([]hostkeys.Private{private(1), private(9)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(d *hostkeys.Document)
		want   string
	}{
		{"another key at the end", func(d *hostkeys.Document) { d.Keys = append(d.Keys, other.Keys[1]) }, "does not name its predecessor"},
		{"a key in the place of another", func(d *hostkeys.Document) {
			k := other.Keys[1]
			k.From, d.Keys[1].Until, d.Keys[1].SupersededBy, k.Supersedes = d.Keys[2].From, d.Keys[2].From, k.ID, d.Keys[1].ID
			d.Keys[2] = k
		}, "is not signed by"},
		{"an earlier beginning", func(d *hostkeys.Document) { d.Keys[2].From, d.Keys[1].Until = start, start }, "ends before it starts"},
		{"another beginning", func(d *hostkeys.Document) {
			d.Keys[2].From = d.Keys[2].From.Add(time.Hour)
			d.Keys[1].Until = d.Keys[2].From
		}, "is not signed by"},
		{"a later end", func(d *hostkeys.Document) { d.Keys[0].Until = d.Keys[0].Until.Add(time.Hour) }, "does not end when"},
		{"no end", func(d *hostkeys.Document) { d.Keys[0].Until = time.Time{} }, "does not end when"},
		{"an end of the last", func(d *hostkeys.Document) { d.Keys[2].Until = d.Keys[2].From.AddDate(1, 0, 0) }, "is missing"},
		{"a key is missing", func(d *hostkeys.Document) { d.Keys = slices.Delete(d.Keys, 1, 2) }, "names another"},
		{"the first is missing", func(d *hostkeys.Document) { d.Keys = d.Keys[1:] }, "its predecessor"},
		{"the last is missing", func(d *hostkeys.Document) { d.Keys = d.Keys[:2] }, "is missing"},
		{"the first says that it is", func(d *hostkeys.Document) {
			d.Keys = d.Keys[1:]
			d.Keys[0].Supersedes = ""
		}, "is signed, and the key"},
		{"another public key", func(d *hostkeys.Document) { d.Keys[1].PublicKey = other.Keys[1].PublicKey }, "and its public key has the id"},
		{"half a public key", func(d *hostkeys.Document) { d.Keys[1].PublicKey = d.Keys[1].PublicKey[:16] }, "16 bytes, not 32"},
		{"no role", func(d *hostkeys.Document) { d.Keys[1].Roles = nil }, "no role"},
		{"a role of tomorrow", func(d *hostkeys.Document) { d.Keys[1].Roles = []hostkeys.Role{"tomorrow"} }, "unknown here"},
		{"a fraction of a second", func(d *hostkeys.Document) { d.Keys[1].From = d.Keys[1].From.Add(1) }, "whole seconds"},
		{"twice the same", func(d *hostkeys.Document) { d.Keys = append(d.Keys, d.Keys[2]) }, "two keys"},
		{"nothing", func(d *hostkeys.Document) { d.Keys = nil }, "no key"},
		{"too many", func(d *hostkeys.Document) { d.Keys = slices.Repeat(d.Keys, 100) }, "more than 256"},
		{"another format", func(d *hostkeys.Document) { d.Format = "slipstick host keys 2" }, "has the format"},
	} {
		d := three(t)
		tt.change(d)
		if _, err := hostkeys.Parse(text(t, d)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	good := string(text(t, three(t)))
	for _, bad := range []string{
		"", "{}", good + "{}", strings.Replace(good, `"id"`, `"revoked": true, "id"`, 1),
		strings.Replace(good, `"keys"`, `"keys": [], "keys"`, 1), good + strings.Repeat(" ", hostkeys.MaxDocument),
	} {
		if _, err := hostkeys.Parse([]byte(bad)); err == nil {
			t.Errorf("read %.200s", bad)
		}
	}
}

func TestFind(t *testing.T) {
	d := three(t)
	other, err := hostkeys.New([]hostkeys.Private{private(9)})
	if err != nil {
		t.Fatal(err)
	}
	set := hostkeys.Set{{"a", d}, {"b", other}}
	id := other.Keys[0].ID
	if found := set.Find(id[:8], hostkeys.Snapshots); len(found) != 1 || found[0].Name != "b" || found[0].ID != id {
		t.Errorf("%+v", found)
	}
	if found := set.Find(id, "tomorrow"); len(found) != 0 {
		t.Errorf("found in another role: %+v", found)
	}
	last := d.Keys[2]
	signed := func(public []byte, at time.Time) (string, error) {
		k, err := set.Signer(public, hostkeys.Ledger, at)
		if err != nil {
			return "", err
		}
		return k.Name, nil
	}
	if name, err := signed(last.PublicKey, last.From); name != "a" || err != nil {
		t.Errorf("%s, %v", name, err)
	}
	old := three(t) // as servers without ledgers published it
	old.Keys[2].Roles = []hostkeys.Role{hostkeys.Snapshots}
	for _, tt := range []struct {
		set    hostkeys.Set
		public []byte
		at     time.Time
		want   string
	}{
		{set, last.PublicKey, last.From.Add(-time.Second), "the signature is of"},
		{set, d.Keys[0].PublicKey, last.From, "until"},
		{hostkeys.Set{{"old", old}}, last.PublicKey, last.From, `old does not give it the role "ledger"`},
		{hostkeys.Set{{"b", other}}, last.PublicKey, last.From, "none of these public keys"},
		{nil, nil, last.From, "none of these public keys"},
	} {
		if _, err := tt.set.Signer(tt.public, hostkeys.Ledger, tt.at); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	if missing := other.Missing(d); len(missing) != 3 || len(d.Missing(d)) != 0 {
		t.Errorf("missing %v", missing)
	}
}
