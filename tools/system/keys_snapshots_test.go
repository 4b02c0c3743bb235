package system

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

// currentSigner returns the id of the current signing key from the output of the command.
func currentSigner(t *testing.T, args ...string) string {
	t.Helper()
	var list []snapshot.KeyState
	if err := json.Unmarshal([]byte(does(t, append([]string{"keys", "snapshots", "list", "--json"}, args...)...)), &list); err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		if k.Signs {
			return k.ID
		}
	}
	t.Fatalf("none of %d keys signs", len(list))
	return ""
}

// signer returns the id of the key that signed an embedded snapshot id.
func signer(t *testing.T, id string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(id, "cx_e1_"))
	if err != nil || len(raw) < 4 {
		t.Fatalf("%q: %v", id, err)
	}
	return hex.EncodeToString(raw[:4])
}

// A running server switches to a new key. It verifies older snapshots with the old key.
func TestRotateSnapshotKey(t *testing.T) {
	data := t.TempDir()
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", data, "--snapshots", "embedded"})
	_, first, _ := h.createSnapshot(t)
	former := currentSigner(t, "--data", data)
	file := strings.TrimSpace(does(t, "keys", "snapshots", "rotate", "--data", data, "--after", "0s"))
	if want := filepath.Join(data, "keys", "snapshot-0002.key"); file != want {
		t.Errorf("made %s, want %s", file, want)
	}
	if logged := h.hangUp(t); !strings.Contains(logged, "lock file again") {
		t.Fatal(logged)
	}
	now := former // wait for the end of the second in which the key was created
	for now == former {
		now = currentSigner(t, "--data", data)
	}
	_, second, _ := h.createSnapshot(t)
	if signer(t, first) != former || signer(t, second) != now {
		t.Errorf("signed by %s, then %s; the command says %s, then %s", signer(t, first), signer(t, second), former, now)
	}
	for _, id := range []string{first, second} {
		if status, body := h.get(t, "/api/v1/share/"+id); status != 200 {
			t.Errorf("%d %s", status, body)
		}
	}
}

// Servers know a configured key before one of them signs with it.
func TestRotateConfiguredKey(t *testing.T) {
	old := strings.Repeat("2a", 32)
	next := strings.Split(strings.TrimSpace(does(t, "keys", "snapshots", "rotate", "--after", "1h", "--snapshot-key", old)), ",")
	seed, _, timed := strings.Cut(next[len(next)-1], "@")
	if len(next) != 2 || next[0] != old || !timed {
		t.Fatalf("%d keys", len(next))
	}
	ahead := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir()}, "SLIPSTICK_SNAPSHOT_KEY="+strings.Join(next, ","))
	_, id, _ := ahead.createSnapshot(t)
	if now := currentSigner(t, "--data", t.TempDir(), "--snapshot-key", old); signer(t, id) != now {
		t.Errorf("an hour before its time %s signs, want %s", signer(t, id), now)
	}
	late := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir()}, "SLIPSTICK_SNAPSHOT_KEY="+seed)
	_, id, _ = late.createSnapshot(t)
	if status, body := ahead.get(t, "/api/v1/share/"+id); status != 200 {
		t.Errorf("a snapshot of the key to come: %d %s", status, body)
	}
}
