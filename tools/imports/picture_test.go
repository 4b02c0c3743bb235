package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// drawnModules are the modules in the graphs. Engines and tools are separate programs.
var drawnModules = []string{"versions", "sdk", "conformance", "registry", "host"}

// packagesOf returns the packages of the modules in the graphs, each with its imports from this workspace.
func packagesOf(t *testing.T) map[string]listed {
	all := map[string]listed{}
	for _, module := range drawnModules {
		for _, p := range list(t, module) {
			p.Imports = slices.DeleteFunc(p.Imports, func(path string) bool {
				return !strings.HasPrefix(path, workspace) || path == workspace+"docs" // which has only texts
			})
			for i, imported := range p.Imports {
				p.Imports[i] = strings.TrimPrefix(imported, workspace)
			}
			all[strings.TrimPrefix(p.ImportPath, workspace)] = p
		}
	}
	return all
}

// inside is the path before the folders in the graphs.
const inside = "host/internal/"

// node returns the module or folder that represents a package in the graphs.
func node(name string) string {
	if command, ok := strings.CutPrefix(name, "host/cmd/"); ok {
		name = command
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, inside), "/")
	return name
}

// arrows returns the nodes, and the imports that need an arrow. An import needs none if another path leads to
// the same node.
func arrows(packages map[string]listed) (nodes, drawn map[string]bool) {
	imports := map[string]map[string]bool{}
	for name, p := range packages {
		from := node(name)
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, imported := range p.Imports {
			if to := node(imported); to != from {
				imports[from][to] = true
			}
		}
	}
	leads := map[string]map[string]bool{} // the nodes that a node reaches by any path
	var reach func(from string) map[string]bool
	reach = func(from string) map[string]bool {
		if leads[from] == nil {
			leads[from] = map[string]bool{}
			for next := range imports[from] {
				leads[from][next] = true
				maps.Copy(leads[from], reach(next))
			}
		}
		return leads[from]
	}
	nodes, drawn = map[string]bool{}, map[string]bool{}
	for from, all := range imports {
		nodes[from] = true
		for to := range all {
			others := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(by string) bool { return by == to })
			if !slices.ContainsFunc(others, func(by string) bool { return reach(by)[to] }) {
				drawn[from+" --> "+to] = true
			}
		}
	}
	return nodes, drawn
}

var (
	graphs = regexp.MustCompile("(?s)```mermaid\n(.*?)```")
	row    = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| \\S.* \\|$")
)

// drawn returns the nodes and arrows in the graphs of a page.
func drawn(page string) (nodes, drawn map[string]bool) {
	nodes, drawn = map[string]bool{}, map[string]bool{}
	for _, graph := range graphs.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(graph[1]) {
			if first, _, _ := strings.Cut(strings.TrimSpace(line), " "); first == "" || first == "graph" {
				continue
			}
			from, to, _ := strings.Cut(line, "-->")
			from = strings.TrimSpace(from)
			nodes[from] = true
			for part := range strings.SplitSeq(to, "&") {
				part = strings.TrimSpace(part)
				if part != "" {
					nodes[part] = true
					drawn[from+" --> "+part] = true
				}
			}
		}
	}
	return nodes, drawn
}

// pictureFaults returns the differences between page and code in packages, nodes and arrows.
func pictureFaults(page string, packages map[string]listed) []string {
	var bad []string
	compare := func(what string, found, want map[string]bool) {
		for name := range want {
			if !found[name] {
				bad = append(bad, what+" is missing: "+name)
			}
		}
		for name := range found {
			if !want[name] {
				bad = append(bad, "unknown "+what+": "+name)
			}
		}
	}
	nodes, imports := arrows(packages)
	names, found := drawn(page)
	compare("node", names, nodes)
	compare("arrow", found, imports)
	all, rows := map[string]bool{}, map[string]bool{}
	for name := range packages {
		all[strings.TrimPrefix(name, inside)] = true
	}
	for _, r := range row.FindAllStringSubmatch(page, -1) {
		if rows[r[1]] {
			bad = append(bad, "two lines of one package: "+r[1])
		}
		rows[r[1]] = true
	}
	compare("line of a package", rows, all)
	slices.Sort(bad)
	return bad
}

var function = regexp.MustCompile("`([a-z]+)\\.(\\(\\*[A-Za-z]+\\)\\.[A-Za-z]+|[A-Za-z]+\\.[A-Za-z]+|[A-Za-z]+)`")

// walkFaults returns the functions in the section about a request that are not in the code.
func walkFaults(page string, functions map[string]int) []string {
	_, page, _ = strings.Cut(page, "\n## A request\n")
	page, _, _ = strings.Cut(page, "\n## ")
	var bad []string
	found := function.FindAllStringSubmatch(page, -1)
	for _, f := range found {
		if name := f[1] + "." + f[2]; functions[name] != 1 {
			bad = append(bad, fmt.Sprintf("%d functions have the name %s", functions[name], name))
		}
	}
	if len(found) == 0 {
		bad = append(bad, "the section about a request names no functions")
	}
	return bad
}

// functionsOf counts the functions of the service and its commands by name. The names have the form of the
// page: pkg.Func, pkg.Type.Method, pkg.(*Type).Method.
func functionsOf(t *testing.T, packages map[string]listed) map[string]int {
	t.Helper()
	functions := map[string]int{}
	for name, p := range packages {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{} // counts a function once that each platform has
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && !strings.HasSuffix(file, "_test.go") {
					found[path.Base(name)+"."+receiver(f)+f.Name.Name] = true
				}
			}
		}
		for name := range found {
			functions[name]++
		}
	}
	return functions
}

// receiver returns the type of a method, in the form before the method's name.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	named, format := f.Recv.List[0].Type, "%s."
	if pointer, ok := named.(*ast.StarExpr); ok {
		named, format = pointer.X, "(*%s)."
	}
	switch generic := named.(type) {
	case *ast.IndexExpr:
		named = generic.X
	case *ast.IndexListExpr:
		named = generic.X
	}
	return fmt.Sprintf(format, named)
}

// The page about the architecture matches the packages, imports and functions in the code.
func TestPicture(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "internals", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	packages := packagesOf(t)
	for _, fault := range slices.Concat(pictureFaults(string(text), packages), walkFaults(string(text), functionsOf(t, packages))) {
		t.Error(fault)
	}
}

// pictureFaults and walkFaults find differences.
func TestPictureFaults(t *testing.T) {
	packages := map[string]listed{
		"host/internal/a/x": {Imports: []string{"host/internal/b", "c/y", "host/internal/a/z"}}, "host/internal/a/z": {},
		"host/internal/b": {Imports: []string{"c/y"}}, "c/y": {},
	}
	const rows = "\n| `a/x` | X |\n| `a/z` | Z |\n| `b` | B |\n| `c/y` | Y |\n"
	for _, tt := range []struct {
		page string
		want int
	}{
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c\n```" + rows, 0},
		{"```mermaid\ngraph TD\n  a --> b & c\n  b --> c\n```" + rows, 1},    // c is reached by b
		{"```mermaid\ngraph TD\n  a\n  b --> c\n```" + rows, 1},              // an import is not drawn
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c & d\n```" + rows, 2},    // there is no d, and no arrow to it
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c\n```" + rows[:29], 2},   // two packages have no line
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c\n```" + rows + rows, 4}, // four have two
		{"```mermaid\ngraph TD\n  b --> c\n```" + rows, 2},                   // a is not drawn, and its arrow
	} {
		if got := pictureFaults(tt.page, packages); len(got) != tt.want {
			t.Errorf("%s: %q, want %d", tt.page, got, tt.want)
		}
	}
	functions := map[string]int{"a.F": 1, "b.(*T).M": 1, "b.T.M": 2}
	for _, tt := range []struct {
		page string
		want int
	}{
		{"1. `a.F` calls.\n2. `b.(*T).M` answers.\n3. *net/http*: writes.", 0},
		{"1. `a.G` calls.\n2. `b.T.M` answers.", 2},
		{"1. `a.F` calls.\n\n## Packages\n\n`a.G`", 0},
		{"1. It calls.", 1},
	} {
		if got := walkFaults("\n## A request\n"+tt.page, functions); len(got) != tt.want {
			t.Errorf("%s: %q, want %d", tt.page, got, tt.want)
		}
	}
}
