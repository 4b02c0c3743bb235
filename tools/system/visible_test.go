package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const steeringReason = "wrong\u202eeslaf\x1b[2J\nslipstick: all is well"

// Reasons must not contain text that could control a terminal or that readers cannot see: publishing refuses it.
// Errors escape text of a command line.
func TestUnsafeReasonsAreRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, filepath.Join(built.engines, "ohms_law"))
	for _, r := range []result{
		slipstick(t.Context(), "yank", "--registry", dir, "ohms-law", "1.0.1", "--reason", steeringReason),
		slipstick(t.Context(), "calc", "--registry", dir, "ohms-law", "V=12", "R=8", "--pin", "1.0.1\u202e"),
	} {
		if r.code != exitFailed || !strings.Contains(r.err, `\u202e`) || strings.ContainsAny(r.err, "\u202e\x1b") {
			t.Errorf("%d %q", r.code, r.err)
		}
	}
	if out := does(t, "list", "--registry", dir); strings.Contains(out, "yanked") {
		t.Errorf("list: %q", out)
	}
}

// Characters of an answer that readers cannot see are replaced, on terminals and in files.
func TestInvisibleCharactersAreReplaced(t *testing.T) {
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
	buildEngine(t, engine, "peek", "wants="+shown)
	does(t, "publish", "--to", reg, engine, "--read-only", shown, "--readable", shown)
	calc := []string{"calc", "--registry", reg, "--readable", shown, "peek", "path=" + file}
	for _, args := range [][]string{calc, append(calc, "--json")} {
		if out := does(t, args...); !strings.Contains(out, "1\ufffd2\ufffd3") || strings.ContainsAny(out, "\u202e\u2066") {
			t.Errorf("%v: %q", args, out)
		}
	}
}
