// Package scaffold answers one question: what does the module of a new engine look like? It
// makes that module outside this repository.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"

	"github.com/slipstick/slipstick/sdk"
)

//go:embed files
var files embed.FS

var templates = template.Must(template.ParseFS(files, "files/*.tmpl"))

// names are the files of a module by template.
var names = map[string]string{
	"go.mod.tmpl": "go.mod", "main.go.tmpl": "main.go", "engine_test.go.tmpl": "engine_test.go", "vectors.json.tmpl": "vectors.json",
	"README.md.tmpl": "README.md", "gitignore.tmpl": ".gitignore", "workflow.yml.tmpl": ".github/workflows/engine.yml",
}

// Options of a new engine.
type Options struct {
	Capability string // such as electrical.lighting.lumens_to_lux
	Module     string // path of its Go module; the program's name if empty
	Dir        string // where it is made; the program's name if empty
	Checkout   string // of Slipstick, which the module is built with; the one that this program lies in if empty
}

// plan is what the templates are filled with.
type plan struct {
	Options
	Program, Tool, Group, Title string
	Requires                    []string // indirect ones
}

const prefix = "github.com/slipstick/slipstick/"

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
	sums, err := os.ReadFile(filepath.Join(p.Checkout, "plugins", "go.sum"))
	if err != nil {
		return "", nil, err
	}
	contents := map[string][]byte{"go.sum": sums}
	for name, file := range names {
		var text bytes.Buffer
		if err := templates.ExecuteTemplate(&text, name, p); err != nil {
			return "", nil, err
		}
		contents[file] = text.Bytes()
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
	if o.Checkout == "" {
		if o.Checkout = ownCheckout(); o.Checkout == "" {
			return nil, errors.New("this program lies in no checkout of Slipstick: give one with --checkout")
		}
	}
	if !sdk.IsCapability(o.Capability) || strings.Count(o.Capability, ".") < 2 {
		return nil, fmt.Errorf("%q is no capability id: three or more dotted lower-case words, domain, group and tool, such as electrical.lighting.lumens_to_lux", o.Capability)
	}
	parts := strings.Split(o.Capability, ".")
	p := &plan{Options: o, Program: parts[len(parts)-1]}
	p.Tool, p.Group = kebab(p.Program), kebab(parts[len(parts)-2])
	p.Title = strings.ToUpper(p.Program[:1]) + strings.ReplaceAll(p.Program[1:], "_", " ")
	if p.Module == "" {
		p.Module = "example.com/" + p.Program
	}
	if p.Dir == "" {
		p.Dir = p.Program
	}
	var err error
	if p.Checkout, err = filepath.Abs(o.Checkout); err != nil {
		return nil, err
	}
	p.Requires, err = requires(p.Checkout)
	return p, err
}

func kebab(word string) string { return strings.ReplaceAll(word, "_", "-") }

// requires are the modules that engines in the checkout are built with, beside the two
// that every engine names itself.
func requires(checkout string) ([]string, error) {
	path := filepath.Join(checkout, "plugins", "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s is no checkout of Slipstick: %w; give one with --checkout", checkout, err)
	}
	mod, err := modfile.Parse(path, data, nil)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, r := range mod.Require {
		if r.Indirect {
			list = append(list, r.Mod.Path+" "+r.Mod.Version)
		}
	}
	if !slices.ContainsFunc(list, func(r string) bool { return strings.HasPrefix(r, prefix) }) {
		return nil, fmt.Errorf("%s requires nothing of Slipstick", path)
	}
	return list, nil
}

// ownCheckout returns the checkout of Slipstick that this program lies in, "" if it lies in
// none.
func ownCheckout() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(program); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			if _, err := os.Stat(filepath.Join(dir, "sdk", "go.mod")); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
