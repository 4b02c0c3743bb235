package build

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
	"unicode"
)

// Package is a package in the output of go list.
type Package struct {
	ImportPath, Dir, Name string
	Standard              bool // part of Go
	GoFiles, EmbedFiles,
	SFiles, HFiles, SysoFiles []string
	Deps   []string
	Module *Module
	Error  *struct{ Err string }
}

// Module is the module of a package. Dir is "" if the package comes from a vendor directory.
type Module struct {
	Path, Version, Dir, GoMod string
	Main                      bool
	Replace                   *struct{ Path, Version string }
}

// List lists packages of a module. Each package follows the packages that it imports.
func List(ctx context.Context, dir string, p Platform, o *Options, args ...string) ([]*Package, error) {
	out, err := Go(ctx, dir, p, o, append([]string{"list", "-deps",
		"-json=ImportPath,Dir,Name,Standard,GoFiles,EmbedFiles,SFiles,HFiles,SysoFiles,Deps,Module,Error"}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []*Package
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		one := new(Package)
		if err := in.Decode(one); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}

// profile is the profile for the compiler of a program. Go reads it, but does not list it.
const profile = "default.pgo"

// Sources returns the paths of all files of a package that the compiler, assembler and linker read. It
// returns a [*FailedError] for a package for which they read other files:
//
//   - an assembly file that includes a file outside its package, or a file that Go does not list. Go
//     compiles such a package once. If the file changes later, Go still uses the cached result.
//   - an object file (.syso). Go starts the C compiler of the machine to link it, and it is not source.
func (p *Package) Sources() ([]string, error) {
	if p.Standard {
		return nil, nil
	}
	if len(p.SysoFiles) > 0 {
		return nil, &FailedError{fmt.Appendf(nil, "%s: an object file is not readable source: write it in Go, or in the assembly language of Go\n", filepath.Join(p.Dir, p.SysoFiles[0]))}
	}
	if len(p.SFiles) > 0 {
		for _, name := range slices.Concat(p.SFiles, p.HFiles) {
			if err := p.checkIncludes(name); err != nil {
				return nil, err
			}
		}
	}
	var files []string
	for _, name := range slices.Concat(p.GoFiles, p.EmbedFiles, p.SFiles, p.HFiles) {
		files = append(files, filepath.Join(p.Dir, name))
	}
	pgo := filepath.Join(p.Dir, profile)
	if _, err := os.Stat(pgo); err == nil && p.Name == "main" {
		files = append(files, pgo)
	}
	return files, nil
}

// failed returns a [*FailedError] about a line of a file.
func failed(file string, line int, why string) error {
	return &FailedError{fmt.Appendf(nil, "%s:%d: %s\n", file, line, why)}
}

// checkIncludes checks the includes of an assembly file, or of a header next to one. It reads tokens as the
// assembler of Go does, so comments and macros cannot hide an include. The assembler looks for a name in
// the directory of the package. After that, it looks only in the headers of Go and in copies of the
// package's own headers.
func (p *Package) checkIncludes(name string) error {
	path := filepath.Join(p.Dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var s scanner.Scanner
	s.Init(bytes.NewReader(text))
	s.Whitespace = 1<<'\t' | 1<<'\r' | 1<<' '
	s.Mode = scanner.ScanChars | scanner.ScanFloats | scanner.ScanIdents | scanner.ScanInts | scanner.ScanStrings | scanner.ScanComments
	s.IsIdentRune = func(c rune, i int) bool {
		return unicode.IsLetter(c) || c == '_' || c == '·' || c == '∕' || i > 0 && unicode.IsDigit(c)
	}
	s.Error = func(*scanner.Scanner, string) {} // the assembler reports it
	for tok := s.Scan(); tok != scanner.EOF; tok = s.Scan() {
		if tok != scanner.Ident || s.TokenText() != "include" {
			continue
		}
		line := s.Position.Line
		s.Scan()
		included, err := strconv.Unquote(s.TokenText())
		if err != nil || included == "" || strings.ContainsAny(included, `/\:`) {
			return failed(path, line, "#include "+s.TokenText()+": a release lists only files in the directory of the package: move the header there, and write only its name")
		}
		_, missing := os.Lstat(filepath.Join(p.Dir, included))
		if missing == nil && !slices.Contains(p.HFiles, included) && !slices.Contains(p.SFiles, included) {
			return failed(path, line, "#include "+s.TokenText()+": Go does not list this file as source, so a release cannot name it: make it a header (.h) of the package")
		}
	}
	return nil
}
