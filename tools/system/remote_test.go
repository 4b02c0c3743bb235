package system

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ggcr "github.com/google/go-containerregistry/pkg/registry"

	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry/sign"
)

// remoteRegistry is a remote registry in this process. It can stop, and start again at its address.
type remoteRegistry struct {
	handler http.Handler
	host    string
	server  *http.Server
}

func startRemoteRegistry(t *testing.T) *remoteRegistry {
	t.Helper()
	e := &remoteRegistry{handler: ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0))), host: "127.0.0.1:0"}
	e.up(t)
	t.Cleanup(func() { e.server.Close() })
	return e
}

func (e *remoteRegistry) up(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", e.host)
	if err != nil {
		t.Fatal(err)
	}
	e.host, e.server = listener.Addr().String(), &http.Server{Handler: e.handler}
	go e.server.Serve(listener)
}

func (e *remoteRegistry) address() string { return "oci://" + e.host + "/calc" }

// startRemoteServer starts a server of a remote registry, with its data and mirror in a directory.
func startRemoteServer(t *testing.T, address, dir string, args ...string) *server {
	t.Helper()
	return startServerWith(t, append([]string{
		"serve", "--addr", "127.0.0.1:0", "--registry", address, "--mirror", filepath.Join(dir, "mirror"),
		"--data", filepath.Join(dir, "data"), "--limit", "calc=0,share=0,page=0", "--follow", "20ms",
	}, args...))
}

// shows waits until the response at the path contains the text.
func (h *server) shows(t *testing.T, path, text string) {
	t.Helper()
	answer := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		_, answer = h.get(t, path)
		if strings.Contains(answer, text) {
			return
		}
	}
	t.Fatalf("%s does not show %q: %s", path, text, answer)
}

// Publications, promotions, yanks and revocations in a remote registry take effect on a running server. If the
// registry is down, the server keeps serving, reports this, and can start.
func TestServerFollowsRemoteRegistry(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "1.0.1", "2.0.0", "3.0.0")
	there := startRemoteRegistry(t)
	at := []string{"--mirror", t.TempDir()} // the mirror of the publishers
	on := func(command string, args ...string) string {
		t.Helper()
		return does(t, append(append([]string{command, "--registry", there.address()}, at...), args...)...)
	}
	publish := func(version string) {
		t.Helper()
		if out := does(t, append([]string{"publish", "--to", there.address(), engines[version]}, at...)...); !strings.HasPrefix(out, "published ") {
			t.Errorf("publish: %s", out)
		}
	}
	publish("1.0.0")
	if out := does(t, append([]string{"publish", "--to", there.address(), engines["1.0.0"]}, at...)...); out != "unchanged test.life.swap 1.0.0\n" {
		t.Errorf("again: %s", out)
	}
	// Publishing runs the published engine locally, to compare it with the next version.
	if r := slipstick(t.Context(), append([]string{"publish", "--to", there.address(), engines["1.0.1"]}, at...)...); r.code != exitFailed || !strings.Contains(r.err, "legal is 2.0.0") {
		t.Errorf("other answers in a patch: %d %s", r.code, r.err)
	}
	dir := t.TempDir()
	h := startRemoteServer(t, there.address(), dir)
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	publish("2.0.0")
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	if out := on("promote", "swap", "1.0.0"); out != "current test.life.swap 1.0.0\n" {
		t.Errorf("promote said %q", out)
	}
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	on("yank", "swap", "1.0.0", "--reason", "wrong beyond 10")
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	h.awaits(t, `"VERSION_YANKED"`, `{"x":1}`, pinHeader, "1.0.0")
	if out := on("list"); !strings.Contains(out, "yanked: wrong beyond 10") {
		t.Errorf("list:\n%s", out)
	}
	if out := does(t, append([]string{"calc", "--registry", there.address(), "--json", "swap", "x=2"}, at...)...); !strings.Contains(out, `"by":"2.0.0"`) {
		t.Errorf("calc: %s", out)
	}

	there.server.Close()
	h.shows(t, "/readyz?verbose", `"registry":"cannot be read; the server serves the known versions"`)
	h.shows(t, "/metrics", "slipstick_registry_up 0")
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":7}`); status != 200 || !strings.Contains(answer, `"y":7`) {
		t.Errorf("while it is down: %d %s", status, answer)
	}
	h.stop(t)
	h = startRemoteServer(t, there.address(), dir)
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	if said := strings.Join(h.said, "\n"); !strings.Contains(said, "its mirror is served") {
		t.Errorf("a start without the registry said %s", said)
	}
	there.up(t)
	h.shows(t, "/readyz?verbose", `"registry":"ok"`)
	publish("3.0.0")
	h.awaits(t, `"by":"3.0.0"`, `{"x":1}`)
	on("revoke", "swap", "3.0.0", "--reason", "wrong")
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
	h.awaits(t, `"VERSION_MISMATCH"`, `{"x":1}`, pinHeader, "3.0.0")
}

// A server without a mirror cannot start while its registry is down.
func TestNothingMirrored(t *testing.T) {
	r := slipstick(t.Context(), "serve", "--addr", "127.0.0.1:0", "--registry", "oci://127.0.0.1:1/calc", "--mirror", t.TempDir(), "--data", t.TempDir())
	if r.code != exitInternal || !strings.Contains(r.err, "its mirror is empty") {
		t.Errorf("%d %s", r.code, r.err)
	}
	if r := slipstick(t.Context(), "list", "--registry", "oci://no-prefix", "--mirror", t.TempDir()); r.code != exitMisuse || !strings.Contains(r.err, "oci://host[:port]/prefix") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

// otherBytes returns an engine with other bytes and the same results.
func otherBytes(t *testing.T, engine string) string {
	t.Helper()
	data, err := os.ReadFile(engine)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, append(data, 0), 0o700); err != nil {
		t.Fatal(err)
	}
	return other
}

// G3, G4: a registry was rebuilt with other bytes for the same version. A server that saw the first bytes executes
// only those, also after a restart.
func TestRegistryRewritten(t *testing.T) {
	t.Parallel()
	dir, registry := t.TempDir(), filepath.Join(t.TempDir(), "registry")
	engines := swaps(t, "1.0.0")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	serve := []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", dir, "--limit", "calc=0,share=0,page=0", "--follow", "20ms"}
	h := startServerWith(t, serve)
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)

	rewritten := registry + ".new"
	does(t, "publish", "--to", rewritten, otherBytes(t, engines["1.0.0"]))
	for _, move := range [][2]string{{registry, registry + ".old"}, {rewritten, registry}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	h.shows(t, "/readyz?verbose", `"registry":"damaged in`)
	h.stop(t)
	h = startServerWith(t, serve)
	h.shows(t, "/readyz?verbose", `"test.life.swap@1.0.0":"damaged in the registry"`)
	h.shows(t, "/metrics", "slipstick_registry_damaged 1")
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != 503 {
		t.Errorf("other bytes: %d %s", status, answer)
	}
	if _, figures := h.get(t, "/metrics"); strings.Contains(figures, `capability="test.life.swap",event="start"`) {
		t.Error("other bytes were executed")
	}
	if said := strings.Join(h.said, "\n"); !strings.Contains(said, "first seen here") {
		t.Errorf("it said %s", said)
	}
}

// The same for a remote registry: the server has the first bytes in its mirror and keeps serving them.
func TestRemoteRegistryRewritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	engines := swaps(t, "1.0.0")
	there := startRemoteRegistry(t)
	does(t, "publish", "--to", there.address(), "--mirror", t.TempDir(), engines["1.0.0"])
	h := startRemoteServer(t, there.address(), dir)
	_, digest := h.get(t, "/api/v1/capabilities/test.life.swap/evidence")
	there.server.Close()
	there.handler = ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)))
	there.up(t)
	does(t, "publish", "--to", there.address(), "--mirror", t.TempDir(), otherBytes(t, engines["1.0.0"]))
	for range 2 {
		h.shows(t, "/readyz?verbose", `"registry":"damaged in`)
		if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":3}`); status != 200 || !strings.Contains(answer, `"y":3`) {
			t.Errorf("%d %s", status, answer)
		}
		if _, now := h.get(t, "/api/v1/capabilities/test.life.swap/evidence"); now != digest {
			t.Errorf("the evidence was %s and is %s", digest, now)
		}
		h.stop(t)
		h = startRemoteServer(t, there.address(), dir)
	}
}

// The lock file decides which releases are served, whatever else is published and current.
func TestServeLocked(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	registry, dir := filepath.Join(t.TempDir(), "registry"), t.TempDir()
	lock := filepath.Join(dir, "slipstick.lock")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	if out := does(t, "lock", "--registry", registry, "--output", lock); out != fmt.Sprintf("locked 1 version in %s\n", lock) {
		t.Errorf("lock: %s", out)
	}
	does(t, "publish", "--to", registry, engines["2.0.0"])
	h := startServer(t, "--registry", registry, "--locked="+lock, "--follow", "20ms")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`, pinHeader, "2.0.0"); status != 409 || !strings.Contains(answer, `"available_versions":["1.0.0"]`) {
		t.Errorf("a version that is not locked: %d %s", status, answer)
	}
	check := func(code int, want string) {
		t.Helper()
		r := slipstick(t.Context(), "lock", "--check", "--registry", registry, "--output", lock)
		if r.code != code || !strings.Contains(r.out, want) {
			t.Errorf("check: %d %s%s", r.code, r.out, r.err)
		}
	}
	check(exitOK, "1 version is published as it is locked")
	does(t, "lock", "--registry", registry, "--output", lock, "swap")
	if data, err := os.ReadFile(lock); err != nil || strings.Count(string(data), fmt.Sprintf("%q", publish.Platform)) != 2 {
		t.Errorf("the lock file: %v\n%s", err, data)
	}
	check(exitOK, "2 versions")

	// The same version with other bytes does not run. If one locked release is missing, the server serves none.
	registry += ".new"
	does(t, "publish", "--to", registry, otherBytes(t, engines["1.0.0"]))
	check(exitFailed, "test.life.swap 1.0.0: it is locked as sha256:")
	r := slipstick(t.Context(), "serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--locked="+lock)
	if r.code != exitFailed || !strings.Contains(r.err, "swap 2.0.0: it is not published") || !strings.Contains(r.err, "swap 1.0.0: it is locked as") {
		t.Errorf("serve --locked: %d %s", r.code, r.err)
	}
	if r := slipstick(t.Context(), "serve", "--addr", "127.0.0.1:0", "--locked", "--registry", registry, "--data", t.TempDir()); r.code != exitMisuse || !strings.Contains(r.err, "slipstick.lock") {
		t.Errorf("without a file: %d %s", r.code, r.err)
	}
}

// Signatures hold in a remote registry too. A server that requires signatures serves only releases that trusted
// keys published, and follows only their reports and withdrawals.
func TestSignedRemoteRegistry(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes, sign.Reports, sign.Reviews)
	engines := swaps(t, "1.0.0", "2.0.0")
	there := startRemoteRegistry(t)
	at := []string{"--mirror", t.TempDir()}
	does(t, append([]string{"publish", "--to", there.address(), "--sign", keys[sign.Publishes], engines["1.0.0"]}, at...)...)
	does(t, append([]string{"publish", "--to", there.address(), engines["2.0.0"]}, at...)...)
	does(t, append([]string{"review", "--registry", there.address(), "swap@1.0.0", "--key", keys[sign.Reviews], "--reviewer", "A. Meier", "--role", "engineer", "--kind", "internal", "--source-checked", "Handbook; 3rd; p. 5"}, at...)...)
	h := startRemoteServer(t, there.address(), t.TempDir(), "--trust", trust, "--require-signatures")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`, pinHeader, "1.0.0")
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`, pinHeader, "2.0.0"); status != 503 {
		t.Errorf("an unsigned version: %d %s", status, answer)
	}
	h.shows(t, "/api/v1/capabilities/swap/evidence?calculation_version=1.0.0", "A. Meier")
	does(t, append([]string{"yank", "--registry", there.address(), "--sign", keys[sign.Publishes], "swap", "1.0.0", "--reason", "test"}, at...)...)
	h.awaits(t, `"VERSION_YANKED"`, `{"x":1}`, pinHeader, "1.0.0")
}
