package system

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// newEngine creates the module of an engine, as its author does.
func newEngine(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "lumens_to_lux")
	out := does(t, "new", "electrical.lighting.lumens_to_lux", "--dir", dir, "--checkout", root)
	if !strings.Contains(out, "/main.go\n") || !strings.Contains(out, "/.github/workflows/engine.yml\n") {
		t.Errorf("new made\n%s", out)
	}
	return dir
}

// A new engine passes its test, and check, without changes.
func TestNew(t *testing.T) {
	busy(t)
	dir := newEngine(t)
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}, {"build", "-o", "engine", "."}} {
		if out, err := goCommand(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	if changed, err := goCommand(dir, "fmt", "./...").CombinedOutput(); err != nil || len(changed) > 0 {
		t.Errorf("go fmt changes %s, %v", changed, err)
	}
	if out := does(t, "check", filepath.Join(dir, "engine")); !strings.Contains(out, " 0 failed, ") || !strings.Contains(out, "; 4 of 4 vectors") || !strings.Contains(out, "formula: 1 of 1 output proved") {
		t.Errorf("check:\n%s", out)
	}
}

func TestNewRefuses(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine.go"), []byte("package mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"Lumens", "--checkout", root}, "not a capability id"},
		{[]string{"lighting.lux", "--checkout", root}, "three or more"},
		{[]string{"a.b.c", "--checkout", root, "--dir", full}, "is not empty"},
		{[]string{"a.b.c", "--checkout", full}, "not a checkout of Slipstick"},
		{[]string{"a.b.c", "--lang", "node"}, `"node" is not a language for a new engine: use text, go or python`},
	} {
		r := slipstick(t.Context(), append([]string{"new"}, tt.args...)...)
		if r.code != exitMisuse || !strings.Contains(r.err, tt.says) {
			t.Errorf("new %v: %d %s", tt.args, r.code, r.err)
		}
	}
}

// dev serves the engine under development, reports its errors, and serves it again after they are corrected.
func TestDev(t *testing.T) {
	t.Parallel()
	dir := newEngine(t)
	cmd := exec.CommandContext(t.Context(), built.slipstick, "dev", dir, "--addr", "127.0.0.1:0", "--every", "20ms")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	awaits := func(text string) string {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return lines.Text()
			}
		}
		t.Fatalf("it ended without saying %q", text)
		return ""
	}
	area := func() string {
		_, address, _ := strings.Cut(awaits("serving http://"), "serving ")
		address, _, _ = strings.Cut(address, " ")
		_, answer := (&server{url: address}).post(t, "/api/v1/calc/lumens-to-lux", `{"b":2,"h":5}`)
		return answer
	}
	if answer := area(); !strings.Contains(answer, `"area":10`) {
		t.Errorf("%s", answer)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil { // a closed terminal sends this signal
		t.Fatal(err)
	}
	awaits("SIGHUP: the server read settings, keys, trust file and lock file again")
	source := filepath.Join(dir, "main.go")
	good, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	change := func(to string) {
		t.Helper()
		if err := os.WriteFile(source, []byte(strings.Replace(string(good), "in.Width * in.Height", to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("in.Width *")
	awaits("it does not build")
	change("2 * in.Width * in.Height")
	awaits("vectors-results")
	change("in.Height * in.Width")
	if answer := area(); !strings.Contains(answer, `"area":10`) {
		t.Errorf("%s", answer)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
