// Package scaffold answers one question: what does the module of a new engine look like? It
// makes that module outside this repository.
package scaffold

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/sdk"
)

// Languages of engines.
const (
	Go     = "go"
	Python = "python"
	Node   = "node"
)

// files are templates, with the requirements of an engine on modules that are not of Slipstick:
// those that go mod tidy finds.
//
//go:embed files python node
var files embed.FS

// names are the files of an engine by template, which is in the directory of its language or for all
// of them in files.
var names = map[string]map[string]string{
	Go: {
		"files/go.mod.tmpl": "go.mod", "files/main.go.tmpl": "main.go", "files/engine_test.go.tmpl": "engine_test.go",
		"files/vectors.json.tmpl": "vectors.json", "files/README.md.tmpl": "README.md", "files/gitignore.tmpl": ".gitignore",
		"files/workflow.yml.tmpl": ".github/workflows/engine.yml",
	},
	Python: {
		"python/engine.py.tmpl": "engine.py", "python/test_engine.py.tmpl": "test_engine.py", "files/vectors.json.tmpl": "vectors.json",
		"python/README.md.tmpl": "README.md", "python/gitignore.tmpl": ".gitignore",
	},
	Node: {
		"node/engine.js.tmpl": "engine.js", "node/engine.test.js.tmpl": "engine.test.js", "files/vectors.json.tmpl": "vectors.json",
		"node/package.json.tmpl": "package.json", "node/README.md.tmpl": "README.md", "node/gitignore.tmpl": ".gitignore",
	},
}

// fill fills the template with the plan.
func (p *plan) fill(name string) ([]byte, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Funcs(template.FuncMap{"json": asJSON}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

func asJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

// Release is the release of Slipstick that the module requires.
type Release struct {
	Version string   // such as v1.2.3
	Sums    []string // lines of go.sum, of its modules; none if they are not known
}

// Options of a new engine.
type Options struct {
	Capability string   // such as electrical.lighting.lumens_to_lux
	Module     string   // path of its Go module; the program's name if empty
	Dir        string   // where it is made; the program's name if empty
	Checkout   string   // of Slipstick, which the module is built with in the place of a release
	Release    *Release // needed without Checkout
	Revision   string   // of Slipstick, which CI takes with Checkout; the newest if empty
	Language   string   // Go if empty
}

// plan is what the templates are filled with.
type plan struct {
	Options
	Program, Tool, Group, Title string
	Version                     string // of the modules of Slipstick
	Go                          string // version of the compiler, which CI takes: another one makes other bytes
}

// thirds is where the lines of go.sum are that are not of Slipstick.
const thirds = "files/third.sum"

// Contract is the version of the engine contract that engines without the SDK follow.
func (*plan) Contract() string { return sdk.ContractVersion }

// Example has the texts that an author is to replace.
func (*plan) Example() any { return requirements.Example }

// Create makes the module and returns its directory and files. It changes nothing that
// is there: the directory must be new or empty.
func Create(o Options) (dir string, made []string, err error) {
	p, err := o.plan()
	if err != nil {
		return "", nil, err
	}
	if entries, err := os.ReadDir(p.Dir); err == nil && len(entries) > 0 {
		return "", nil, fmt.Errorf("%s is not empty: choose another directory with --dir", p.Dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	contents := map[string][]byte{}
	if p.Language == Go {
		contents["go.sum"], err = p.sums()
		if err != nil {
			return "", nil, err
		}
	}
	for name, file := range names[p.Language] {
		contents[file], err = p.fill(name)
		if err != nil {
			return "", nil, err
		}
	}
	for file, text := range contents {
		path := filepath.Join(p.Dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return "", nil, err
		}
		made = append(made, file)
	}
	slices.Sort(made)
	return p.Dir, made, nil
}

// plan derives the names from the capability id.
func (o Options) plan() (*plan, error) {
	o.Language = cmp.Or(o.Language, Go)
	if names[o.Language] == nil {
		return nil, fmt.Errorf("%q is no language that a new engine can be in: go, python and node are", o.Language)
	}
	if !sdk.IsCapability(o.Capability) || strings.Count(o.Capability, ".") < 2 {
		return nil, fmt.Errorf("%q is no capability id: three or more dotted lower-case words, domain, group and tool, such as electrical.lighting.lumens_to_lux", o.Capability)
	}
	parts := strings.Split(o.Capability, ".")
	p := &plan{Options: o, Program: parts[len(parts)-1], Go: "1.26"}
	if v := runtime.Version(); version.IsValid(v) {
		p.Go = strings.TrimPrefix(v, "go")
	}
	p.Tool, p.Group = kebab(p.Program), kebab(parts[len(parts)-2])
	p.Title = strings.ToUpper(p.Program[:1]) + strings.ReplaceAll(p.Program[1:], "_", " ")
	if p.Module == "" {
		p.Module = "example.com/" + p.Program
	}
	if p.Dir == "" {
		p.Dir = p.Program
	}
	switch {
	case o.Language != Go:
	case o.Checkout != "":
		p.Version = "v0.0.0"
		var err error
		p.Checkout, err = filepath.Abs(o.Checkout)
		if err != nil {
			return nil, err
		}
		if !isCheckout(p.Checkout) {
			return nil, fmt.Errorf("%s is no checkout of Slipstick: give one with --checkout", p.Checkout)
		}
	case o.Release != nil:
		p.Version = o.Release.Version
	default:
		return nil, errors.New("this program belongs to no release and lies in no checkout of Slipstick: give one with --checkout")
	}
	return p, nil
}

// sums is the go.sum of the module.
func (p *plan) sums() ([]byte, error) {
	text, err := files.ReadFile(thirds)
	if err != nil || p.Checkout != "" {
		return text, err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	for _, line := range p.Release.Sums {
		lines = append(lines, line+"\n")
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(pathOf(a), pathOf(b)) })
	return []byte(strings.Join(lines, "")), nil
}

// pathOf is the module that a line of go.sum is about.
func pathOf(line string) string {
	path, _, _ := strings.Cut(line, " ")
	return path
}

func kebab(word string) string { return strings.ReplaceAll(word, "_", "-") }

// OwnCheckout returns the checkout of Slipstick that this program lies in, "" if it lies in
// none.
func OwnCheckout() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(program); ; dir = filepath.Dir(dir) {
		if isCheckout(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func isCheckout(dir string) bool {
	for _, name := range []string{"go.work", "sdk/go.mod"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return false
		}
	}
	return true
}
