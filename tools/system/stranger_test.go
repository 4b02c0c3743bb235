package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/hostkeys"
)

// stranger runs verify as a third party without data of the server: in an empty directory, without a home
// directory and settings.
func stranger(t *testing.T, code int, args []string, want ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), built.slipstick, append([]string{"verify"}, args...)...)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Errorf("verify %v: %v, want exit code %d\n%s%s", args, err, code, &out, &errs)
	}
	for _, text := range want {
		if !strings.Contains(out.String()+errs.String(), text) {
			t.Errorf("verify %v: no %q in\n%s%s", args, text, &out, &errs)
		}
	}
	if entries, err := os.ReadDir(cmd.Dir); err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "var" {
		t.Errorf("verify left %v, %v", entries, err)
	}
}

// createSnapshotAt creates a snapshot of Ohm's law with a resistance, and returns its id and time.
func (h *server) createSnapshotAt(t *testing.T, ohms int) (id string, at time.Time) {
	t.Helper()
	var made struct {
		ID string
		At time.Time `json:"created_at"`
	}
	_, body := h.post(t, "/api/v1/share", fmt.Sprintf(`{"tool_id":"ohms-law","inputs":{"V":12,"R":%d}}`, ohms))
	if err := json.Unmarshal([]byte(body), &made); err != nil || made.ID == "" {
		t.Fatal(body, err)
	}
	return made.ID, made.At
}

// saved downloads the response at a path of the server into a file.
func (h *server) saved(t *testing.T, path string) string {
	t.Helper()
	status, body := h.get(t, path)
	if status != 200 {
		t.Fatalf("%s: %d %s", path, status, body)
	}
	return write(t, "saved.json", body)
}

// With a snapshot, the registry and the public keys of a server, a third party can verify the signer of the
// snapshot. This works before and after a rotation, while the server runs and after it has ended.
func TestThirdPartyVerifies(t *testing.T) {
	t.Parallel()
	there, data := startRemoteRegistry(t), t.TempDir()
	registry := filepath.Join(t.TempDir(), "registry")
	for _, to := range []string{registry, there.address()} {
		does(t, "publish", "--to", to, "--mirror", t.TempDir(), filepath.Join(built.engines, "ohms_law"))
	}
	h := startServer(t, "--registry", registry, "--data", data)
	first, _ := h.createSnapshotAt(t, 8)
	firstCopy, firstKeys := h.saved(t, "/api/v1/share/"+first+"/signed"), h.saved(t, hostkeys.WellKnown)
	does(t, "keys", "export", "--data", data, "--to", registry, "--name", "calc.example.org")

	does(t, "keys", "snapshots", "rotate", "--data", data, "--after", "0s")
	document, err := hostkeys.Parse([]byte(does(t, "keys", "export", "--data", data)))
	if err != nil || len(document.Keys) != 2 {
		t.Fatalf("%+v, %v", document, err)
	}
	var late string // a snapshot from a server that does not know the rotation
	for n, at := 10, (time.Time{}); at.Before(document.Keys[1].From); n++ {
		late, at = h.createSnapshotAt(t, n)
	}
	lateCopy := h.saved(t, "/api/v1/share/"+late+"/signed")
	if logged := h.hangUp(t); !strings.Contains(logged, "lock file again") {
		t.Fatal(logged)
	}
	second, _ := h.createSnapshotAt(t, 9)
	copied, plain, keys := h.saved(t, "/api/v1/share/"+second+"/signed"), h.saved(t, "/s/"+second), h.saved(t, hostkeys.WellKnown)
	if !bytes.Equal(mustRead(t, keys), []byte(does(t, "keys", "export", "--data", data))) {
		t.Errorf("the host publishes %s", mustRead(t, keys))
	}
	old, next := document.Keys[0].ID, document.Keys[1].ID
	at := func(target, keys string) []string { return []string{target, "--keys", keys, "--registry", registry} }
	stranger(t, exitOK, at(h.url+"/s/"+second, h.url), "key rotations         2 keys", "signed by the key "+next+" of "+h.url, " 0 fail, 0 could not be checked")
	h.stop(t)

	stranger(t, exitOK, append(at(copied, keys), "--run"), "holds      key rotations", "holds      record", "holds      snapshot signature", "holds      published release", "bit-identical")
	stranger(t, exitOK, at(firstCopy, keys), "signed by the key "+old, " until ")
	stranger(t, exitOK, at(firstCopy, firstKeys), "one key, "+old)
	stranger(t, exitInternal, at(plain, keys), "unchecked  snapshot signature", "not a signed copy", "/signed > snapshot.json")

	// Keys and registry are remote, and in a directory that has only the earlier ones.
	does(t, "keys", "export", "--data", data, "--to", there.address(), "--mirror", t.TempDir())
	stranger(t, exitOK, []string{copied, "--keys", there.address(), "--registry", there.address()}, "signed by the key "+next+" of host", "0 fail")
	stranger(t, exitFailed, at(copied, registry), "fails      snapshot signature", next+", which is none of these public keys")
	does(t, "keys", "export", "--data", data, "--to", registry, "--name", "calc.example.org")
	stranger(t, exitOK, at(copied, registry), "signed by the key "+next+" of calc.example.org")

	// A forged snapshot is refused.
	forged := func(path, from, to string) string {
		t.Helper()
		text := string(mustRead(t, path))
		if !strings.Contains(text, from) {
			t.Fatalf("%s has no %q", path, from)
		}
		return write(t, "forged.json", strings.Replace(text, from, to, 1))
	}
	for _, tt := range []struct{ target, keys, want string }{
		{forged(copied, `"resistance":9`, `"resistance":7`), keys, "fails      snapshot signature    the signature does not hold"},
		{lateCopy, keys, "which signs from the beginning until 20"},
		{copied, firstKeys, "which is none of these public keys"},
		{copied, forged(keys, `"from": "20`, `"from": "19`), "fails      key rotations"},
		{copied, forged(keys, next, old), "fails      key rotations"},
		{copied, write(t, "keys.json", "{}"), "has the format"},
	} {
		stranger(t, exitFailed, at(tt.target, tt.keys), tt.want)
	}
	for _, tt := range []struct {
		keys, want string
		code       int
	}{
		{"nothing.json", "no such file", exitMisuse},
		{t.TempDir(), "has no keys of servers", exitMisuse},
		{"http://calc.example.org", "without TLS", exitInternal},
		{h.url, "refused", exitInternal},
	} {
		stranger(t, tt.code, at(copied, tt.keys), tt.want)
	}

	// Keys of another server do not replace these keys.
	other := []string{"keys", "export", "--data", t.TempDir(), "--snapshot-key", strings.Repeat("ab", 32), "--to", registry, "--name", "calc.example.org"}
	if r := slipstick(t.Context(), other...); r.code != exitFailed || !strings.Contains(r.err, old) || !strings.Contains(r.err, "--replace") {
		t.Errorf("%d %s", r.code, r.err)
	}
	does(t, append(other, "--replace")...)
	stranger(t, exitFailed, at(copied, registry), "which is none of these public keys")
	if r := slipstick(t.Context(), "keys", "export", "--data", t.TempDir()); r.code != exitMisuse || !strings.Contains(r.err, "there is no key in") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

// Servers with the same keys publish the same document and the same copies.
func TestServersShareTheirKeys(t *testing.T) {
	t.Parallel()
	seeds := "SLIPSTICK_SNAPSHOT_KEY=" + strings.Repeat("2a", 32) + "," + strings.Repeat("2b", 32) + "@2026-01-01T00:00:00Z"
	var shown []string
	for range 2 {
		h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir()}, seeds)
		status, document := h.get(t, hostkeys.WellKnown)
		if status != 200 {
			t.Fatal(status, document)
		}
		shown = append(shown, document)
	}
	if d, err := hostkeys.Parse([]byte(shown[0])); shown[0] != shown[1] || err != nil || len(d.Keys) != 2 {
		t.Errorf("one host shows %s\nthe other %s (%v)", shown[0], shown[1], err)
	}
}
