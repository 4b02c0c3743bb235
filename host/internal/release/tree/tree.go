// Package tree lists the source files of Go programs. [Of] lists the files of a program, [Source.Revision]
// returns the commit that has them, and [Source.Describe] records how executables were built from them.
package tree

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/registry/provenance"
)

// File is a file of the source, with its path on this machine.
type File struct {
	provenance.File
	path string
}

// Source is the source of a program.
type Source struct {
	Dir   string // directory of the program
	Files []File // files of the program and of local modules, sorted by name

	fetched map[module.Version]string // directories of the fetched modules
}

// Recorded returns the files in the form of a provenance statement.
func (s *Source) Recorded() []provenance.File {
	list := make([]provenance.File, len(s.Files))
	for i := range s.Files {
		list[i] = s.Files[i].File
	}
	return list
}

// Of lists the source of the program in a directory, for all platforms. The source contains the program's own
// files, the files of modules that go.mod replaces by directories, and their go.mod.
func Of(ctx context.Context, dir string, platforms []build.Platform, o *build.Options) (*Source, error) {
	found := newPaths()
	for _, p := range platforms {
		all, err := build.List(ctx, dir, p, o, ".")
		if err == nil {
			err = found.add(all)
		}
		if err != nil {
			return nil, err
		}
	}
	return found.source(dir)
}

// Listing lists the packages of a module once for all of its programs. The zero value is usable. Several
// goroutines can use it at once.
type Listing struct {
	mu    sync.Mutex
	known map[string]map[string]*build.Package // by module directory and platform, then by import path
}

// Of is like the function [Of], for the program with this import path below a directory.
func (l *Listing) Of(ctx context.Context, dir, importPath string, platforms []build.Platform) (*Source, error) {
	found := newPaths()
	for _, p := range platforms {
		all, err := l.module(ctx, dir, p)
		if err != nil {
			return nil, err
		}
		program := all[importPath]
		if program == nil {
			return nil, &NotFoundError{dir, importPath}
		}
		needed := []*build.Package{program}
		for _, name := range program.Deps {
			needed = append(needed, all[name])
		}
		for _, one := range needed {
			if one != nil && one.Error != nil {
				return nil, &build.FailedError{Output: []byte(one.Error.Err)}
			}
		}
		if err := found.add(needed); err != nil {
			return nil, err
		}
	}
	return found.source(dir)
}

// module lists the packages of the module that contains a directory.
func (l *Listing) module(ctx context.Context, dir string, p build.Platform) (map[string]*build.Package, error) {
	for !exists(filepath.Join(dir, "go.mod")) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := dir + " " + p.String()
	if l.known[key] == nil {
		all, err := build.List(ctx, dir, p, nil, "-e", "./...")
		if err != nil {
			return nil, err
		}
		if l.known == nil {
			l.known = map[string]map[string]*build.Package{}
		}
		l.known[key] = map[string]*build.Package{}
		for _, one := range all {
			l.known[key][one.ImportPath] = one
		}
	}
	return l.known[key], nil
}

// paths are the paths of source files and fetched modules.
type paths struct {
	files   map[string]string // by name
	fetched map[module.Version]string
}

func newPaths() *paths { return &paths{map[string]string{}, map[module.Version]string{}} }

func (found *paths) source(dir string) (*Source, error) {
	if len(found.files) > provenance.MaxFiles {
		return nil, fmt.Errorf("%s is built from %d files, and a record has at most %d", dir, len(found.files), provenance.MaxFiles)
	}
	s := &Source{Dir: dir, fetched: found.fetched}
	for _, name := range slices.Sorted(maps.Keys(found.files)) {
		sum, err := build.Digest(found.files[name])
		if err != nil {
			return nil, err
		}
		s.Files = append(s.Files, File{provenance.File{Name: name, SHA256: strings.TrimPrefix(sum, "sha256:")}, found.files[name]})
	}
	return s, nil
}

func (found *paths) add(packages []*build.Package) error {
	for _, one := range packages {
		if one == nil { // Go does not list some packages, such as unsafe
			continue
		}
		if err := found.addPackage(one); err != nil {
			return err
		}
	}
	return nil
}

func (found *paths) addPackage(p *build.Package) error {
	files, err := p.Sources()
	m := p.Module
	if err != nil || p.Standard || m == nil {
		return err
	}
	if m.Dir == "" {
		return &VendorError{p.ImportPath}
	}
	if r := m.Replace; !m.Main && (r == nil || r.Version != "") {
		version := module.Version{Path: m.Path, Version: m.Version}
		if r != nil {
			version = module.Version{Path: r.Path, Version: r.Version}
		}
		found.fetched[version] = m.Dir
		return nil
	}
	for _, file := range append(files, m.GoMod) {
		relative, err := filepath.Rel(m.Dir, file)
		if err != nil {
			return err
		}
		found.files[path.Join(m.Path, filepath.ToSlash(relative))] = file
	}
	return nil
}

// VendorError means that a package comes from a vendor directory, which has no checksum.
type VendorError struct{ Package string }

func (e *VendorError) Error() string {
	return fmt.Sprintf("the package %s comes from a vendor directory, without a checksum: remove the directory, so that Go uses the module", e.Package)
}

// CheckFetched compares the checksums of the fetched modules on this machine. Go compares them only at a
// download, and not at a compilation. A module that another program changed is a [*ModuleError].
func (s *Source) CheckFetched(modules []provenance.Module) error {
	for _, m := range modules {
		version := module.Version{Path: m.Path, Version: m.Version}
		dir, used := s.fetched[version]
		if !used {
			continue
		}
		sum, err := dirhash.HashDir(dir, version.String(), dirhash.Hash1)
		if err != nil {
			return err
		}
		if sum != m.Sum {
			return &ModuleError{version, dir}
		}
	}
	return nil
}

// ModuleError means that a module in the module cache differs from the downloaded module.
type ModuleError struct {
	Module module.Version
	Dir    string
}

func (e *ModuleError) Error() string {
	return fmt.Sprintf("another program changed the files of %s in the module cache (%s): they do not have the checksum of the module. Run go clean -modcache", e.Module, e.Dir)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// PackageOf returns the import path of the program of an executable, or an error if the executable has no build
// information of Go.
func PackageOf(executable []byte) (string, error) {
	info, err := Info(executable)
	if err != nil {
		return "", err
	}
	return info.Path, nil
}

// Info returns the build information of an executable.
func Info(executable []byte) (*debug.BuildInfo, error) {
	info, err := buildinfo.Read(bytes.NewReader(executable))
	if err != nil {
		return nil, fmt.Errorf("it has no build information, so it is not a Go program: %w", err)
	}
	return info, nil
}

// Executable is an executable for a platform.
type Executable struct {
	Bytes  []byte
	Digest string // digest of the bytes, as sha256:<hex>
}

// Describe returns a record of how executables were built from the source, from their build information. It
// returns an error for an executable with other settings than slipstick build uses, or with uncommitted
// changes.
func (s *Source) Describe(executables map[string]Executable) (*provenance.Build, error) {
	b := &provenance.Build{Engines: map[string]string{}, Files: s.Recorded(), Settings: build.Settings()}
	modules := map[provenance.Module]bool{}
	for _, platform := range slices.Sorted(maps.Keys(executables)) {
		info, err := Info(executables[platform].Bytes)
		if err == nil {
			err = checkSettings(info)
		}
		if err == nil && b.Package != "" && (b.Package != info.Path || b.Toolchain != info.GoVersion) {
			err = fmt.Errorf("it is %s, built by %s, and another executable is %s, built by %s: build all from one source", info.Path, info.GoVersion, b.Package, b.Toolchain)
		}
		if err == nil {
			err = addModules(modules, info)
		}
		if err != nil {
			return nil, fmt.Errorf("executable for %s: %w", platform, err)
		}
		b.Package, b.Toolchain = info.Path, info.GoVersion
		b.Engines[platform] = executables[platform].Digest
	}
	b.Modules = slices.SortedFunc(maps.Keys(modules), func(a, b provenance.Module) int {
		return strings.Compare(a.Path+" "+a.Version, b.Path+" "+b.Version)
	})
	return b, nil
}

// addModules adds the fetched modules of a program to the set.
func addModules(modules map[provenance.Module]bool, info *debug.BuildInfo) error {
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		switch {
		case m.Sum != "":
			modules[provenance.Module{Path: m.Path, Version: m.Version, Sum: m.Sum}] = true
		case m.Version != "" && m.Version != "(devel)":
			return fmt.Errorf("it has the module %s %s without a checksum, probably from a vendor directory: build it from the module cache", m.Path, m.Version)
		}
	}
	return nil
}

// implied are settings in build information that follow from the platform and the source.
var implied = []string{"-buildmode", "-compiler", "-pgo", "DefaultGODEBUG", "GOOS", "GOARCH"}

// checkSettings compares the settings of an executable with the settings of slipstick build. Build information
// does not contain all settings, so only four are required. Every other setting in it must agree.
func checkSettings(info *debug.BuildInfo) error {
	want := map[string]string{}
	for _, s := range build.Settings() {
		name, value, _ := strings.Cut(s, "=")
		if name == "-trimpath" {
			value = "true"
		}
		want[name] = value
	}
	got := map[string]string{}
	for _, s := range info.Settings {
		got[s.Key] = s.Value
	}
	if got["vcs.modified"] == "true" {
		return &DirtyError{}
	}
	for _, name := range []string{"-trimpath", "-tags", "-gcflags", "CGO_ENABLED"} {
		if got[name] != want[name] {
			return &SettingError{name, got[name], want[name]}
		}
	}
	for _, s := range info.Settings {
		if value, known := want[s.Key]; (!known || value != s.Value) && !slices.Contains(implied, s.Key) {
			return &SettingError{s.Key, s.Value, value}
		}
	}
	return nil
}

// SettingError means that an executable has another setting than slipstick build uses.
type SettingError struct{ Name, Value, Want string }

func (e *SettingError) Error() string {
	return fmt.Sprintf("it was built with %s=%s, and slipstick build uses %q: publish an executable of slipstick build, or the directory of the program", e.Name, e.Value, e.Want)
}

// NotFoundError means that a source does not have a program.
type NotFoundError struct{ Dir, Package string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s has no module with the program %s: name the directory of the module, or a parent directory", e.Dir, e.Package)
}

// maxEntries is the maximum number of files in the search for a module.
const maxEntries = 200_000

// Program returns the directory below root of the program with this import path. If two modules have the same
// path, it uses the module nearer to the root.
func Program(root, importPath string) (string, error) {
	type candidate struct {
		dir    string
		module string
		depth  int
	}
	root, err := filepath.EvalSymlinks(root) // a walk does not follow links
	if err != nil {
		return "", err
	}
	var best *candidate
	entries := 0
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		entries++
		if err != nil || entries > maxEntries {
			return cmp.Or(err, fmt.Errorf("%s has more than %d files: name the directory of the module", root, maxEntries))
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "vendor" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.Name() != "go.mod" || !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p := candidate{filepath.Dir(name), modfile.ModulePath(data), strings.Count(name, string(filepath.Separator))}
		rest, inside := strings.CutPrefix(importPath+"/", p.module+"/")
		if p.module == "" || !inside || best != nil && (len(best.module) > len(p.module) || best.depth <= p.depth && len(best.module) == len(p.module)) {
			return nil
		}
		p.dir = filepath.Join(p.dir, filepath.FromSlash(rest))
		if build.IsProgram(p.dir) {
			best = &p
		}
		return nil
	})
	if err == nil && best == nil {
		err = &NotFoundError{root, importPath}
	}
	if err != nil {
		return "", err
	}
	return best.dir, nil
}
