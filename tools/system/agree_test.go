package system

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// awaitState requests the readiness report with all details until it contains the text.
func (h *server) awaitState(t *testing.T, status int, text string) {
	t.Helper()
	var got int
	var body string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got, body = h.get(t, "/readyz?verbose")
		if got == status && strings.Contains(body, text) {
			return
		}
	}
	t.Fatalf("readiness: %d %s, want %d with %q", got, body, status, text)
}

// sameKey is the signing seed that two servers share.
const sameKey = "3f2a10c4d5e6978812ab34cd56ef7890112233445566778899aabbccddeeff00"

// twoRegistries publishes an engine, and returns the registry and a copy of it.
func twoRegistries(t *testing.T, engine string) (first, second string) {
	t.Helper()
	first, second = filepath.Join(t.TempDir(), "registry"), filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", first, engine)
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	return first, second
}

// Two servers share a Redis and have copies of one registry. A server that cannot follow its registry refuses
// calls without a pin, answers pinned calls, and catches up when it can. A Redis that is killed and comes back
// empty moves no server to an older version.
func TestServersAgree(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	first, second := twoRegistries(t, engines["1.0.0"])
	r := startRedis(t)
	args := func(registry string) []string {
		return []string{"--registry", registry, "--follow", "50ms", "--redis", r.url(), "--ephemeral-snapshots", "--snapshot-key", sameKey}
	}
	a, b := startServer(t, args(first)...), startServer(t, append(args(second), "--follow", "0")...) // the second server reads its registry only on SIGHUP
	a.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	b.awaits(t, `"by":"1.0.0"`, `{"x":1}`)

	does(t, "publish", "--to", first, engines["2.0.0"])
	a.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	if status, answer := b.awaits(t, `"ENGINE_UNAVAILABLE"`, `{"x":1}`); status != 503 || !strings.Contains(answer, "does not have the current version") {
		t.Errorf("the host that cannot follow: %d %s", status, answer)
	}
	if status, answer := b.awaits(t, `"by":"1.0.0"`, `{"x":1}`, pinHeader, "1.0.0"); status != 200 {
		t.Errorf("pinned at the host that cannot follow: %d %s", status, answer)
	}
	b.awaitState(t, 503, `"BEHIND"`)
	a.awaitState(t, 200, `"status":"ready"`)
	if err := os.RemoveAll(second); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	if err := b.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	b.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	b.awaitState(t, 200, `"status":"ready"`)

	r.kill()
	a.awaitState(t, 200, `"ALONE"`)
	r.args = append(r.args, "--dir", t.TempDir())
	r.start(t)
	a.awaitState(t, 200, `"status":"ready"`)
	b.awaitState(t, 200, `"status":"ready"`)
	a.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	b.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
}

// A server is not ready while another server does not know its key, and it reports how to share the key. A
// snapshot with an unknown key is not reported as a snapshot that never existed.
func TestServersWithTwoKeys(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	elder := startServer(t, "--redis", r.url(), "--snapshot-key", sameKey)
	stranger := startServer(t, "--redis", r.url())
	stranger.awaitState(t, 503, "copy the files keys/snapshot-*.key from the --data directory of one server to the others")
	elder.awaitState(t, 200, `"status":"ready"`)

	alone := startServer(t, "--snapshot-key", sameKey) // without Redis, ids are embedded
	status, id, _ := alone.createSnapshot(t)
	if status != 201 {
		t.Fatalf("freeze: %d", status)
	}
	if status, answer := stranger.get(t, "/api/v1/share/"+id); status != 404 || !strings.Contains(answer, "SNAPSHOT_NOT_FOUND") || !strings.Contains(answer, "is signed by the key") {
		t.Errorf("a snapshot of another key: %d %s", status, answer)
	}
	if status, _ := elder.get(t, "/api/v1/share/"+id); status != 200 {
		t.Errorf("a snapshot of the same key: %d", status)
	}
}
