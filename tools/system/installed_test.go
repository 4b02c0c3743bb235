package system

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// In a package, the library is next to the program. It is there for commands at once. An own registry includes it,
// and a server adds the versions of the next library.
func TestInstalledLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, here := filepath.Join(dir, "package", "bin", "slipstick"), filepath.Join(dir, "here")
	for _, name := range []string{filepath.Dir(program), filepath.Join(dir, "package", "lib", "slipstick"), here} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"slipstick", "slipstick-text"} {
		if err := os.Link(filepath.Join(built.dir, name), filepath.Join(filepath.Dir(program), name)); err != nil {
			t.Fatal(err)
		}
	}
	library := filepath.Join(dir, "package", "lib", "slipstick", "registry")
	publish := func(names ...string) {
		t.Helper()
		args := []string{"publish", "--to", library}
		for _, name := range names {
			args = append(args, filepath.Join(root, "plugins", name+".calc.md"))
		}
		does(t, args...)
	}
	publish("electrical/basic/ohms_law", "thermo/radiation/grey_surface/1.0.0")
	env := append(os.Environ(), "HOME="+here, "XDG_DATA_HOME=")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = here, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}

	if out := run("calc", "ohms-law", "V=12", "R=8"); !strings.Contains(out, "1.5 A") {
		t.Errorf("without an own registry: %s", out)
	}
	if entries, err := os.ReadDir(here); err != nil || len(entries) != 0 {
		t.Errorf("reading the library wrote %v, %v", entries, err)
	}
	// Changes go to an own registry, and never to the library.
	moved, before := filepath.Join(dir, "moved.zip"), filesIn(t, library)
	run("mirror", "export", moved)
	yank := exec.CommandContext(t.Context(), program, "yank", "ohms-law", "1.0.1", "--reason", "wrong")
	yank.Dir, yank.Env = here, env
	if out, _ := yank.CombinedOutput(); yank.ProcessState.ExitCode() != exitMisuse || !strings.Contains(string(out), "is the library of the package") {
		t.Errorf("yank without an own registry: %d %s", yank.ProcessState.ExitCode(), out)
	}
	if out := run("mirror", "import", moved); !strings.Contains(out, "into var/registry") {
		t.Errorf("import without an own registry: %s", out)
	}
	if filesIn(t, library) != before {
		t.Error("the library has changed")
	}
	if err := os.RemoveAll(filepath.Join(here, "var")); err != nil {
		t.Fatal(err)
	}
	run("new", "--text", "structural.steel.own_sheet")
	run("publish", "own_sheet.calc.md")
	if out := run("list"); !strings.Contains(out, "own-sheet") || !strings.Contains(out, "ohms-law") {
		t.Errorf("the own registry has not both: %s", out)
	}

	publish("thermo/radiation/grey_surface/2.0.0")
	cmd := exec.Command(program, "serve", "--addr", "127.0.0.1:0")
	cmd.Dir = here
	h := launchServer(t, cmd, "HOME="+here, "XDG_DATA_HOME=")
	const surface = `{"emissivity": 1, "temperature": 300, "surroundings_temperature": 290, "area": 1}`
	for request, want := range map[[2]string]string{
		{"ohms-law", `{"V": 12, "R": 8}`}:                             `"current":1.5`,
		{"own-sheet", `{"width": 1, "height": 2, "density": 7850}`}:   `"mass":23.55`,
		{"grey-surface-radiation", surface}:                           `"calculation_version":"2.0.0"`,
		{"grey-surface-radiation?calculation_version=1.0.0", surface}: `"calculation_version":"1.0.0"`,
	} {
		if status, body := h.post(t, "/api/v1/calc/"+request[0], request[1]); !strings.Contains(body, want) {
			t.Errorf("%v: %d %s, want %s", request, status, body, want)
		}
	}
	h.stop(t)
}

// A document is published for other platforms with their programs of text engines.
func TestPublishForPlatforms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := "linux/arm64"
	if runtime.GOARCH == "arm64" {
		other = "linux/amd64"
	}
	system, processor, _ := strings.Cut(other, "/")
	program := filepath.Join(dir, "slipstick-text-"+system+"-"+processor)
	if err := goBuildAs([]string{"GOOS=" + system, "GOARCH=" + processor}, filepath.Join(root, "sdk"), program, "./cmd/slipstick-text"); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(built.dir, "slipstick-text"), filepath.Join(dir, "slipstick-text")); err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(root, "plugins", "electrical", "basic", "ohms_law.calc.md")
	publish := func(args ...string) result {
		cmd := exec.CommandContext(t.Context(), built.slipstick, append([]string{"publish", "--to", filepath.Join(dir, "registry")}, args...)...)
		cmd.Env = append(os.Environ(), "SLIPSTICK_RUNTIMES="+dir)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return result{code: cmd.ProcessState.ExitCode(), out: string(out)}
	}
	if r := publish("--platform", other, document); r.code != exitOK || !strings.Contains(r.out, other+": candidate, engine sha256:") {
		t.Errorf("%+v", r)
	}
	if r := publish("--platform", other, filepath.Join(built.engines, "ohms_law")); r.code != exitMisuse || !strings.Contains(r.out, "is an executable for this platform") {
		t.Errorf("%+v", r)
	}
	if r := publish("--platform", runtime.GOOS+"/"+runtime.GOARCH, document); r.code != exitMisuse || !strings.Contains(r.out, "judged here") {
		t.Errorf("%+v", r)
	}

	// The registry of a package has the engines for its own platform only. It is whole, and can be moved.
	registry, file, moved := filepath.Join(dir, "registry"), filepath.Join(dir, "registry.zip"), filepath.Join(dir, "moved")
	if err := os.Remove(filepath.Join(registry, ".shared", "blobs", "sha256", fmt.Sprintf("%x", sha256.Sum256(mustRead(t, program))))); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"verify", "--registry", registry}, "ignored    engine " + other},
		{[]string{"mirror", "export", "--registry", registry, file}, "1 engine for other platforms left out"},
		{[]string{"mirror", "import", "--to", moved, file}, "1 engine for other platforms left out"},
		{[]string{"calc", "--registry", moved, "ohms-law", "V=12", "R=8"}, "1.5 A"},
	} {
		if r := slipstick(t.Context(), tt.args...); r.code != exitOK || !strings.Contains(r.out+r.err, tt.want) {
			t.Errorf("%v: %+v, want %q", tt.args, r, tt.want)
		}
	}
}
