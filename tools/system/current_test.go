package system

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/transparency"
)

// signedSwaps publishes the engine swap as 1.0.0 and 2.0.0, signed. It returns a function that runs a command on
// this registry, signed or unsigned.
func signedSwaps(t *testing.T, at, key string) (on func(signed bool, command string, args ...string) string) {
	t.Helper()
	engines, mirror := swaps(t, "1.0.0", "2.0.0"), t.TempDir()
	does(t, "publish", "--to", at, "--mirror", mirror, "--sign", key, engines["1.0.0"], engines["2.0.0"])
	return func(signed bool, command string, args ...string) string {
		t.Helper()
		all := append([]string{command, "--registry", at, "--mirror", mirror}, args...)
		if signed {
			all = append(all, "--sign", key)
		}
		return does(t, all...)
	}
}

// answersBy fails unless the version answers calls without a pin.
func (h *server) answersBy(t *testing.T, version string) {
	t.Helper()
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != http.StatusOK || byOf(answer) != version {
		t.Errorf("%d %s, want version %s", status, answer, version)
	}
}

// Signatures are required, and an attacker has write access to the registry but no key. The attacker cannot move
// calls without a pin to an older signed version.
func TestCurrentIsNotSetBack(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func() string{
		"in a directory": func() string { return filepath.Join(t.TempDir(), "registry") },
		"elsewhere":      func() string { return startRemoteRegistry(t).address() },
	} {
		t.Run(name, func(t *testing.T) {
			keys, trust := signers(t, sign.Publishes)
			address, dir := at(), t.TempDir()
			on := signedSwaps(t, address, keys[sign.Publishes])
			h := startRemoteServer(t, address, dir, "--trust", trust, "--require-signatures")
			h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)

			on(false, "promote", "swap", "1.0.0") // without a key, the tag is the only part that can be moved
			on(true, "deprecate", "swap", "1.0.0", "--reason", "older rounding")
			h.awaits(t, "VERSION_DEPRECATED", `{"x":1}`, pinHeader, "1.0.0") // make sure that the server has read the deprecation too
			h.answersBy(t, "2.0.0")

			on(true, "promote", "swap", "1.0.0")
			h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
			on(true, "yank", "swap", "1.0.0", "--reason", "wrong")
			h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
			h.shows(t, "/readyz?verbose", `"status":"ready"`)
		})
	}
}

// A copy of the registry from before the last statements, with everything signed, moves nothing to an older
// version. This also holds after a restart. A server that lost its trust-on-first-use store cannot detect the
// copy.
func TestOlderStatementsAreNotFollowed(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes)
	registry, dir := filepath.Join(t.TempDir(), "registry"), t.TempDir()
	on := signedSwaps(t, registry, keys[sign.Publishes])
	strict := []string{"--trust", trust, "--require-signatures"}
	h := startRemoteServer(t, registry, dir, strict...)
	on(true, "promote", "swap", "1.0.0")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	index := filepath.Join(registry, "test.life.swap", "index.json")
	older := mustRead(t, index)
	on(true, "promote", "swap", "2.0.0")
	h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)

	overwrite(t, index, older)
	h.shows(t, "/readyz?verbose", "damaged in 1")
	h.answersBy(t, "2.0.0")
	h.stop(t)
	h = startRemoteServer(t, registry, dir, strict...)
	h.answersBy(t, "2.0.0")
	h.shows(t, "/readyz?verbose", "damaged in 1")
	startRemoteServer(t, registry, t.TempDir(), strict...).answersBy(t, "1.0.0")

	on(true, "promote", "swap", "1.0.0") // this sequence number is already used
	on(true, "promote", "swap", "1.0.0")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	h.shows(t, "/readyz?verbose", `"status":"ready"`)
}

// If signatures are required and the current version is not signed, pinned calls are answered, and calls without a
// pin get the remedy.
func TestUnsignedCurrentVersion(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes)
	engines, registry := swaps(t, "1.0.0", "2.0.0"), filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"], engines["2.0.0"])
	does(t, "sign", "swap@1.0.0", "--registry", registry, "--key", keys[sign.Publishes])
	strict := []string{"--registry", registry, "--trust", trust, "--require-signatures"}
	h := startServer(t, append(strict, "--follow", "20ms")...)
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != http.StatusServiceUnavailable || !strings.Contains(answer, "slipstick promote test.life.swap VERSION --sign KEY") {
		t.Errorf("without a pin: %d %s", status, answer)
	}
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`, pinHeader, "1.0.0"); status != http.StatusOK {
		t.Errorf("with a pin: %d %s", status, answer)
	}
	verifies(t, exitFailed, strict, "slipstick promote test.life.swap 2.0.0 --sign KEY")
	does(t, "promote", "--registry", registry, "swap", "1.0.0", "--sign", keys[sign.Publishes])
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
}

// If the transparency log of its registry differs from the log that it saw, a running server keeps its state. It
// takes new releases when the log is consistent again. When the checkpoint expires, the server is not ready, but
// still answers.
func TestLogWhileRunning(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes)
	registry, key := filepath.Join(t.TempDir(), "registry"), keys[sign.Publishes]
	on := signedSwaps(t, registry, key)
	log := filepath.Join(registry, ".log")
	update := func(more ...string) {
		does(t, append([]string{"log", "update", "--registry", registry, "--key", key}, more...)...)
	}
	does(t, "log", "init", "--registry", registry, "--key", key, "--valid", "1h")
	first := filepath.Join(t.TempDir(), "first")
	copyTree(t, first, log)
	h := startServer(t, "--registry", registry, "--trust", trust, "--require-signatures", "--follow", "20ms")
	h.answersBy(t, "2.0.0")
	h.shows(t, "/readyz?verbose", `"checkpoint":"ok"`)
	if status, head := h.get(t, transparency.WellKnown); status != http.StatusOK || head != string(mustRead(t, filepath.Join(log, "checkpoint"))) {
		t.Errorf("the head: %d %s", status, head)
	}

	on(true, "yank", "swap", "2.0.0", "--reason", "wrong")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	h.shows(t, transparency.WellKnown, string(mustRead(t, filepath.Join(log, "checkpoint")))) // otherwise the server may never see this log
	saved := filepath.Join(t.TempDir(), "saved")
	copyTree(t, saved, log)
	restore := func(from string) {
		t.Helper()
		if err := os.RemoveAll(log); err != nil {
			t.Fatal(err)
		}
		copyTree(t, log, from)
	}
	restore(first)
	h.shows(t, "/readyz?verbose", "the log is shortened")
	on(true, "promote", "swap", "1.0.0") // this writes into a forked log
	h.shows(t, "/readyz?verbose", "the log is forked")
	h.answersBy(t, "1.0.0")
	restore(saved)
	h.shows(t, "/readyz?verbose", `"checkpoint":"ok"`)
	update("--valid", "1ns")
	h.shows(t, "/readyz?verbose", "has expired on")
	if status, state := h.get(t, "/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(state, "unready") {
		t.Errorf("readyz: %d %s", status, state)
	}
	h.answersBy(t, "1.0.0")
	update("--valid", "1h")
	h.shows(t, "/readyz?verbose", `"checkpoint":"ok"`)
	if status, state := h.get(t, "/readyz"); status != http.StatusOK {
		t.Errorf("readyz: %d %s", status, state)
	}
}
