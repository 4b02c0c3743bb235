package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/build"
)

var digestOf = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// The same source has the same digest in every directory and with every setting, and publish builds the same
// bytes.
func TestBuild(t *testing.T) {
	dir := newEngine(t)
	built := does(t, "build", dir, "--out", t.TempDir())
	elsewhere := filepath.Join(t.TempDir(), "another", "name")
	if err := os.CopyFS(elsewhere, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"GOFLAGS": "-tags=other -trimpath=false", "CGO_ENABLED": "1", "GOAMD64": "v3", "GOOS": "plan9", "TZ": "Asia/Tokyo",
	} {
		t.Setenv(name, value)
	}
	if again := does(t, "build", elsewhere, "--out", t.TempDir()); digestOf.FindString(built) == "" || digestOf.FindString(built) != digestOf.FindString(again) {
		t.Errorf("first %sthen %s", built, again)
	}
	to := filepath.Join(t.TempDir(), "registry")
	if published := does(t, "publish", "--to", to, elsewhere); digestOf.FindString(published) != digestOf.FindString(built) {
		t.Errorf("built %spublished %s", built, published)
	}
	if r := slipstick(t.Context(), "verify", "--registry", to); !strings.Contains(r.out, "  source                h1:") {
		t.Errorf("it names no source: %s", r.out)
	}
}

// In a build for several platforms, each file has the name of its platform. Most of the time goes into compiling
// the standard library for another architecture.
func TestBuildPlatforms(t *testing.T) {
	if os.Getenv("SLIPSTICK_SOAK") == "" {
		t.Skip("scripts/soak authors builds for several platforms")
	}
	dir, out := newEngine(t), t.TempDir()
	lines := strings.Split(strings.TrimSpace(does(t, "build", dir, "--out", out, "--platform", build.Here.String()+",linux/riscv64")), "\n")
	if len(lines) != 2 || digestOf.FindString(lines[0]) == digestOf.FindString(lines[1]) {
		t.Fatalf("%q", lines)
	}
	for i, platform := range []string{build.Here.OS + "-" + build.Here.Arch, "linux-riscv64"} {
		file := filepath.Join(out, "lumens_to_lux-"+platform)
		if _, err := os.Stat(file); err != nil || !strings.HasPrefix(lines[i], file+" ") {
			t.Errorf("%v, and it says %s", err, lines[i])
		}
	}
	published := does(t, "publish", "--to", filepath.Join(t.TempDir(), "registry"), dir, "--platform", "linux/riscv64="+dir)
	for _, line := range lines {
		if !strings.Contains(published, digestOf.FindString(line)) {
			t.Errorf("built\n%s\npublished\n%s", line, published)
		}
	}
}

// A defect of a program is reported in the words of the compiler, or in a line with the position.
func TestBuildRefuses(t *testing.T) {
	busy(t)
	dir := newEngine(t)
	source := filepath.Join(dir, "main.go")
	good, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) {
		t.Helper()
		if !strings.Contains(string(good), from) {
			t.Fatalf("main.go has no %q", from)
		}
		if err := os.WriteFile(source, []byte(strings.Replace(string(good), from, to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	says := func(code int, text string, args ...string) {
		t.Helper()
		if r := slipstick(t.Context(), args...); r.code != code || !strings.Contains(r.out+r.err, text) {
			t.Errorf("%v: %d, no %q in\n%s%s", args, r.code, text, r.out, r.err)
		}
	}
	change("in.Width *", "in.Breadth *")
	const fault = "main.go:51:25: in.Breadth undefined"
	to := filepath.Join(t.TempDir(), "registry")
	for _, args := range [][]string{
		{"build", dir, "--out", to}, {"check", dir}, {"publish", "--to", to, dir}, {"diff", dir, dir},
	} {
		says(exitFailed, fault, args...)
	}
	change(`range:"(0,)" doc:"Width`, `range:"(0,depth)" doc:"Width`)
	says(exitFailed, "- found start engine: the engine panics: sdk: ", "check", dir)
	says(exitFailed, "(example.com/lumens_to_lux/main.go:31)\n", "check", dir)
	hidden := filepath.Join(dir, "hidden.s")
	if err := os.WriteFile(hidden, []byte("#include \"hidden/x.h\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"build", dir, "--out", to}, {"check", dir}, {"publish", "--to", to, dir}, {"diff", dir, dir}, {"publish", "--to", to, filepath.Join(built.engines, "ohms_law"), "--platform", "linux/riscv64=" + dir},
	} {
		says(exitFailed, ".s:1: #include \"hidden/x.h\"", args...)
	}
	if err := os.Remove(hidden); err != nil {
		t.Fatal(err)
	}
	says(exitFailed, "of package main", "build", filepath.Join(root, "sdk"), "--out", to)
	says(exitMisuse, "without documents (NAME.calc.md), Go source", "check", filepath.Join(root, "scripts"))
	says(exitMisuse, "OS/ARCH", "build", dir, "--platform", "linux")
	says(exitFailed, "unsupported GOOS/GOARCH pair linux/pdp11", "build", dir, "--platform", "linux/pdp11")
}

// A program that is linked with C gets its own reason, which differs from the reason for an interpreter.
func TestCheckOfCgo(t *testing.T) {
	busy(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": "package main\n\nimport \"C\"\n\nfunc main() {}\n", "go.mod": "module example.com/linked\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := goCommand(dir, "build", "-o", "linked", ".")
	cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if r := slipstick(t.Context(), "check", filepath.Join(dir, "linked")); r.code != exitFailed || !strings.Contains(r.out, "built with cgo") || !strings.Contains(r.out, "slipstick build") {
		t.Errorf("%d\n%s%s", r.code, r.out, r.err)
	}
}

// The builds of slipstick and of the scripts are byte-identical.
func TestBuildFlags(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "scripts", "lib.sh"))
	if err != nil || !strings.Contains(string(text), "\nbuild_flags=\""+build.Flags+"\"\n") {
		t.Errorf("scripts/lib.sh has other build_flags than %s (%v)", build.Flags, err)
	}
}
