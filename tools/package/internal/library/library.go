// Package library adds the library to the files of a package. The library is a registry with engines for all
// platforms, and a package gets the engines for its own. See [Add].
package library

import (
	"bytes"
	_ "embed" // of the README
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipstick/slipstick/host/tools/package/internal/program"
	"github.com/slipstick/slipstick/host/tools/package/internal/tree"
	"github.com/slipstick/slipstick/registry/mediatype"
)

// Content is what is added to a package.
type Content struct {
	Registry  string           // directory of the registry
	Runtime   *program.Program // the program of text engines in the package, for the platform of the package
	Documents bool             // leave capabilities with engines in Go out
}

// shared is the layout with the programs of text engines.
const shared = ".shared"

// Add adds the registry to the tree, below a directory. The program of text engines is the one in the package, so an
// archive has it once. A capability without an engine for the platform is left out. Add returns the
// compiled engines.
func Add(t *tree.Tree, at string, c *Content) (engines []*program.Program, err error) {
	entries, err := os.ReadDir(c.Registry)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue // a lock
		}
		var omit map[string]bool
		if e.Name() == shared {
			omit, err = c.otherRuntimes()
		} else {
			omit, err = c.otherEngines(e.Name())
		}
		if err == nil && omit != nil {
			err = c.add(t, at, e.Name(), omit, &engines)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(c.Registry, e.Name()), err)
		}
	}
	return engines, nil
}

// add adds a layout without some blobs.
func (c *Content) add(t *tree.Tree, at, name string, omit map[string]bool, engines *[]*program.Program) error {
	return fs.WalkDir(os.DirFS(filepath.Join(c.Registry, name)), ".", func(below string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || omit[path.Base(below)] {
			return err
		}
		from := filepath.Join(c.Registry, name, filepath.FromSlash(below))
		file := tree.File{Mode: 0o644, From: from}
		if path.Base(below) == c.Runtime.SHA256 {
			file = tree.File{Mode: 0o755, From: c.Runtime.Path}
		} else if one, err := program.Read(from); err == nil {
			*engines = append(*engines, one)
		}
		t.Add(path.Join(at, name, below), file)
		return nil
	})
}

// otherRuntimes returns the blobs of the programs for other platforms.
func (c *Content) otherRuntimes() (map[string]bool, error) {
	entries, err := os.ReadDir(filepath.Join(c.Registry, shared, "blobs", "sha256"))
	if err != nil {
		return nil, err
	}
	others := map[string]bool{}
	for _, e := range entries {
		if e.Name() != c.Runtime.SHA256 {
			others[e.Name()] = true
		}
	}
	if len(others) == len(entries) {
		return nil, fmt.Errorf("the documents are published with another program than %s", c.Runtime.Path)
	}
	return others, nil
}

// otherEngines returns the blobs of a capability that are engines for other platforms. It returns nil if the
// capability has engines, and none of them is for the platform.
func (c *Content) otherEngines(id string) (map[string]bool, error) {
	dir := filepath.Join(c.Registry, id)
	var index v1.IndexManifest
	if err := readJSON(filepath.Join(dir, "index.json"), &index); err != nil {
		return nil, err
	}
	others, all, own := map[string]bool{}, 0, 0
	for _, d := range index.Manifests {
		var m v1.Manifest
		if err := readJSON(filepath.Join(dir, "blobs", "sha256", d.Digest.Hex), &m); err != nil {
			return nil, err
		}
		for _, layer := range m.Layers {
			if layer.Platform == nil {
				continue
			}
			if c.Documents && layer.MediaType == mediatype.Engine {
				return nil, nil
			}
			all++
			if layer.Platform.OS == c.Runtime.OS && layer.Platform.Architecture == c.Runtime.Arch {
				own++
			} else {
				others[layer.Digest.Hex] = true
			}
		}
	}
	if all > 0 && own == 0 {
		return nil, nil
	}
	return others, nil
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(data)).Decode(into)
	}
	return err
}

// Places in a package, below the directory that a system calls /usr. The command finds the library in [Registry].
const (
	Registry      = "lib/slipstick/registry"
	Documentation = "share/doc/slipstick"
)

// Examples are the directories with examples: load balancers, a gateway, alerts and a dashboard, the seccomp profile for
// containers, and a skill for agents.
var Examples = [...]string{"balancer", "gateway", "monitoring", "seccomp", "skill"}

//go:embed readme.md
var readme []byte // without the scripts of a checkout, which packages lack

// AddDocumentation adds the documentation and the examples of the repository at root to the tree, below a directory.
func AddDocumentation(t *tree.Tree, at, root string) error {
	dirs := map[string]string{"docs": "docs"}
	for _, name := range Examples {
		dirs["examples/"+name] = "host/deploy/" + name
	}
	for as, dir := range dirs {
		err := fs.WalkDir(os.DirFS(filepath.Join(root, filepath.FromSlash(dir))), ".", func(below string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				t.Add(path.Join(at, as, below), tree.File{Mode: 0o644, From: filepath.Join(root, filepath.FromSlash(dir), filepath.FromSlash(below))})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, file := range []string{"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} {
		t.Add(path.Join(at, file), tree.File{Mode: 0o644, From: filepath.Join(root, file)})
	}
	t.Text(path.Join(at, "README.md"), readme)
	return nil
}
