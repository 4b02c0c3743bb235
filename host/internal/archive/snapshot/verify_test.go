package snapshot_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

// A record is checked from its bytes alone, with or without the keys.
func TestReadRecord(t *testing.T) {
	keys, others := keysOf(t, seed), keysOf(t, seed2)
	short := create(t, storing(t, connect(t, startRedis(t).addr)), content(t, "ohms"))
	for name, snap := range map[string]snapshot.Snapshot{"embedded": create(t, embedding(t, seed), content(t, "ohms")), "short": short} {
		r, err := snapshot.ReadRecord(append(bytes.Clone(snap.Body), '\n'))
		if err != nil || r.ID != snap.ID || r.CapabilityID != "electrical.basic.ohms_law" || r.EngineDigest != digest {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		if err := r.Check(keys); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, k := range []*snapshot.Keys{nil, others} {
			if err := r.Check(k); !errors.Is(err, snapshot.ErrUnchecked) {
				t.Errorf("%s without its key: %v", name, err)
			}
		}
		changed, err := snapshot.ReadRecord(bytes.Replace(snap.Body, []byte(`"current":1.5`), []byte(`"current":1.6`), 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := changed.Check(keys); err == nil {
			t.Errorf("%s: a changed record was accepted for its id", name)
		}
		if err := changed.Check(nil); name == "embedded" && (err == nil || errors.Is(err, snapshot.ErrUnchecked)) {
			t.Errorf("%s: the content of the id shows it without a key: %v", name, err)
		}
	}
}

func TestReadEmbedded(t *testing.T) {
	snap := create(t, embedding(t, seed), content(t, "cantilever"))
	r, err := snapshot.ReadEmbedded(snap.ID)
	if err != nil || r.Check(keysOf(t, seed)) != nil {
		t.Fatal(err)
	}
	raw := decode(t, snap.ID)
	raw[len(raw)-1] ^= 1 // of the signature
	r, err = snapshot.ReadEmbedded(encode(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(keysOf(t, seed)); err == nil || errors.Is(err, snapshot.ErrUnchecked) {
		t.Errorf("a changed signature: %v", err)
	}
	for _, id := range []string{"", "cx_e1_", snap.ID[:60], "cx_" + strings.Repeat("a", 26)} {
		if _, err := snapshot.ReadEmbedded(id); err == nil {
			t.Errorf("%q was read", id)
		}
	}
}

func TestNoRecord(t *testing.T) {
	body := create(t, embedding(t, seed), content(t, "ohms")).Body
	for name, data := range map[string][]byte{
		"nothing": nil, "no JSON": []byte("x"), "no record": []byte("{}"), "cut off": body[:len(body)/2],
		"spaced":      bytes.Replace(body, []byte(`,"inputs"`), []byte(`, "inputs"`), 1),
		"with more":   append(bytes.Clone(body[:len(body)-1]), `,"x":1}`...),
		"two of them": append(bytes.Clone(body), body...),
	} {
		if _, err := snapshot.ReadRecord(data); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// FindKeys creates no keys.
func TestFindKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	if keys, err := snapshot.FindKeys(dir); keys != nil || err != nil {
		t.Errorf("%v, %v", keys, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a directory was created")
	}
	if _, err := snapshot.LoadKeys(dir); err != nil {
		t.Fatal(err)
	}
	if keys, err := snapshot.FindKeys(dir); keys == nil || err != nil {
		t.Errorf("%v, %v", keys, err)
	}
}
