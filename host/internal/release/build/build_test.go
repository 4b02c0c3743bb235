package build_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/build"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// amd64 is the platform of the assembly of these tests.
var amd64 = build.Platform{OS: "linux", Arch: "amd64"}

// program is a program that imports an assembly package of another module.
var program = map[string]string{
	"engine/go.mod":                  "module example.org/engine\n\ngo 1.26\n\nrequire example.org/fast v0.0.0\n\nreplace example.org/fast => ../fast\n",
	"engine/main.go":                 "package main\n\nimport \"example.org/fast/add\"\n\nfunc main() { println(add.Two()) }\n",
	"fast/go.mod":                    "module example.org/fast\n\ngo 1.26\n",
	"fast/add/add.go":                "package add\n\nfunc Two() int\n",
	"fast/add/add_amd64.s":           "#include \"textflag.h\"\n#include \"go_asm.h\"\n#include \"two.h\"\n\n// include the carry\nTEXT ·Two(SB), NOSPLIT, $0-8\n\tMOVQ $TWO, ret+0(FP)\n\tRET\n",
	"fast/add/two.h":                 "#include \"unit_amd64.h\"\n#define TWO (UNIT+UNIT)\n",
	"fast/add/unit_amd64.h":          "#define UNIT 1\n",
	"fast/add/unit_arm64.h":          "#define UNIT 100\n",
	"fast/add/hidden/two.h":          "#define TWO 2\n",
	"fast/add/_two.h":                "#define TWO 2\n",
	"fast/add/two.inc":               "#define TWO 2\n",
	"fast/add/tagged.h":              "//go:build never\n\n#define TWO 2\n",
	"fast/add/two.h.backup/nothing":  "",
	"fast/add/testdata/nested/two.h": "#define TWO 2\n",
}

// An include of a file that is not a listed source is refused in any spelling, before Go compiles a file.
// Listed headers and the headers of Go can be included.
func TestIncludes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, program)
	write(t, dir, map[string]string{"outside.h": "#define TWO 2\n"})
	const file = "fast/add/add_amd64.s"
	first, rest, _ := strings.Cut(program[file], "#include \"two.h\"")
	including := func(text string) { write(t, dir, map[string]string{file: first + text + rest}) }
	builds := func() error {
		_, err := build.All(t.Context(), filepath.Join(dir, "engine"), []build.Platform{amd64}, t.TempDir(), nil)
		return err
	}
	if err := builds(); err != nil {
		t.Fatal(err)
	}
	listed, err := build.List(t.Context(), filepath.Join(dir, "fast", "add"), amd64, nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	add := listed[len(listed)-1]
	for _, text := range []string{
		"#\tinclude \"two.h\" // as listed", "#define TWO 2 // not #include \"hidden/two.h\"", "/*\n#include \"hidden/two.h\"\n*/\n#define TWO 2",
	} {
		including(text)
		if _, err := add.Sources(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		`#include "hidden/two.h"`, `#include "./hidden/two.h"`, `#include "../../outside.h"`, fmt.Sprintf(`#include %q`, filepath.Join(dir, "outside.h")),
		`#include "_two.h"`, `#include "two.inc"`, `#include "tagged.h"`, `#include "unit_arm64.h"`, `#include "testdata/nested/two.h"`, `#include ""`,
		`#include "\x68idden/two.h"`, `#include "hidden\057two.h"`, "#\tinclude\t\"hidden/two.h\"", `#/**/include/**/"hidden/two.h"`, "#include/*\n*/\"hidden/two.h\"",
		"#define LATER #include \"hidden/two.h\"\nLATER", "#define WORD include\n#WORD \"hidden/two.h\"", "#ifdef GOARCH_amd64\n#include \"hidden/two.h\"\n#endif",
	} {
		including(text)
		if _, err := add.Sources(); !refused(err, "#include") {
			t.Errorf("%s: %v", text, err)
		}
	}
	// The assembler runs twice. Between its runs Go defines const_Known and copies unit_amd64.h.
	write(t, dir, map[string]string{"fast/add/add.go": "package add\n\nfunc Two() int\n\nconst Known = 1\n"})
	including("#ifdef const_Known\n#include \"unit_GOARCH.h\"\n#endif\n#define TWO (UNIT+UNIT)")
	if err := builds(); err != nil {
		t.Error(err)
	}
	write(t, dir, map[string]string{"fast/add/unit_amd64.h": "#define UNIT 1\n#include \"hidden/two.h\"\n"})
	if err := builds(); !refused(err, "unit_amd64.h:2: #include") {
		t.Error(err)
	}
}

// refused reports whether the error is a [*build.FailedError] with this reason.
func refused(err error, why string) bool {
	failed, ok := errors.AsType[*build.FailedError](err)
	return ok && strings.Contains(failed.Error(), why)
}

// An object file is refused: it is not source, and Go starts a C compiler for it even without cgo.
func TestObjectFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, program)
	write(t, dir, map[string]string{"fast/add/more_amd64.syso": "INPUT(/etc/passwd)\n"})
	_, err := build.All(t.Context(), filepath.Join(dir, "engine"), []build.Platform{amd64}, t.TempDir(), nil)
	if !refused(err, "more_amd64.syso: an object file") {
		t.Error(err)
	}
}

// Sources returns every file below the source directory that the compiler, the assembler and the linker
// open. The test records the opened files with strace.
func TestSourcesAreComplete(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, program)
	write(t, dir, map[string]string{
		"engine/main.go": "package main\n\nimport (\n\t_ \"embed\"\n\n\t\"example.org/fast/add\"\n)\n\n//go:embed tables\nvar table string\n\n//line /etc/hostname:1\nfunc main() { println(add.Two(), table) }\n",
		"engine/tables":  dir, "engine/other_windows.go": "package main\n", "engine/main_test.go": "package main\n",
		"engine/README.md": "engine\n", "fast/add/add.go": "package add\n\nfunc Two() int\n\nconst text = " + fmt.Sprintf("%q", dir) + "\n",
	})
	engine := filepath.Join(dir, "engine")
	packages, err := build.List(t.Context(), engine, amd64, nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, p := range packages {
		files, err := p.Sources()
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, files...)
	}
	traces := t.TempDir()
	cmd := build.Command(t.Context(), engine, amd64, nil, "build", "-o", filepath.Join(traces, "engine"),
		"-toolexec=strace -ff -y -qq -e trace=openat -e signal=none -o "+filepath.Join(traces, "trace"), ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	read := opened(t, traces, dir)
	for _, name := range []string{"engine/main.go", "engine/tables", "fast/add/add.go", "fast/add/add_amd64.s", "fast/add/two.h"} {
		if !slices.Contains(read, filepath.Join(dir, name)) {
			t.Errorf("the traces do not contain %s: the test proves nothing about it", name)
		}
	}
	for _, file := range read {
		if !slices.Contains(sources, file) {
			t.Errorf("%s is read, but is not in the sources", file)
		}
	}
}

// opened returns the files below a directory that processes opened, from the traces of strace.
func opened(t *testing.T, traces, dir string) (files []string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(traces, "trace.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range list {
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, result, _ := strings.Cut(line, ") = ") // a descriptor and its file
			_, file, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(result), ">"), "<")
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && strings.HasPrefix(file, dir+"/") {
				files = append(files, file)
			}
		}
	}
	return files
}

// Go starts only its own tools, for source in any repository and with any settings of go env -w.
func TestCommandStartsOnlyGoTools(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module example.org/engine\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"})
	marks := filepath.Join(home, "started")
	shims := filepath.Join(home, "shims")
	for _, name := range []string{"git", "hg", "svn", "bzr", "fossil", "gcc", "clang", "cc", "pkg-config", "cacheprog"} {
		write(t, shims, map[string]string{name: "#!/bin/sh\necho " + name + " >>" + marks + "\nexit 1\n"})
		if err := os.Chmod(filepath.Join(shims, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	started := func() string {
		text, _ := os.ReadFile(marks)
		_ = os.Remove(marks)
		return string(text)
	}
	write(t, home, map[string]string{"env": "GOFLAGS=-toolexec=" + shims + "/cc\nGOEXPERIMENT=nodwarf5\nGOCACHEPROG=" + shims + "/cacheprog\nGOPROXY=off\n"})
	t.Setenv("GOENV", filepath.Join(home, "env"))
	t.Setenv("PATH", shims+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOFLAGS", "")
	for _, repository := range []string{".git", ".hg", ".svn", ".bzr"} {
		write(t, dir, map[string]string{repository + "/HEAD": "ref: refs/heads/main\n"})
		built, err := build.All(t.Context(), dir, []build.Platform{build.Here}, t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := build.Command(t.Context(), dir, build.Here, nil, "version", "-m", built[0].File).Output()
		if err != nil || strings.Contains(string(out), "GOEXPERIMENT") {
			t.Errorf("built with the settings of go env -w (%v):\n%s", err, out)
		}
		if list := started(); list != "" {
			t.Errorf("with %s it started %s", repository, list)
		}
		plain := exec.Command("go", "list", "-json", ".")
		plain.Dir, plain.Env = dir, append(os.Environ(), "GOENV=off")
		_ = plain.Run()
		if list := started(); list == "" && repository != ".bzr" {
			t.Errorf("with %s plain Go starts no program either: the test proves nothing", repository)
		}
		if err := os.RemoveAll(filepath.Join(dir, repository)); err != nil {
			t.Fatal(err)
		}
	}
	proxy, err := build.Command(t.Context(), dir, build.Here, nil, "env", "GOPROXY").Output()
	if err != nil || string(proxy) != "off\n" {
		t.Errorf("the proxy of go env -w is %q (%v)", proxy, err)
	}
	_ = exec.Command("go", "list", "-export", ".").Run()
	if list := started(); !strings.Contains(list, "cacheprog") {
		t.Errorf("plain Go does not use what go env -w set: the test proves nothing (%s)", list)
	}
}

// An executable for Windows has the name that Windows starts.
func TestNamesOfExecutables(t *testing.T) {
	dir, into := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module example.org/area\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"})
	windows := build.Platform{OS: "windows", Arch: "arm64"}
	for _, tt := range []struct {
		platforms []build.Platform
		want      []string
	}{
		{[]build.Platform{amd64}, []string{"area"}},
		{[]build.Platform{windows}, []string{"area.exe"}},
		{[]build.Platform{amd64, windows}, []string{"area-linux-amd64", "area-windows-arm64.exe"}},
	} {
		all, err := build.All(t.Context(), dir, tt.platforms, into, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range all {
			got = append(got, filepath.Base(b.File))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.platforms, got, tt.want)
		}
	}
}
