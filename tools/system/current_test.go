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

// signedSwaps publishes the engine swap as 1.0.0 and 2.0.0, signed, and returns what runs a
// command there, signed or not.
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

// answersBy fails unless calls without a pin are answered by the version.
func (h *host) answersBy(t *testing.T, version string) {
	t.Helper()
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != http.StatusOK || byOf(answer) != version {
		t.Errorf("%d %s, want version %s", status, answer, version)
	}
}

// Where signatures are required, who can write to the registry and has no key does not
// move calls without a pin to an older signed version.
func TestCurrentIsNotSetBack(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func() string{
		"in a directory": func() string { return filepath.Join(t.TempDir(), "registry") },
		"elsewhere":      func() string { return startElsewhere(t).address() },
	} {
		t.Run(name, func(t *testing.T) {
			keys, trust := signers(t, sign.Publishes)
			address, dir := at(), t.TempDir()
			on := signedSwaps(t, address, keys[sign.Publishes])
			h := remoteHost(t, address, dir, "--trust", trust, "--require-signatures")
			h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)

			on(false, "promote", "swap", "1.0.0") // the tag is all that can be moved without a key
			on(true, "deprecate", "swap", "1.0.0", "--reason", "older rounding")
			h.awaits(t, "VERSION_DEPRECATED", `{"x":1}`, pinHeader, "1.0.0") // so that was seen too
			h.answersBy(t, "2.0.0")

			on(true, "promote", "swap", "1.0.0")
			h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
			on(true, "yank", "swap", "1.0.0", "--reason", "wrong")
			h.awaits(t, `"by":"2.0.0"`, `{"x":1}`)
			h.shows(t, "/readyz?verbose", `"status":"ready"`)
		})
	}
}

// A copy of the registry from before the last statements, in which all is signed, moves
// nothing back, also not after a restart. A host that has lost its memory cannot tell.
func TestOlderStatementsAreNotFollowed(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes)
	registry, dir := filepath.Join(t.TempDir(), "registry"), t.TempDir()
	on := signedSwaps(t, registry, keys[sign.Publishes])
	strict := []string{"--trust", trust, "--require-signatures"}
	h := remoteHost(t, registry, dir, strict...)
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
	h = remoteHost(t, registry, dir, strict...)
	h.answersBy(t, "2.0.0")
	h.shows(t, "/readyz?verbose", "damaged in 1")
	remoteHost(t, registry, t.TempDir(), strict...).answersBy(t, "1.0.0")

	on(true, "promote", "swap", "1.0.0") // a number that was used already
	on(true, "promote", "swap", "1.0.0")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	h.shows(t, "/readyz?verbose", `"status":"ready"`)
}

// Where signatures are required and nobody has signed which version is current, pins are
// answered, and calls without one are told what to do.
func TestNobodySignedCurrent(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes)
	engines, registry := swaps(t, "1.0.0", "2.0.0"), filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"], engines["2.0.0"])
	does(t, "sign", "swap@1.0.0", "--registry", registry, "--key", keys[sign.Publishes])
	strict := []string{"--registry", registry, "--trust", trust, "--require-signatures"}
	h := startHost(t, append(strict, "--follow", "20ms")...)
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

// A host that is running goes on with what it has when the log of its registry is not the one
// that it saw, and takes up what is new when it is; when the time of the checkpoint is over it is
// not ready, and goes on answering.
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
	h := startHost(t, "--registry", registry, "--trust", trust, "--require-signatures", "--follow", "20ms")
	h.answersBy(t, "2.0.0")
	h.shows(t, "/readyz?verbose", `"checkpoint":"ok"`)
	if status, head := h.get(t, transparency.WellKnown); status != http.StatusOK || head != string(mustRead(t, filepath.Join(log, "checkpoint"))) {
		t.Errorf("the head: %d %s", status, head)
	}

	on(true, "yank", "swap", "2.0.0", "--reason", "wrong")
	h.awaits(t, `"by":"1.0.0"`, `{"x":1}`)
	h.shows(t, transparency.WellKnown, string(mustRead(t, filepath.Join(log, "checkpoint")))) // or the host may never see this log
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
	on(true, "promote", "swap", "1.0.0") // which logs it in a log that goes another way
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
