package system

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An engine that asks to read the private files of the server does not start, for any publisher and any grant of
// the operator. If the private files are in another directory, the engine can read its files.
func TestEngineReadsPrivateFiles(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	opt, reg, engine := filepath.Join(dir, "opt"), filepath.Join(dir, "registry"), filepath.Join(dir, "peek")
	data := filepath.Join(opt, "slipstick", "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(data, "secret")
	overwrite(t, secret, []byte("the host's own"))
	buildEngine(t, engine, "peek", "wants="+opt)
	asks := []string{"--read-only", opt, "--readable", opt}
	if r := slipstick(t.Context(), append([]string{"publish", "--to", filepath.Join(opt, "registry"), engine}, asks...)...); r.code != exitFailed || !strings.Contains(r.err, "contains the registry of the server") {
		t.Errorf("published into what it reads: %d %s%s", r.code, r.out, r.err)
	}
	does(t, append([]string{"publish", "--to", reg, engine, filepath.Join(built.engines, "ohms_law")}, asks...)...)

	body := fmt.Sprintf(`{"path":%q}`, secret)
	h := startServer(t, "--registry", reg, "--data", data, "--readable", opt)
	if said := strings.Join(h.said, "\n"); !strings.Contains(said, "out of service: test.life.peek 1.0.0: the release wants to read "+opt+", which contains the data directory of the server ("+data+")") {
		t.Errorf("serve said %s", said)
	}
	for range 2 { // idle, and after a call
		if status, answer := h.get(t, "/readyz?verbose"); status != 200 || !strings.Contains(answer, `"test.life.peek@1.0.0":"needs files of the server"`) {
			t.Errorf("readyz: %d %s", status, answer)
		}
		if status, answer := h.post(t, "/api/v1/calc/peek", body); status != 503 || !strings.Contains(answer, `"code":"ENGINE_UNAVAILABLE"`) || strings.Contains(answer, "own") {
			t.Errorf("peek: %d %s", status, answer)
		}
	}
	if status, answer := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Errorf("the other: %d %s", status, answer)
	}

	h = startServer(t, "--registry", reg, "--data", filepath.Join(dir, "data"), "--readable", opt)
	if status, answer := h.post(t, "/api/v1/calc/peek", body); status != 200 || !strings.Contains(answer, `"text":"the host's own"`) {
		t.Errorf("where the host has nothing: %d %s", status, answer)
	}
}
