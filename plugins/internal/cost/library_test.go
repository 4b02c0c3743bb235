// Package cost_test holds every engine to a bound of what one calculation allocates, and
// measures how long it takes, over all its reference vectors and over those with other
// signs:
//
//	go test -bench . ./internal/cost
//
// Allocations are tested. Time is printed, and above 20 us with the reason.
//
// Engines are programs, which no package can import. So the tests are built once more,
// with copies of the engines that are packages; the copies exist in the overlay of the
// build alone.
package cost_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// program is an engine of the library.
type program struct {
	dir     string // below plugins
	engine  sdk.Engine
	vectors []byte
}

// library has the engines; the file that fills it is made by overlay.
var library []program

func TestMain(m *testing.M) {
	flag.Parse()
	if library != nil {
		os.Exit(m.Run())
	}
	if testing.Short() {
		fmt.Println("not built with the engines: this takes longer than a short test")
		return
	}
	if err := again(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// again builds these tests with the library and runs them with the same arguments.
func again() error {
	temporary, err := os.MkdirTemp("", "cost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	replaced, err := overlay(temporary)
	if err != nil {
		return err
	}
	binary := filepath.Join(temporary, "library.test")
	for _, command := range []*exec.Cmd{
		exec.Command("go", "test", "-c", "-vet=off", "-overlay", replaced, "-o", binary, "."),
		exec.Command(binary, os.Args[1:]...),
	} {
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(command.Args, " "), err)
		}
	}
	return nil
}

var packageMain = regexp.MustCompile(`(?m)^package main$`)

// overlay writes what is to be compiled beside the files on disk: the engines as packages
// below this one, and the file that fills the library. It returns the description for
// the go command.
func overlay(temporary string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	write := func(path, content string) error {
		file := filepath.Join(temporary, fmt.Sprintf("%d%s", len(replace), filepath.Ext(path)))
		replace[filepath.Join(here, path)] = file
		return os.WriteFile(file, []byte(content), 0o600)
	}
	plugins := filepath.Join(here, "..", "..")
	imports, programs := new(strings.Builder), new(strings.Builder)
	engines, err := directories(plugins)
	if err != nil {
		return "", err
	}
	for i, dir := range engines {
		files, err := sources(filepath.Join(plugins, dir))
		if err != nil {
			return "", err
		}
		for name, content := range files {
			if err := write(filepath.Join("library", dir, name), packageMain.ReplaceAllString(content, "package engine")); err != nil {
				return "", err
			}
		}
		if err := write(filepath.Join("library", dir, "vectors_of.go"), "package engine\n\nvar Vectors = vectors\n"); err != nil {
			return "", err
		}
		fmt.Fprintf(imports, "\te%d \"github.com/slipstick/slipstick/plugins/internal/cost/library/%s\"\n", i, filepath.ToSlash(dir))
		fmt.Fprintf(programs, "\t\t{%q, e%d.Engine(), e%d.Vectors},\n", filepath.ToSlash(dir), i, i)
	}
	filled := fmt.Sprintf("package cost_test\n\nimport (\n%s)\n\nfunc init() {\n\tlibrary = []program{\n%s\t}\n}\n", imports, programs)
	if err := write("filled_test.go", filled); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(temporary, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}

// directories returns where there are engines, below plugins.
func directories(plugins string) (dirs []string, err error) {
	err = filepath.WalkDir(plugins, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "vectors.json" {
			var dir string
			dir, err = filepath.Rel(plugins, filepath.Dir(path))
			dirs = append(dirs, dir)
		}
		return err
	})
	return dirs, err
}

// sources returns the files of an engine without its tests, by name.
func sources(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	files := map[string]string{}
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && !strings.HasSuffix(name, "_test.go") {
			content, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			files[name] = string(content)
		}
	}
	return files, err
}
