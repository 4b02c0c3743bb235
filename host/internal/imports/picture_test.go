package imports

import (
	"cmp"
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
	"strconv"
	"strings"
	"testing"
)

// drawnModules are the floors of the picture. The engines and the tools are not drawn: each is a program
// of its own.
var drawnModules = []string{"versions", "sdk", "conformance", "registry", "host"}

// rooms returns every package that is drawn, with its imports of others.
func rooms(t *testing.T) map[string]listed {
	all := map[string]listed{}
	for _, module := range drawnModules {
		for _, p := range list(t, module) {
			p.Imports = slices.DeleteFunc(p.Imports, func(path string) bool { return !strings.HasPrefix(path, house) })
			for i, imported := range p.Imports {
				p.Imports[i] = strings.TrimPrefix(imported, house)
			}
			all[strings.TrimPrefix(p.ImportPath, house)] = p
		}
	}
	return all
}

// arrows are the imports that have to be drawn: those to rooms that no longer way leads to.
func arrows(rooms map[string]listed) map[string]bool {
	ways := map[string]map[string]bool{} // from a room, by any way
	var reach func(room string) map[string]bool
	reach = func(room string) map[string]bool {
		if ways[room] == nil {
			ways[room] = map[string]bool{}
			for _, next := range rooms[room].Imports {
				ways[room][next] = true
				maps.Copy(ways[room], reach(next))
			}
		}
		return ways[room]
	}
	drawn := map[string]bool{}
	for room, p := range rooms {
		for _, to := range p.Imports {
			longer := slices.ContainsFunc(p.Imports, func(by string) bool { return by != to && reach(by)[to] })
			drawn[room+" --> "+to] = !longer
		}
	}
	maps.DeleteFunc(drawn, func(_ string, draw bool) bool { return !draw })
	return drawn
}

var (
	graphs   = regexp.MustCompile("(?s)```mermaid\n(.*?)```")
	question = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| \\S.* \\|$")
)

// drawn reads the rooms and arrows of the graphs. A room without a module in front stands
// in host/internal.
func drawn(page string, rooms map[string]listed) (names, drawn map[string]bool) {
	names, drawn = map[string]bool{}, map[string]bool{}
	name := func(text string) string {
		text = strings.TrimSpace(text)
		if inside := "host/internal/" + text; rooms[inside].ImportPath != "" {
			text = inside
		}
		names[text] = true
		return text
	}
	for _, graph := range graphs.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(graph[1]) {
			first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if slices.Contains([]string{"", "graph", "subgraph", "end"}, first) {
				continue
			}
			from, to, _ := strings.Cut(line, "-->")
			from = name(from)
			for part := range strings.SplitSeq(to, "&") {
				if strings.TrimSpace(part) != "" {
					drawn[from+" --> "+name(part)] = true
				}
			}
		}
	}
	return names, drawn
}

// pictureFaults are what the page says of rooms and arrows that is not so.
func pictureFaults(page string, rooms map[string]listed) []string {
	var bad []string
	compare := func(what string, found, want map[string]bool) {
		for name := range want {
			if !found[name] {
				bad = append(bad, what+" is missing: "+name)
			}
		}
		for name := range found {
			if !want[name] {
				bad = append(bad, "there is no such "+what+": "+name)
			}
		}
	}
	all := map[string]bool{}
	for name := range rooms {
		all[name] = true
	}
	names, found := drawn(page, rooms)
	compare("room", names, all)
	compare("arrow", found, arrows(rooms))
	asked := map[string]bool{}
	for _, row := range question.FindAllStringSubmatch(page, -1) {
		if asked[row[1]] {
			bad = append(bad, "two questions of one room: "+row[1])
		}
		asked[row[1]] = true
	}
	compare("question of a room", asked, all)
	slices.Sort(bad)
	return bad
}

// walk is the rooms of its steps, in order.
type walk []string

func (w walk) count() string {
	changes, seen := 0, map[string]bool{}
	for i, room := range w {
		if seen[room] = true; i > 0 && room != w[i-1] {
			changes++
		}
	}
	return fmt.Sprintf("**%d steps, %d changes of room, %d rooms.**", len(w), changes, len(seen))
}

var (
	step     = regexp.MustCompile("^([0-9]+)\\. (?:\\*([^*]+)\\*:|`([a-z]+)\\.)")
	function = regexp.MustCompile("`([a-z]+)\\.(\\(\\*[A-Za-z]+\\)\\.[A-Za-z]+|[A-Za-z]+\\.[A-Za-z]+|[A-Za-z]+)`")
	counted  = regexp.MustCompile(`^\*\*[0-9]+ steps, .*$`)
	others   = regexp.MustCompile(`steps ([0-9]+) to ([0-9]+) of a request`)
)

// walkFaults are steps that are not in the code, and counts that are wrong.
func walkFaults(page string, functions map[string]int) []string {
	_, page, _ = strings.Cut(page, "\n## Walks\n")
	var bad []string
	var request, w walk
	steps := 0 // of the walk, those of a request not counted one by one
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		for _, f := range function.FindAllStringSubmatch(line, -1) {
			if name := f[1] + "." + f[2]; functions[name] != 1 {
				bad = append(bad, fmt.Sprintf("%d functions are called %s", functions[name], name))
			}
		}
		if m := step.FindStringSubmatch(line); m != nil {
			if steps++; m[1] != strconv.Itoa(steps) {
				bad = append(bad, "not numbered in order: "+line)
			}
			if o := others.FindStringSubmatch(line); o != nil {
				from, _ := strconv.Atoi(o[1])
				to, _ := strconv.Atoi(o[2])
				w = append(w, request[from-1:to]...)
			} else {
				w = append(w, cmp.Or(m[2], m[3]))
			}
		}
		if counted.MatchString(line) {
			if line != w.count() {
				bad = append(bad, fmt.Sprintf("%s, and not %s", w.count(), line))
			}
			if request == nil {
				request = w
			}
			w, steps = nil, 0
		}
	}
	if len(w) > 0 || request == nil {
		bad = append(bad, "a walk does not end with its count")
	}
	return bad
}

// functionsOf counts the functions of the service and its commands by the names that walks
// use: pkg.Func, pkg.Type.Method, pkg.(*Type).Method.
func functionsOf(t *testing.T, rooms map[string]listed) map[string]int {
	t.Helper()
	functions := map[string]int{}
	for name, p := range rooms {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{} // once, where each system has its own
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

// receiver is the type of a method, as it stands before the method's name.
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

// The page about the architecture shows the rooms, imports and functions that there are.
func TestPicture(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	rooms := rooms(t)
	for _, fault := range slices.Concat(pictureFaults(string(text), rooms), walkFaults(string(text), functionsOf(t, rooms))) {
		t.Error(fault)
	}
}

// A wrong picture is seen.
func TestPictureFaults(t *testing.T) {
	rooms := map[string]listed{"a": {ImportPath: "a", Imports: []string{"b", "c"}}, "b": {ImportPath: "b", Imports: []string{"c"}}, "c": {ImportPath: "c"}}
	const questions = "\n| `a` | A? |\n| `b` | B? |\n| `c` | C? |\n"
	for _, tt := range []struct {
		page string
		want int
	}{
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c\n```" + questions, 0},
		{"```mermaid\ngraph TD\n  a --> b & c\n  b --> c\n```" + questions, 1},         // c is reached by b
		{"```mermaid\ngraph TD\n  a\n  b --> c\n```" + questions, 1},                   // an import is not drawn
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c & d\n```" + questions, 2},         // there is no d, and no arrow to it
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c\n```" + questions[:14], 2},        // two rooms have no question
		{"```mermaid\ngraph TD\n  a --> b\n  b --> c\n```" + questions + questions, 3}, // three have two
		{"```mermaid\ngraph TD\n  b --> c\n```" + questions, 2},                        // a is not drawn, and its arrow
	} {
		if got := pictureFaults(tt.page, rooms); len(got) != tt.want {
			t.Errorf("%s: %q, want %d", tt.page, got, tt.want)
		}
	}
	functions := map[string]int{"a.F": 1, "b.(*T).M": 1, "b.T.M": 2}
	for _, tt := range []struct {
		page string
		want int
	}{
		{"1. `a.F` calls.\n2. `b.(*T).M` answers.\n3. *net/http*: writes.\n\n**3 steps, 2 changes of room, 3 rooms.**", 0},
		{"1. `a.F` calls.\n2. `b.(*T).M` answers.\n\n**2 steps, 2 changes of room, 2 rooms.**", 1},
		{"1. `a.F` calls.\n3. `a.F` answers.\n\n**2 steps, 0 changes of room, 1 rooms.**", 1},
		{"1. `a.G` calls.\n2. `b.T.M` answers.\n\n**2 steps, 1 changes of room, 2 rooms.**", 2},
		{"1. `a.F` calls.\n\n**1 steps, 0 changes of room, 1 rooms.**\n\n1. `b.(*T).M` walks steps 1 to 1 of a request.\n2. `a.F` answers.\n\n**2 steps, 0 changes of room, 1 rooms.**", 0},
		{"1. `a.F` calls.\n", 1},
	} {
		if got := walkFaults("\n## Walks\n"+tt.page, functions); len(got) != tt.want {
			t.Errorf("%s: %q, want %d", tt.page, got, tt.want)
		}
	}
}
