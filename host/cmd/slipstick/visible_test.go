package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/terminal"
)

const (
	steeringReason = "wrong\u202eeslaf\x1b[2J\nslipstick: all is well"
	visibleReason  = `wrong\u202eeslaf\u001b[2J\u000aslipstick: all is well`
)

// What publishers write reaches terminals only in a form in which it is seen, and cannot
// pass for a line of ours.
func TestReasonsDoNotSteer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, filepath.Join(built.engines, "ohms_law"))
	does(t, "yank", "--registry", dir, "ohms-law", "1.0.0", "--reason", steeringReason)
	if out := does(t, "list", "--registry", dir); !strings.Contains(out, visibleReason) || strings.Count(out, "\n") != 2 {
		t.Errorf("list: %q", out)
	}
	document := does(t, "list", "--registry", dir, "--json")
	var row terminal.Listed
	if err := json.Unmarshal([]byte(document), &row); err != nil || row.Reason != steeringReason || !strings.Contains(document, "\u202e") {
		t.Errorf("list --json, into a file: %q, %v", document, err)
	}
	if r := slipstick(t.Context(), "calc", "--registry", dir, "ohms-law", "V=12", "R=8", "--pin", "1.0.0\u202e"); r.code != exitFailed || !strings.Contains(r.err, `\u202e`) || strings.Contains(r.err, "\u202e") {
		t.Errorf("calc: %d %q", r.code, r.err)
	}
	if out := does(t, "verify", "--registry", dir, "ohms-law@1.0.0", "--trust", trustFile(t)); strings.ContainsAny(out, "\u202e\x1b") {
		t.Errorf("verify: %q", out)
	}
}

func trustFile(t *testing.T) string {
	t.Helper()
	_, trust := signers(t, "publish")
	return trust
}

// What an engine answers is seen as it is, and in JSON means the same.
func TestAnswersDoNotSteer(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shown, reg, engine := filepath.Join(dir, "shown"), filepath.Join(dir, "registry"), filepath.Join(dir, "peek")
	if err := os.Mkdir(shown, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(shown, "file")
	overwrite(t, file, []byte("1\u202e2\u20663"))
	build := goCommand(".", "build", "-trimpath", "-ldflags", "-s -X main.wants="+shown, "-o", engine, "./testdata/engines/peek")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	does(t, "publish", "--to", reg, engine, "--read-only", shown, "--readable", shown)
	calc := []string{"calc", "--registry", reg, "--readable", shown, "peek", "path=" + file}
	if out := does(t, calc...); !strings.Contains(out, `1\u202e2\u20663`) || strings.ContainsAny(out, "\u202e\u2066") {
		t.Errorf("calc: %q", out)
	}
	if out := does(t, append(calc, "--json")...); !strings.Contains(out, "1\u202e2\u20663") {
		t.Errorf("calc --json, into a file: %q", out)
	}
}
