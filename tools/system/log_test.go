package system

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
)

// A client detects a log that was shortened, forked or reordered, and a split view. It needs one older checkpoint,
// or the checkpoint that another client was shown.
func TestLogFaults(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, swaps(t, "1.0.0", "2.0.0")["1.0.0"])
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	initLogAt(t, dir, march)
	at := func(dir string, on time.Time, state evidence.State) {
		t.Helper()
		r, err := registry.Open(dir, &registry.Options{Now: func() time.Time { return on }})
		if err == nil {
			err = r.SetLifecycle(t.Context(), "test.life.swap", "1.0.0", evidence.Lifecycle{State: state, Reason: "a test", Since: on})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	at(dir, march.AddDate(0, 0, 1), evidence.Deprecated)
	work := t.TempDir()
	copied := func(name string) string {
		to := filepath.Join(work, name)
		copyTree(t, to, dir)
		return to
	}
	short, ours := copied("short"), filepath.Join(work, "seen")
	at(dir, march.AddDate(0, 0, 2), evidence.Active)
	other, reordered := copied("other"), copied("reordered")
	check := func(dir string, more ...string) result {
		return slipstick(t.Context(), append([]string{"log", "check", "--registry", dir, "--seen", ours}, more...)...)
	}
	if r := check(dir); r.code != exitOK || !strings.HasPrefix(r.out, "holds      log: ") {
		t.Fatalf("the first time: %d %s%s", r.code, r.out, r.err)
	}
	at(dir, march.AddDate(0, 0, 3), evidence.Deprecated)

	forked := filepath.Join(work, "forked")
	copyTree(t, forked, short)
	at(forked, march.AddDate(0, 0, 2), evidence.Yanked)
	at(forked, march.AddDate(0, 0, 3), evidence.Active)
	bundles, err := filepath.Glob(filepath.Join(reordered, ".log", "tile", "entries", "000.p", "*"))
	if err != nil || len(bundles) != 1 {
		t.Fatal(bundles, err)
	}
	var entries [][]byte
	for data := mustRead(t, bundles[0]); len(data) > 0; {
		n := 2 + int(binary.BigEndian.Uint16(data))
		entries, data = append(entries, data[:n]), data[n:]
	}
	slices.Reverse(entries)
	overwrite(t, bundles[0], slices.Concat(entries...))
	at(other, march.AddDate(0, 0, 3), evidence.Yanked)

	if r := check(forked); r.code != exitFailed || !strings.Contains(r.out+r.err, "the log is forked") {
		t.Errorf("forked: %d %s%s", r.code, r.out, r.err)
	}
	if r := check(short); r.code != exitFailed || !strings.Contains(r.out+r.err, "the log is shortened") {
		t.Errorf("shortened: %d %s%s", r.code, r.out, r.err)
	}
	if r := check(reordered); r.code != exitFailed || !strings.Contains(r.out+r.err, "the log is reordered") {
		t.Errorf("reordered: %d %s%s", r.code, r.out, r.err)
	}
	head := filepath.Join(other, ".log", "checkpoint")
	if r := check(dir, "--head", head); r.code != exitFailed || !strings.Contains(r.out+r.err, "the log is split") {
		t.Errorf("a split view: %d %s%s", r.code, r.out, r.err)
	}
	if r := check(dir, "--head", head, "--json"); !strings.Contains(r.out, `"fault":"split"`) {
		t.Errorf("in JSON: %s", r.out)
	}
	if r := check(dir); r.code != exitOK {
		t.Errorf("the one that goes on: %d %s%s", r.code, r.out, r.err)
	}
	if r := slipstick(t.Context(), "log", "check", "--registry", reordered); r.code != exitFailed {
		t.Errorf("reordered, for who saw nothing: %d %s", r.code, r.out)
	}
	h := startServer(t, "--registry", dir)
	if r := check(dir, "--head", h.url); r.code != exitOK {
		t.Errorf("a host that agrees: %d %s%s", r.code, r.out, r.err)
	}
	if r := check(other, "--head", h.url, "--seen", filepath.Join(work, "none")); r.code != exitFailed || !strings.Contains(r.out, "the log is split") {
		t.Errorf("a host that was shown another: %d %s%s", r.code, r.out, r.err)
	}
}

// If the trust file demands witnesses, a checkpoint counts after they have cosigned it. A witness does not cosign
// a checkpoint that contradicts an earlier one.
func TestLogWitnesses(t *testing.T) {
	t.Parallel()
	dir, keys, plain := signedRegistry(t)
	witness, err := sign.NewKey(filepath.Join(t.TempDir(), "anna"), "")
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "anna.key") // a directory without other files
	does(t, "keys", "new", "--no-password", "--role", "witness", strings.TrimSuffix(secret, ".key"))
	var file struct {
		Keys []map[string]any `json:"keys"`
		Log  map[string]any   `json:"log"`
	}
	if err := json.Unmarshal(mustRead(t, plain), &file); err != nil {
		t.Fatal(err)
	}
	file.Keys = append(file.Keys,
		map[string]any{"name": "anna", "public_key": publicKey(t, secret), "roles": []string{"witness"}, "capabilities": []string{"*"}},
		map[string]any{"name": "berta", "public_key": witness.PublicKey(), "roles": []string{"witness"}, "capabilities": []string{"*"}})
	file.Log = map[string]any{"witnesses": 1}
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	trust := write(t, "witnessed.json", string(data))
	strict := []string{"--registry", dir, "--trust", trust}
	verifies(t, exitFailed, strict, "the trust file demands a log")
	does(t, "log", "init", "--registry", dir, "--key", keys[sign.Publishes])
	verifies(t, exitFailed, strict, "too few witnesses")
	seen := filepath.Join(t.TempDir(), "seen")
	cosign := append([]string{"log", "witness", "--key", secret, "--seen", seen}, strict...)
	if out := does(t, cosign...); !strings.Contains(out, "cosigned") {
		t.Error(out)
	}
	verifies(t, exitOK, append(strict, "--require-signatures"), "witnessed by anna")
	short := filepath.Join(t.TempDir(), "short")
	copyTree(t, short, filepath.Join(dir, ".log"))
	does(t, "deprecate", "--registry", dir, "--sign", keys[sign.Publishes], "ohms-law", "1.0.1", "--reason", "old")
	verifies(t, exitFailed, strict, "too few witnesses")
	does(t, cosign...)
	verifies(t, exitOK, append(strict, "--require-signatures"), "witnessed by anna")
	if err := os.RemoveAll(filepath.Join(dir, ".log")); err != nil {
		t.Fatal(err)
	}
	copyTree(t, filepath.Join(dir, ".log"), short)
	if r := slipstick(t.Context(), cosign...); r.code != exitFailed || !strings.Contains(r.err, "the log is shortened") {
		t.Errorf("the witness of a log that was set back: %d %s", r.code, r.err)
	}
}
