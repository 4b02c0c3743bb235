package released

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/git"
)

const (
	moduleBase = "github.com/slipstick/slipstick/"
	pluginsDir = "plugins"
	sdkDir     = "sdk"
)

// Here is the platform of this program.
const Here = runtime.GOOS + "/" + runtime.GOARCH

// Platforms are the platforms of released engines.
var Platforms = []string{"darwin/arm64", "linux/amd64", "linux/arm64"}

// Engine is an engine of the work tree.
type Engine struct {
	Package  string   // directory in plugins, such as mechanical/torsion/hollow_shaft
	Source   string   // hash of Files
	Files    []string // source files in plugins without go.mod and go.sum
	SDK      []string // source files in sdk
	Released *Release // newest release of the package, or nil if there is none
	Fault    string   // reason of Go why it cannot be built
}

// Changed reports whether a release exists and was built from other source.
func (e *Engine) Changed() bool { return e.Released != nil && e.Released.Source != e.Source }

// listed is the output of go list for a package.
type listed struct {
	ImportPath, Dir, Name string
	GoFiles, IgnoredGoFiles,
	EmbedFiles, SFiles, HFiles []string
	Deps  []string
	Error *struct{ Err string }
}

// Engines lists the engines of the work tree, and compares them with the releases.
func (r Repository) Engines(ctx context.Context, releases []Release) ([]Engine, error) {
	packages, err := r.list(ctx, Platforms[1]) // one platform, so that the source is the same on all machines
	if err != nil {
		return nil, err
	}
	byPath := map[string]*listed{}
	for _, p := range packages {
		byPath[p.ImportPath] = p
	}
	var engines []Engine
	for _, p := range packages {
		name, ours := strings.CutPrefix(p.ImportPath, moduleBase+pluginsDir+"/")
		if !ours || p.Name != "main" && p.Error == nil {
			continue
		}
		e := Engine{Package: name, Released: Newest(releases, name)}
		if p.Error != nil {
			e.Fault = p.Error.Err
		}
		for _, path := range append([]string{p.ImportPath}, p.Deps...) {
			if dep := byPath[path]; dep != nil {
				e.Files = append(e.Files, r.filesOf(dep, pluginsDir)...)
				e.SDK = append(e.SDK, r.filesOf(dep, sdkDir)...)
			}
		}
		e.Source, err = r.hash(e.Files)
		if err != nil {
			return nil, err
		}
		engines = append(engines, e)
	}
	return engines, nil
}

// list lists the packages of the engines, and the packages that they import.
func (r Repository) list(ctx context.Context, platform string) ([]*listed, error) {
	cmd := goCommand(ctx, r.path(pluginsDir), platform, "list", "-e", "-deps",
		"-json=ImportPath,Dir,Name,GoFiles,IgnoredGoFiles,EmbedFiles,SFiles,HFiles,Deps,Error", "./...")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("list the engines: %w: %s", err, errs.Bytes())
	}
	var list []*listed
	for in := json.NewDecoder(&out); in.More(); {
		p := new(listed)
		if err := in.Decode(p); err != nil {
			return nil, fmt.Errorf("list the engines: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
}

// filesOf returns the files of a package in a module of the repository, with paths from the root of the
// repository. It includes files for other systems.
func (r Repository) filesOf(p *listed, module string) []string {
	if path := moduleBase + module; p.ImportPath != path && !strings.HasPrefix(p.ImportPath, path+"/") {
		return nil
	}
	dir, err := filepath.Rel(string(r), p.Dir)
	if err != nil {
		return nil
	}
	var files []string
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.EmbedFiles, p.SFiles, p.HFiles) {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, filepath.ToSlash(filepath.Join(dir, name)))
		}
	}
	return files
}

func (r Repository) hash(files []string) (string, error) {
	return hash(files, func(name string) (io.ReadCloser, error) { return os.Open(r.path(filepath.FromSlash(name))) })
}

// Pack creates the archives of engines of the work tree and of the SDK. It includes files for all
// platforms.
func (r Repository) Pack(ctx context.Context, engines []Engine) (source, kit *Archive, err error) {
	files := []string{"plugins/go.mod", "plugins/go.sum"}
	for i := range engines {
		files = append(files, engines[i].Files...)
	}
	root := os.DirFS(string(r))
	source, err = pack(root, pluginsDir, files)
	if err != nil {
		return nil, nil, err
	}
	files = []string{"sdk/go.mod"}
	for _, platform := range Platforms {
		packages, err := r.list(ctx, platform)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range packages {
			files = append(files, r.filesOf(p, sdkDir)...)
		}
	}
	kit, err = pack(root, sdkDir, files)
	return source, kit, err
}

// Development returns the build number of an engine with unreleased changes. It counts
// the commits since the last release that touched the source of the engine. If no commit has this source,
// or there is no history to count, its hash makes the number unique. Different source has a different number.
func (r Repository) Development(ctx context.Context, e *Engine) (string, error) {
	files := slices.Concat(e.Files, e.SDK, []string{"plugins/go.mod"})
	number, committed := 0, false
	repository, err := git.Open(string(r))
	if err == nil && e.Released != nil {
		defer repository.Close()
		dirs := []string{"sdk", "plugins/go.mod"}
		for _, file := range e.Files {
			if dir := path.Dir(file); !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
		number, err = repository.Count(ctx, e.Released.Revision, dirs)
		if err == nil {
			change, err := repository.Compare(ctx, files)
			committed = err == nil && change == nil
		}
	}
	if committed {
		return strconv.Itoa(number), nil
	}
	sum, err := r.hash(files)
	if err != nil {
		return "", err
	}
	bytes := sha256.Sum256([]byte(sum))
	return fmt.Sprintf("%d.x%x", number, bytes[:4]), nil
}
