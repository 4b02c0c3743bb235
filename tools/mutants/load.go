package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	module = "github.com/slipstick/slipstick/plugins/"
	shared = module + "internal/"
)

// pkg is the output of `go list` for a package.
type pkg struct {
	ImportPath, Dir, Export, Name string
	GoFiles                       []string
	TestImports, XTestImports     []string
	DepOnly                       bool
	exports                       map[string]string // export data of all packages, by import path
	reasons                       *reasons
}

// load lists the engines of the patterns, and their shared packages with reasons or tests. It includes
// the export data of their imports.
func load(patterns []string) ([]*pkg, error) {
	args := append([]string{"list", "-json=ImportPath,Dir,Export,Name,GoFiles,TestImports,XTestImports,DepOnly", "-export", "-deps"}, patterns...)
	out, err := command("go", args...).Output()
	if err != nil {
		return nil, explain(err)
	}
	var list []*pkg
	exports := map[string]string{}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		p := &pkg{exports: exports}
		if err := in.Decode(p); err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && p.computes() {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, errNoPackage
	}
	for _, p := range list {
		p.reasons, err = readReasons(filepath.Join(p.Dir, "survivors.txt"))
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// notNumbers are shared packages that compute no results: they draw, ask, or measure.
var notNumbers = []string{"ask", "beam/beamtest", "conversion/conversiontest", "cost", "look", "mutation", "outline"}

// computes reports whether a package is an engine, or a shared package that computes results.
func (p *pkg) computes() bool {
	name, isShared := strings.CutPrefix(p.ImportPath, shared)
	return p.Name == "main" || isShared && !slices.Contains(notNumbers, name)
}

// dirOf returns the directory of a package of the same module.
func (p *pkg) dirOf(importPath string) string {
	below := func(path string) string { return filepath.FromSlash(strings.TrimPrefix(path, module)) }
	return filepath.Join(strings.TrimSuffix(p.Dir, below(p.ImportPath)), below(importPath))
}

func (p *pkg) isShared() bool { return p.Name != "main" }

// usesRapid reports whether the tests draw their numbers, and so have a flag for a seed.
func (p *pkg) usesRapid() bool {
	const rapid = "pgregory.net/rapid"
	return slices.Contains(p.TestImports, rapid) || slices.Contains(p.XTestImports, rapid)
}

// processors is a semaphore for computing commands.
var processors = make(chan struct{}, runtime.NumCPU())

// output waits for a free CPU, runs a command, and returns its output.
func output(cmd *exec.Cmd) ([]byte, error) {
	processors <- struct{}{}
	defer func() { <-processors }()
	return cmd.Output()
}

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd
}

// explain adds the stderr of a command to its error.
func explain(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}
