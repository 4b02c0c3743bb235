// Package scaffold creates the directory of a new engine: a Go module, a Python package or a document. [Create]
// writes an engine that passes the conformance rules, as a start for authors. A module requires the SDK of a
// [Release], or builds with a checkout of this repository.
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

	"golang.org/x/mod/modfile"

	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/sdk"
)

// Languages of engines.
const (
	Go     = "go"
	Python = "python"
	Text   = "text" // a document, not a program
)

// files are the templates. They include the requirements of an engine on third-party modules, in the form of
// go mod tidy.
//
//go:embed files python text
var files embed.FS

// names are the files of an engine, by language and template. A template is in the directory of its language,
// or in files if several languages share it.
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
}

// fill executes a template with the plan.
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

// Release is the release of Slipstick that the new module requires.
type Release struct {
	Version string   // such as v1.2.3
	Sums    []string // lines of go.sum for its modules; none if unknown
}

// Options are options of [Create].
type Options struct {
	Capability string   // such as electrical.lighting.lumens_to_lux
	Module     string   // path of its Go module; from the program's name if empty
	Dir        string   // directory of the module; the program's name if empty
	Checkout   string   // checkout of Slipstick from which the module is built, instead of a release
	Release    *Release // required without Checkout
	Revision   string   // revision of Slipstick for CI with Checkout; the newest if empty
	Language   string   // Go if empty

	// Draft returns the content of a document with a title. Without it, the document is an example.
	Draft func(title string) ([]byte, error)
}

// plan is the data of the templates.
type plan struct {
	Options
	Program, Tool, Group, Title string
	Version                     string // version of the modules of Slipstick
	Go                          string // version of the compiler for CI: another version produces other bytes
}

// thirdParty is the file with the lines of go.sum for third-party modules.
const thirdParty = "files/third.sum"

// Contract returns the version of the engine contract for engines without the SDK.
func (*plan) Contract() string { return sdk.ContractVersion }

// Example returns the texts that an author must replace.
func (*plan) Example() any { return requirements.Example }

// Create creates the module, and returns its directory and files. The directory must not exist or must be
// empty.
func Create(o Options) (dir string, created []string, err error) {
	p, err := o.plan()
	if err != nil {
		return "", nil, err
	}
	if p.Language == Text {
		return p.createDocument()
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
		created = append(created, file)
	}
	slices.Sort(created)
	return p.Dir, created, nil
}

// createDocument creates a document in a directory, which can have other files.
func (p *plan) createDocument() (dir string, created []string, err error) {
	draft := p.Draft
	if draft == nil {
		draft = func(string) ([]byte, error) { return p.fill("text/document.calc.md.tmpl") }
	}
	contents, err := draft(p.Title)
	if err != nil {
		return "", nil, err
	}
	err = os.MkdirAll(p.Dir, 0o755)
	if err != nil {
		return "", nil, err
	}
	name := p.Program + ".calc.md"
	file, err := os.OpenFile(filepath.Join(p.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", nil, err
	}
	_, err = file.Write(contents)
	return p.Dir, []string{name}, errors.Join(err, file.Close())
}

// plan derives the names from the capability id.
func (o Options) plan() (*plan, error) {
	o.Language = cmp.Or(o.Language, Go)
	if names[o.Language] == nil && o.Language != Text {
		return nil, fmt.Errorf("%q is not a language for a new engine: use text, go or python", o.Language)
	}
	if !sdk.IsCapability(o.Capability) || strings.Count(o.Capability, ".") < 2 {
		return nil, fmt.Errorf("%q is not a capability id: use three or more dotted lower-case words, for domain, group and tool, such as electrical.lighting.lumens_to_lux", o.Capability)
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
	if p.Dir == "" && o.Language == Text {
		p.Dir = "."
	}
	if p.Dir == "" {
		p.Dir = p.Program
	}
	switch {
	case o.Language != Go:
	case o.Checkout != "":
		var err error
		p.Checkout, err = filepath.Abs(o.Checkout)
		if err != nil {
			return nil, err
		}
		if !isCheckout(p.Checkout) {
			return nil, fmt.Errorf("%s is not a checkout of Slipstick: name one with --checkout", p.Checkout)
		}
		p.Version, err = requiredIn(p.Checkout)
		if err != nil {
			return nil, err
		}
	case o.Release != nil:
		p.Version = o.Release.Version
	default:
		return nil, errors.New("this program does not belong to a release, and is not in a checkout of Slipstick: name one with --checkout")
	}
	return p, nil
}

// sums returns the go.sum of the module.
func (p *plan) sums() ([]byte, error) {
	text, err := files.ReadFile(thirdParty)
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

// pathOf returns the module path in a line of go.sum.
func pathOf(line string) string {
	path, _, _ := strings.Cut(line, " ")
	return path
}

func kebab(word string) string { return strings.ReplaceAll(word, "_", "-") }

// OwnCheckout returns the checkout of Slipstick that contains this program, or "" if there is none.
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

// requiredIn returns the version of the SDK that the modules of a checkout require. Go refuses a lower version
// in a module that requires them.
func requiredIn(checkout string) (string, error) {
	file := filepath.Join(checkout, "conformance", "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	mod, err := modfile.ParseLax(file, text, nil)
	if err != nil {
		return "", err
	}
	for _, r := range mod.Require {
		if r.Mod.Path == "github.com/slipstick/slipstick/sdk" {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require the SDK", file)
}

func isCheckout(dir string) bool {
	for _, name := range []string{"go.work", "sdk/go.mod"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return false
		}
	}
	return true
}
