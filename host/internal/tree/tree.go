// Package tree answers one question: which files is a program in Go built from, and does a
// commit have them?
package tree

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
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

	"github.com/slipstick/slipstick/host/internal/build"
	"github.com/slipstick/slipstick/registry/provenance"
)

// File is a file of the source, and where it is.
type File struct {
	provenance.File
	path string
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Name string
	Standard              bool
	GoFiles, EmbedFiles,
	SFiles, HFiles, SysoFiles []string
	Deps   []string
	Module *struct {
		Path, Dir, GoMod string
		Main             bool
		Replace          *struct{ Version string }
	}
	Error *struct{ Err string }
}

// list lists packages of a module, and those that they import.
func list(ctx context.Context, dir string, p build.Platform, o *build.Options, args ...string) ([]*listed, error) {
	out, err := build.Go(ctx, dir, p, o, append([]string{"list", "-deps",
		"-json=ImportPath,Dir,Name,Standard,GoFiles,EmbedFiles,SFiles,HFiles,SysoFiles,Deps,Module,Error"}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []*listed
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		l := new(listed)
		if err := in.Decode(l); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, l)
	}
	return all, nil
}

// Files lists what the program in a directory is built from on platforms: its own files, those
// of modules that lie beside it, and their go.mod. Modules that are fetched are not among them.
func Files(ctx context.Context, dir string, platforms []build.Platform, o *build.Options) ([]File, error) {
	found := paths{}
	for _, p := range platforms {
		all, err := list(ctx, dir, p, o, ".")
		if err == nil {
			err = found.add(all)
		}
		if err != nil {
			return nil, err
		}
	}
	return found.files(dir)
}

// Listing lists the packages of a module once for all of its programs. The zero Listing is usable, also by
// several at once.
type Listing struct {
	mu    sync.Mutex
	known map[string]map[string]*listed // by the directory of the module and the platform, then by import path
}

// Files is [Files] of the program with an import path, which a directory has.
func (l *Listing) Files(ctx context.Context, dir, importPath string, platforms []build.Platform) ([]File, error) {
	found := paths{}
	for _, p := range platforms {
		all, err := l.module(ctx, dir, p)
		if err != nil {
			return nil, err
		}
		program := all[importPath]
		if program == nil {
			return nil, &NotHereError{dir, importPath}
		}
		needed := []*listed{program}
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
	return found.files(dir)
}

// module lists the module that a directory belongs to.
func (l *Listing) module(ctx context.Context, dir string, p build.Platform) (map[string]*listed, error) {
	for !exists(filepath.Join(dir, "go.mod")) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := dir + " " + p.String()
	if l.known[key] == nil {
		all, err := list(ctx, dir, p, nil, "-e", "./...")
		if err != nil {
			return nil, err
		}
		if l.known == nil {
			l.known = map[string]map[string]*listed{}
		}
		l.known[key] = map[string]*listed{}
		for _, one := range all {
			l.known[key][one.ImportPath] = one
		}
	}
	return l.known[key], nil
}

// paths are those of the files that were found, by name.
type paths map[string]string

func (found paths) files(dir string) ([]File, error) {
	if len(found) > provenance.MaxFiles {
		return nil, fmt.Errorf("%s is built from %d files, more than the %d that are recorded", dir, len(found), provenance.MaxFiles)
	}
	var files []File
	for _, name := range slices.Sorted(maps.Keys(found)) {
		sum, err := build.Digest(found[name])
		if err != nil {
			return nil, err
		}
		files = append(files, File{provenance.File{Name: name, SHA256: strings.TrimPrefix(sum, "sha256:")}, found[name]})
	}
	return files, nil
}

func (found paths) add(packages []*listed) error {
	for _, l := range packages {
		if l == nil { // such as "unsafe", of which Go lists no files
			continue
		}
		if err := found.addPackage(l); err != nil {
			return err
		}
	}
	return nil
}

// profile is compiled into a program that has it, without being listed.
const profile = "default.pgo"

func (found paths) addPackage(l *listed) error {
	m := l.Module
	if l.Standard || m == nil || !m.Main && (m.Replace == nil || m.Replace.Version != "") {
		return nil
	}
	files := []string{m.GoMod}
	for _, name := range slices.Concat(l.GoFiles, l.EmbedFiles, l.SFiles, l.HFiles, l.SysoFiles) {
		files = append(files, filepath.Join(l.Dir, name))
	}
	if guide := filepath.Join(l.Dir, profile); l.Name == "main" && exists(guide) {
		files = append(files, guide)
	}
	for _, file := range files {
		place, err := filepath.Rel(m.Dir, file)
		if err != nil {
			return err
		}
		found[path.Join(m.Path, filepath.ToSlash(place))] = file
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Recorded returns the files as a statement has them.
func Recorded(files []File) []provenance.File {
	list := make([]provenance.File, len(files))
	for i := range files {
		list[i] = files[i].File
	}
	return list
}

// PackageOf returns the import path of the program that an executable was built from, or an
// error if it has no build information of Go.
func PackageOf(executable []byte) (string, error) {
	info, err := Info(executable)
	if err != nil {
		return "", err
	}
	return info.Path, nil
}

// Info is the build information of an executable.
func Info(executable []byte) (*debug.BuildInfo, error) {
	info, err := buildinfo.Read(bytes.NewReader(executable))
	if err != nil {
		return nil, fmt.Errorf("it has no build information, so it is no program in Go: %w", err)
	}
	return info, nil
}

// Executable is what was built for a platform.
type Executable struct {
	Bytes  []byte
	Digest string // of the bytes, as sha256:<hex>
}

// Describe says how executables were built from files, by what is in them. One that was built with other
// settings than those of slipstick build, or of changes that were not committed, is refused.
func Describe(files []File, executables map[string]Executable) (*provenance.Build, error) {
	b := &provenance.Build{Engines: map[string]string{}, Files: Recorded(files), Settings: build.Settings()}
	modules := map[provenance.Module]bool{}
	for _, platform := range slices.Sorted(maps.Keys(executables)) {
		info, err := Info(executables[platform].Bytes)
		if err == nil {
			err = checkSettings(info)
		}
		if err == nil && b.Package != "" && (b.Package != info.Path || b.Toolchain != info.GoVersion) {
			err = fmt.Errorf("it is %s, built by %s, and another is %s, by %s: build all from one source", info.Path, info.GoVersion, b.Package, b.Toolchain)
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

// addModules adds the fetched modules of a program.
func addModules(modules map[provenance.Module]bool, info *debug.BuildInfo) error {
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		switch {
		case m.Sum != "":
			modules[provenance.Module{Path: m.Path, Version: m.Version, Sum: m.Sum}] = true
		case m.Version != "" && m.Version != "(devel)":
			return fmt.Errorf("the module %s %s is in it without a checksum, as modules of a vendor directory are: build it from the module cache", m.Path, m.Version)
		}
	}
	return nil
}

// implied are settings that build information has and that follow from the platform and the source.
var implied = []string{"-buildmode", "-compiler", "-pgo", "DefaultGODEBUG", "GOOS", "GOARCH"}

// checkSettings compares the settings that an executable shows with those of slipstick build.
// Build information leaves out some, so what it shows must agree, and what it never has is not
// missed.
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

// SettingError refuses an executable that nobody builds again by slipstick build.
type SettingError struct{ Name, Value, Want string }

func (e *SettingError) Error() string {
	return fmt.Sprintf("it was built with %s=%s, where slipstick build has %q: publish what slipstick build makes, or the directory of the program", e.Name, e.Value, e.Want)
}

// NotHereError is a source that does not have a program.
type NotHereError struct{ Dir, Package string }

func (e *NotHereError) Error() string {
	return fmt.Sprintf("%s has no module with the program %s: give the directory of the module, or one above it", e.Dir, e.Package)
}

// maxEntries bounds the search for a module.
const maxEntries = 200_000

// Program finds the directory of a program below another, by its import path. Of two modules with
// the same path the one nearer to the top is taken.
func Program(root, importPath string) (string, error) {
	type place struct {
		dir    string
		module string
		depth  int
	}
	root, err := filepath.EvalSymlinks(root) // which a walk does not follow
	if err != nil {
		return "", err
	}
	var best *place
	entries := 0
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if entries++; err != nil || entries > maxEntries {
			return cmp.Or(err, fmt.Errorf("%s has more than %d files: give the directory of the module", root, maxEntries))
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
		p := place{filepath.Dir(name), modfile.ModulePath(data), strings.Count(name, string(filepath.Separator))}
		rest, inside := strings.CutPrefix(importPath+"/", p.module+"/")
		if p.module == "" || !inside || best != nil && (len(best.module) > len(p.module) || best.depth <= p.depth && len(best.module) == len(p.module)) {
			return nil
		}
		if p.dir = filepath.Join(p.dir, filepath.FromSlash(rest)); build.IsProgram(p.dir) {
			best = &p
		}
		return nil
	})
	if err == nil && best == nil {
		err = &NotHereError{root, importPath}
	}
	if err != nil {
		return "", err
	}
	return best.dir, nil
}

// errNoGit means that git is not installed.
var errNoGit = errors.New("git is needed: https://git-scm.com")
