// Package system tests the built command: the servers that it starts, its files, its output and its exit codes.
// [TestMain] builds what the tests need, once.
package system

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/text"
)

// built has the paths of the command, the engines of this repository, and a registry with these engines. It also
// has the path of the modules of the command's release. The engines are built as in scripts/serve.
var built struct{ dir, slipstick, engines, registry, modules string }

// The exit codes of the command.
const (
	exitOK       = 0
	exitFailed   = 1
	exitMisuse   = 2
	exitInternal = 3
)

// patience is how long a test waits for an event. It is long enough for a busy machine.
const patience = 2 * time.Minute

// root is the top directory of the repository.
var root = filepath.Join("..", "..")

// busySlots limits the number of tests that may load a CPU at a time.
var busySlots = make(chan struct{}, 2)

// busy lets a test run in parallel with others when it has a slot. Tests with compilers and browsers, and tests that
// publish, need one. If more of them run at a time, callers give up before their engine has started.
func busy(t *testing.T) {
	t.Helper()
	t.Parallel()
	busySlots <- struct{}{}
	t.Cleanup(func() { <-busySlots })
}

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("the system tests start hosts and build engines: left out by -short")
		return
	}
	os.Setenv("XDG_DATA_HOME", "/none") // ignore the data of the user
	if cache, err := goCommand(".", "env", "GOCACHE").Output(); err == nil {
		os.Setenv("SLIPSTICK_BUILD_CACHE", strings.TrimSpace(string(cache))) // with an empty cache, each rebuild takes a minute longer
	}
	dir, err := os.MkdirTemp("", "slipstick-test-")
	if err == nil {
		err = buildAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.RemoveAll(dir)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// flagship is the only engine of this repository that is written in Go.
const flagship = "./mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection"

// commonDocuments has the documents that most tests use, by the names of their engine files. Two are versions of one
// capability with different results.
var commonDocuments = map[string]string{
	"ohms_law":        "electrical/basic/ohms_law",
	"amps_volts":      "electrical/convert/amps_volts",
	"watts_amps":      "electrical/convert/watts_amps",
	"grey_surface_v1": "thermo/radiation/grey_surface/1.0.0",
	"grey_surface":    "thermo/radiation/grey_surface/2.0.0",
}

func buildAll(dir string) error {
	built.dir = dir
	built.slipstick, built.engines, built.registry = filepath.Join(dir, "slipstick"), filepath.Join(dir, "engines"), filepath.Join(dir, "registry")
	built.modules = filepath.Join(dir, "modules")
	sums, err := releaseModules(filepath.Join(dir, "repository"), built.modules)
	if err != nil {
		return err
	}
	link := "-ldflags=-s -X main.version=" + releasedVersion + " -X 'main.sums=" + sums + "'"
	if out, err := goCommand(filepath.Join(root, "host"), "build", "-trimpath", "-buildvcs=false", link, "-o", built.slipstick, "./cmd/slipstick").CombinedOutput(); err != nil {
		return fmt.Errorf("build the command: %w\n%s", err, out)
	}
	program := filepath.Join(dir, "slipstick-text")
	err = goBuild(filepath.Join(root, "sdk"), program, "./cmd/slipstick-text")
	if err != nil {
		return err
	}
	if err := os.Mkdir(built.engines, 0o700); err != nil {
		return err
	}
	if err := goBuild(filepath.Join(root, "plugins"), built.engines+"/", flagship); err != nil {
		return err
	}
	for file, name := range commonDocuments {
		err := joinDocument(filepath.Join(built.engines, file), program, filepath.Join(root, "plugins", name+text.Suffix))
		if err != nil {
			return err
		}
	}
	if r := slipstick(context.Background(), append([]string{"publish", "--to", built.registry}, executables()...)...); r.code != exitOK {
		return fmt.Errorf("publish the engines: %s%s", r.out, r.err)
	}
	return nil
}

// joinDocument writes the engine file of a document for a runtime.
func joinDocument(to, program, path string) error {
	canonical, err := document.Read(path)
	if err != nil {
		return err
	}
	runtime, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	err = enginefile.Join(&file, bytes.NewReader(runtime), canonical)
	if err != nil {
		return err
	}
	return os.WriteFile(to, file.Bytes(), 0o700)
}

// copyDocument copies a document of this repository into a directory, with the program that computes its vectors.
func copyDocument(t *testing.T, name, dir string) {
	t.Helper()
	oracle := filepath.Join("plugins", "internal", "oracle")
	err := os.CopyFS(filepath.Join(dir, oracle), os.DirFS(filepath.Join(root, oracle)))
	if err == nil {
		name += text.Suffix
		err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), mustRead(t, filepath.Join(root, "plugins", name)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func goCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	workspace := "off"
	if filepath.Base(dir) == "host" { // its go.mod names released versions
		workspace = ""
	}
	cmd.Env = append(os.Environ(), "GOWORK="+workspace, "CGO_ENABLED=0")
	return cmd
}

func goBuild(dir, to string, packages ...string) error {
	return goBuildAs(nil, dir, to, packages...)
}

// goBuildAs is goBuild with additional environment variables.
func goBuildAs(env []string, dir, to string, packages ...string) error {
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s", "-o", to}, packages...)
	cmd := goCommand(dir, args...)
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build in %s: %w\n%s", dir, err, out)
	}
	return nil
}

// engineBuild builds an engine of testdata, with the values for variables of its package.
func engineBuild(to, name string, variables ...string) error {
	link := "-ldflags=-s"
	for _, v := range variables {
		link += " -X main." + v
	}
	return goBuild(".", to, link, "./testdata/engines/"+name)
}

// buildEngine calls engineBuild in a test.
func buildEngine(t *testing.T, to, name string, variables ...string) {
	t.Helper()
	if err := engineBuild(to, name, variables...); err != nil {
		t.Fatal(err)
	}
}

// mains lists the main packages of a module.
func mains(dir string) []string {
	out, _ := goCommand(dir, "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...").Output()
	return strings.Fields(string(out))
}

// executables lists the executables of the engines.
func executables() []string {
	list, _ := filepath.Glob(filepath.Join(built.engines, "*"))
	return list
}

// judge runs the program judge in a folder of scripts/node.
func judge(t *testing.T, folder string, args ...string) {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, "scripts", "node", folder, "judge"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("%s %v: %v", folder, args, err)
	}
}

type result struct {
	code     int
	out, err string
}

// slipstick runs the command.
func slipstick(ctx context.Context, args ...string) result { return slipstickOn(ctx, nil, args...) }

// slipstickOn runs the command with the text on stdin.
func slipstickOn(ctx context.Context, stdin io.Reader, args ...string) result {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, built.slipstick, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		return result{code: -1, err: err.Error()}
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// The same source gives the same bytes in every directory.
func TestReproducible(t *testing.T) {
	t.Parallel()
	var digests [2][]byte
	for i := range digests {
		dir := t.TempDir()
		for _, module := range []string{"versions", "sdk", "conformance", "plugins"} {
			if err := os.CopyFS(filepath.Join(dir, module), os.DirFS(filepath.Join(root, module))); err != nil {
				t.Fatal(err)
			}
		}
		engine := filepath.Join(dir, "engine")
		if err := goBuild(filepath.Join(dir, "plugins"), engine, flagship); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(engine)
		if err != nil {
			t.Fatal(err)
		}
		digests[i] = data
	}
	if !bytes.Equal(digests[0], digests[1]) {
		t.Error("two checkouts of one source built different engines")
	}
	published, err := os.ReadFile(filepath.Join(built.engines, filepath.Base(flagship)))
	if err != nil || !bytes.Equal(digests[0], published) {
		t.Errorf("the checkout here built another engine than a copy of it (%v)", err)
	}
}

func TestPublishAgainChangesNothing(t *testing.T) {
	before := filesIn(t, built.registry)
	r := slipstick(t.Context(), append([]string{"publish", "--to", built.registry}, executables()...)...)
	if r.code != exitOK || strings.Count(r.out, "unchanged ") != len(executables()) {
		t.Errorf("publish again: %d\n%s%s", r.code, r.out, r.err)
	}
	if after := filesIn(t, built.registry); after != before {
		t.Errorf("registry changed from\n%s\nto\n%s", before, after)
	}
}

// filesIn lists every file of a directory with its size and modification time.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && filepath.Base(path) != ".lock" {
			fmt.Fprintln(&list, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}

// A published version never changes.
func TestPublishOtherBytes(t *testing.T) {
	t.Parallel()
	registry := filepath.Join(t.TempDir(), "registry")
	original := enginePath(filepath.Base(flagship))
	if r := slipstick(t.Context(), "publish", "--to", registry, original); r.code != exitOK {
		t.Fatal(r.err)
	}
	data, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, append(data, 0), 0o700); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, registry)
	r := slipstick(t.Context(), "publish", "--to", registry, other)
	if r.code != exitFailed || !strings.Contains(r.err, "refused") || !strings.Contains(r.err, "1.0.0") {
		t.Errorf("other bytes: %d\n%s%s", r.code, r.out, r.err)
	}
	r = slipstick(t.Context(), "publish", "--to", registry, "--keep", other)
	if r.code != exitOK || !strings.Contains(r.err, "kept the published "+flagshipID+" 1.0.0") {
		t.Errorf("--keep: %d\n%s%s", r.code, r.out, r.err)
	}
	if after := filesIn(t, registry); after != before {
		t.Errorf("registry changed from\n%s\nto\n%s", before, after)
	}
}

// Publishing the same engine again repairs a damaged release.
func TestPublishRestores(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "registry")
	engine := enginePath(filepath.Base(flagship))
	publish := func(revision, want string) {
		t.Helper()
		if r := slipstick(t.Context(), "publish", "--to", dir, "--revision", revision, engine); r.code != exitOK || !strings.HasPrefix(r.out, want) {
			t.Errorf("publish: %d\n%s%s, want %s", r.code, r.out, r.err, want)
		}
	}
	publish("r1", "published ")
	blob := largestBlob(t, filepath.Join(dir, flagshipID))
	replace(t, blob, []byte("damaged"))
	publish("r2", "restored ")
	publish("r3", "unchanged ")
	if original, err := os.ReadFile(engine); err != nil || size(blob) != int64(len(original)) {
		t.Errorf("the blob has %d bytes (%v)", size(blob), err)
	}
}

// With --link the disk has one copy of an engine. A file with other bytes is not changed.
func TestPublishLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	engine, registry := filepath.Join(dir, "engine"), filepath.Join(dir, "registry")
	data, err := os.ReadFile(enginePath(filepath.Base(flagship)))
	if err != nil {
		t.Fatal(err)
	}
	blob := ""
	linked := func(status string, bytes []byte, want bool) {
		t.Helper()
		if bytes != nil {
			replace(t, engine, bytes)
		}
		if r := slipstick(t.Context(), "publish", "--to", registry, "--link", "--keep", engine); r.code != exitOK || !strings.HasPrefix(r.out, status) {
			t.Fatalf("publish: %d\n%s%s, want %s", r.code, r.out, r.err, status)
		}
		blob = largestBlob(t, filepath.Join(registry, flagshipID))
		published, err := os.Stat(blob)
		file, failed := os.Stat(engine)
		if err != nil || failed != nil || os.SameFile(published, file) != want {
			t.Errorf("%s: one file is %v; %v, %v", status, !want, err, failed)
		}
	}
	if err := os.WriteFile(engine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	replace(t, engine, data)
	before, err := os.Stat(engine)
	if err != nil {
		t.Fatal(err)
	}
	linked("published ", nil, true)
	if after, err := os.Stat(engine); err != nil || !os.SameFile(before, after) {
		t.Errorf("the bytes were written again: %v", err)
	}
	linked("unchanged ", nil, true)
	linked("unchanged ", data, true)
	linked("", append(data, 0), false)

	// Damage to the one copy affects both paths, but no other version of the engine.
	linked("unchanged ", data, true)
	if err := os.WriteFile(engine, append(data, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := slipstick(t.Context(), "publish", "--to", registry, "--link", "--keep", engine); r.code != exitFailed || !strings.Contains(r.err, "was changed or damaged") && !strings.Contains(r.err, "bytes, and its descriptor has") {
		t.Errorf("a damaged engine: %d\n%s%s", r.code, r.out, r.err)
	}
	linked("restored ", data, true)
}

func TestListAndShow(t *testing.T) {
	r := slipstick(t.Context(), "list", "--registry", built.registry)
	for _, want := range []string{"CAPABILITY", "thermo.radiation.grey_surface", "2.0.0", "1.0.0", "engine_tested", "current"} {
		if r.code != exitOK || !strings.Contains(r.out, want) {
			t.Errorf("list has no %q: %d\n%s%s", want, r.code, r.out, r.err)
		}
	}
	r = slipstick(t.Context(), "list", "--json", "--registry", built.registry)
	if lines := strings.Count(r.out, "\n"); r.code != exitOK || lines != len(executables()) {
		t.Errorf("list --json: %d, %d lines\n%s%s", r.code, lines, r.out, r.err)
	}
	r = slipstick(t.Context(), "show", "cantilever-deflection", "--registry", built.registry)
	for _, want := range []string{"triangle_peak_load", "w0", "euler_bernoulli | timoshenko", "LARGE_DEFLECTION", "sha256:"} {
		if r.code != exitOK || !strings.Contains(r.out, want) {
			t.Errorf("show has no %q: %d\n%s%s", want, r.code, r.out, r.err)
		}
	}
	r = slipstick(t.Context(), "show", "cantilever", "--registry", built.registry)
	if r.code != exitFailed || !strings.Contains(r.err, "cantilever-deflection") {
		t.Errorf("show of an unknown id: %d\n%s%s", r.code, r.out, r.err)
	}
}

func TestCalc(t *testing.T) {
	calc := func(args ...string) result {
		return slipstick(t.Context(), append([]string{"calc", "--registry", built.registry}, args...)...)
	}
	for _, tt := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"cantilever-deflection", "L=3", "E=210e9", "I=8.356e-5", "w0=12000"}, exitOK, []string{"delta", "0.00184641 m", "(0.001846406346166997)", "euler_bernoulli", "1.0.0"}},
		{[]string{"cantilever-deflection", "L=10ft", "E=30e6 psi", "I=200in4", "w0=800 lbf/ft"}, exitOK, []string{"length: 10 ft = 3.048 m"}},
		{[]string{"cantilever-deflection", "L=3", "EI=1e6"}, exitOK, []string{"warnings", "NO_LOAD_APPLIED"}},
		{[]string{"grey-surface-radiation", "temperature=350", "emissivity=0.9", "--pin", "1.0.0"}, exitOK, []string{"1.0.0", "5.670367e-8"}},
		{[]string{"ohms-law", "V=12", "R=8", "--json"}, exitOK, []string{`"status":"success"`, `"current":1.5`}},
		{[]string{"ohms-law", "V=12", "R=8", "--json", "--pin", "9.9.9"}, exitFailed, []string{`"code":"VERSION_MISMATCH"`}},
		{[]string{"ohms-law", "V=twelve", "R=8"}, exitFailed, []string{"INVALID_NUMBER", "voltage"}},
		{[]string{"ohms-law", "V=1e-400", "R=8"}, exitFailed, []string{"NUMERIC_UNDERFLOW"}},
		{[]string{"ohms-law", "V=12", "R=8", "--pin", "9.9.9"}, exitFailed, []string{"VERSION_MISMATCH", "published: 1.0.1"}},
		{[]string{"ohms-law@1.0.1", "V=12", "R=8"}, exitMisuse, []string{"slipstick calc ohms-law --pin 1.0.1"}},
		{[]string{"ohmslaw", "V=12"}, exitFailed, []string{"ENGINE_NOT_FOUND", "Did you mean ohms-law?"}},
	} {
		r := calc(tt.args...)
		for _, want := range tt.want {
			if r.code != tt.code || !strings.Contains(r.out+r.err, want) {
				t.Errorf("calc %v: %d, no %q in\n%s%s", tt.args, r.code, want, r.out, r.err)
			}
		}
		if tt.code == exitOK && r.err != "" && !strings.HasPrefix(r.err, "slipstick: the sandbox of engines is not complete") {
			t.Errorf("calc %v printed on stderr: %s", tt.args, r.err)
		}
	}
}
