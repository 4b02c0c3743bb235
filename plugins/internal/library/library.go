// Package library gives tests the Go engines of this module.
//
// Engines are programs, which no package can import. [Again] builds a test a second time with an overlay, in which each
// engine is a package, and runs it there. The files on disk do not change.
package library

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// Engine is a Go engine of this module.
type Engine struct {
	sdk.Engine
	Dir string // below plugins, with slashes
}

// Engines are all of them, in the order of their directories. They are nil in the first build of a test.
var Engines []Engine

// Plugins is the directory of this module, from the directories in which [Again] is called.
const Plugins = "../.."

// Again builds the test or benchmark that calls it with the engines, and runs it with the same arguments. It returns false
// in the run that has the engines. The caller is in a package below plugins/internal, and fails or skips as its second
// run does.
func Again(t testing.TB) bool {
	t.Helper()
	if Engines != nil {
		return false
	}
	if testing.Short() {
		t.Skip("the build of all engines takes longer than a short test")
	}
	temporary := t.TempDir()
	o := overlay{dir: temporary, Replace: map[string]string{}}
	o.fill(t)
	description, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	file, binary := filepath.Join(temporary, "overlay.json"), filepath.Join(temporary, "again.test")
	err = os.WriteFile(file, description, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	arguments := append(slices.Clone(os.Args[1:]), "-test.count=1", "-test.testlogfile=")
	if _, isBenchmark := t.(*testing.B); isBenchmark {
		arguments = append(arguments, "-test.run=^$", "-test.bench=^"+t.Name()+"$")
	} else {
		arguments = append(arguments, "-test.run=^"+t.Name()+"$", "-test.bench=")
	}
	for _, command := range []*exec.Cmd{
		exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", file, "-o", binary, "."),
		exec.CommandContext(t.Context(), binary, arguments...),
	} {
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		err := command.Run()
		if err != nil {
			t.Fatalf("%s: %v", strings.Join(command.Args, " "), err)
		}
	}
	return true
}

// overlay replaces files for the go command.
type overlay struct {
	dir     string
	Replace map[string]string
}

// fill makes each engine a package, and writes the list of them.
func (o *overlay) fill(t testing.TB) {
	root, err := filepath.Abs(Plugins)
	if err != nil {
		t.Fatal(err)
	}
	var imports, engines strings.Builder
	for i, dir := range directories(t, root) {
		o.asPackage(t, filepath.Join(root, dir))
		slashed := filepath.ToSlash(dir)
		fmt.Fprintf(&imports, "\te%d \"github.com/slipstick/slipstick/plugins/%s\"\n", i, slashed)
		fmt.Fprintf(&engines, "\t\t{e%d.Engine(), %q},\n", i, slashed)
	}
	o.put(t, filepath.Join(root, "internal", "library", "engines.go"),
		fmt.Appendf(nil, "package library\n\nimport (\n%s)\n\nfunc init() {\n\tEngines = []Engine{\n%s\t}\n}\n", &imports, &engines))
}

// directories returns where there are engines, below the directory of the module. It opens all directories, because the
// go command does not know of the second build. Without that it returns the result of an earlier test after a change of
// one of their files.
func directories(t testing.TB, root string) (dirs []string) {
	for _, below := range []string{root, filepath.Join(root, "..", "sdk")} {
		err := filepath.WalkDir(below, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "vectors.json" && below == root {
				var dir string
				dir, err = filepath.Rel(root, filepath.Dir(path))
				dirs = append(dirs, dir)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

var packageMain = regexp.MustCompile(`(?m)^package main$`)

// asPackage makes a program a package.
func (o *overlay) asPackage(t testing.TB, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			o.Replace[file] = "" // it is left out
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o.put(t, file, packageMain.ReplaceAll(source, []byte("package engine")))
	}
}

// put replaces a file.
func (o *overlay) put(t testing.TB, file string, content []byte) {
	name := filepath.Join(o.dir, fmt.Sprintf("%d.go", len(o.Replace)))
	err := os.WriteFile(name, content, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	o.Replace[file] = name
}
