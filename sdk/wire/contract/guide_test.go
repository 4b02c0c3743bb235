package contract_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/reference/engine-contract.md")

// The tables of the guide for other languages match the code: members of documents, fields of
// messages, words, codes and limits, each with its comment.
func TestGuideHasTheTablesOfTheCode(t *testing.T) {
	c := readCode(t, "../..", "../../document", ".", "../../../conformance/vector")
	tables := map[string]string{
		"spec":     c.documents(reflect.TypeFor[sdk.Spec]()),
		"figure":   c.documents(reflect.TypeFor[sdk.Figure]()),
		"messages": messages(t, "DescribeReply", "Call", "Value", "Values", "Outcome", "Answer", "Warning", "Rejection", "InvalidParameter", "DrawRequest", "Drawing"),
		"severity": c.words("Severity"),
		"vector":   c.entries("members"),
		"codes":    c.constants("code", "CodeMissingRequiredInput", "CodeConflictingInputs", "CodeNonFiniteResult", "WarnResultUnderflow", "WarnResultSubnormal"),
		"limits": c.constants("limit", "MaxAnswer", "MaxNotes", "MaxText", "MaxChanges", "maxDocumentDepth", "maxSpecObjects", "maxSpecParts",
			"maxFormulas", "maxTypesetting", "MaxFigureParts", "MaxFigurePoints", "maxFigureLabel"),
	}
	const path = "../../../docs/reference/engine-contract.md"
	guide, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marks := regexp.MustCompile(`(?s)(<!-- of the code: (\w+) -->\n).*?(<!-- end -->)`)
	seen := 0
	made := marks.ReplaceAllStringFunc(string(guide), func(block string) string {
		part := marks.FindStringSubmatch(block)
		if tables[part[2]] == "" {
			t.Errorf("there is no table %s", part[2])
		}
		seen++
		return part[1] + "\n" + strings.TrimSpace(tables[part[2]]) + "\n\n" + part[3]
	})
	if seen != len(tables) {
		t.Errorf("the guide has %d tables, want %d", seen, len(tables))
	}
	if *update {
		if err := os.WriteFile(path, []byte(made), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if made != string(guide) {
		t.Error("docs/reference/engine-contract.md has other tables than the code: go test ./wire/contract -run Guide -update writes them")
	}
}

// code has the declarations for the tables.
type code struct {
	comments map[string]string // of fields as Type.Field, of constants and of entries of maps
	kinds    map[string][]word // the constants of a type, in order
	values   map[string]string // of constants
	maps     map[string][]word
}

// word is a value in documents, with its meaning.
type word struct{ text, meaning string }

func readCode(t *testing.T, dirs ...string) *code {
	t.Helper()
	c := &code{comments: map[string]string{}, kinds: map[string][]word{}, values: map[string]string{}, maps: map[string][]word{}}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			lines := map[int]string{} // comments by their line
			for _, comment := range file.Comments {
				lines[set.Position(comment.Pos()).Line] = textOf(comment)
			}
			at := func(n ast.Node) string { return lines[set.Position(n.End()).Line] }
			ast.Inspect(file, func(n ast.Node) bool { c.note(n, at); return true })
		}
	}
	return c
}

// note records a declaration. Trailing returns the comment at the end of a node's last line.
func (c *code) note(n ast.Node, trailing func(ast.Node) string) {
	switch n := n.(type) {
	case *ast.TypeSpec:
		if s, ok := n.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					c.comments[n.Name.Name+"."+name.Name] = textOf(f.Comment, f.Doc)
				}
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i >= len(n.Values) {
				continue
			}
			if m, ok := n.Values[i].(*ast.CompositeLit); ok {
				c.maps[name.Name] = entries(m, trailing)
			}
			text := types.ExprString(n.Values[i])
			v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
			if err != nil || v.Value == nil {
				continue
			}
			value := v.Value.ExactString()
			if plain, err := strconv.Unquote(value); err == nil {
				value = plain
			}
			c.comments[name.Name], c.values[name.Name] = textOf(n.Comment, n.Doc), value
			if of, ok := n.Type.(*ast.Ident); ok {
				c.kinds[of.Name] = append(c.kinds[of.Name], word{value, textOf(n.Comment, n.Doc)})
			}
		}
	}
}

func entries(m *ast.CompositeLit, trailing func(ast.Node) string) []word {
	var list []word
	for _, e := range m.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil
		}
		key, ok := pair.Key.(*ast.BasicLit)
		if !ok {
			return nil
		}
		name, _ := strconv.Unquote(key.Value)
		list = append(list, word{name, trailing(pair)})
	}
	return list
}

// textOf returns the first comment that exists, as one line. References are names.
func textOf(comments ...*ast.CommentGroup) string {
	text := ""
	for _, c := range comments {
		text = cmp.Or(text, strings.Join(strings.Fields(c.Text()), " "))
	}
	return strings.NewReplacer("[", "", "]", "", "|", `\|`).Replace(text)
}

func table(heads string, rows []string) string {
	n := strings.Count(heads, "|") + 1
	return "| " + heads + " |\n" + strings.Repeat("|---", n) + "|\n" + strings.Join(rows, "")
}

// documents describes the members of a struct and of the structs that it contains, and the
// words of their types.
func (c *code) documents(root reflect.Type) string {
	var b strings.Builder
	seen := map[reflect.Type]bool{root: true}
	for queue := []reflect.Type{root}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if words := c.kinds[s.Name()]; s.Kind() == reflect.String {
			fmt.Fprintf(&b, "**`%s`** is one of\n\n%s\n", s.Name(), wordTable("value", words))
			continue
		}
		var rows []string
		for f := range s.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			form, inner := formOf(f.Type)
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", name, form, c.comments[s.Name()+"."+f.Name]))
			if inner != nil && !seen[inner] {
				seen[inner] = true
				queue = append(queue, inner)
			}
		}
		fmt.Fprintf(&b, "**`%s`**\n\n%s\n", s.Name(), table("member | type | meaning", rows))
	}
	return b.String()
}

// formOf describes a type, and returns the type of the SDK that it contains, if there is one.
func formOf(t reflect.Type) (form string, inner reflect.Type) {
	switch {
	case t.Kind() == reflect.Pointer:
		return formOf(t.Elem())
	case t.Kind() == reflect.Slice:
		form, inner = formOf(t.Elem())
		return "list of " + form, inner
	case t.Kind() == reflect.Map:
		form, inner = formOf(t.Elem())
		return form + " by name", inner
	case t.PkgPath() == reflect.TypeFor[sdk.Spec]().PkgPath():
		return t.Name(), t
	case t.Kind() == reflect.String:
		return "string", nil
	case t.Kind() == reflect.Bool:
		return "boolean", nil
	case t.Kind() == reflect.Struct:
		return "object", nil
	}
	return "number", nil
}

// wordTable returns a table of words, or a line of them if none has a comment.
func wordTable(head string, words []word) string {
	if !slices.ContainsFunc(words, func(w word) bool { return w.meaning != "" }) {
		var list []string
		for _, w := range words {
			list = append(list, "`"+cmp.Or(w.text, `""`)+"`")
		}
		return strings.Join(list, ", ") + ".\n"
	}
	var rows []string
	for _, w := range words {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", cmp.Or(w.text, `""`), w.meaning))
	}
	return table(head+" | meaning", rows)
}

func (c *code) words(kind string) string   { return wordTable("value", c.kinds[kind]) }
func (c *code) entries(name string) string { return wordTable("member", c.maps[name]) }

// constants describes constants: codes, or limits with the limited property as comment.
func (c *code) constants(what string, names ...string) string {
	var list []word
	for _, name := range names {
		list = append(list, word{c.values[name], c.comments[name]})
	}
	return wordTable(what, list)
}

var (
	protoMessage = regexp.MustCompile(`(?ms)^message (\w+) \{\n(.*?)^\}`)
	protoField   = regexp.MustCompile(`^\s*(repeated )?(\w+) (\w+) = (\d+);(?: // (.*))?$`)
)

// messages describes messages of engine.proto.
func messages(t *testing.T, names ...string) string {
	t.Helper()
	file, err := os.ReadFile("engine.proto")
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, m := range protoMessage.FindAllStringSubmatch(string(file), -1) {
		bodies[m[1]] = m[2]
	}
	var b strings.Builder
	for _, name := range names {
		var rows []string
		for line := range strings.Lines(bodies[name]) {
			if f := protoField.FindStringSubmatch(strings.TrimRight(line, "\n")); f != nil {
				rows = append(rows, fmt.Sprintf("| %s | `%s` | %s%s | %s |\n", f[4], f[3], f[1], f[2], f[5]))
			}
		}
		if len(rows) == 0 {
			t.Errorf("engine.proto has no message %s", name)
		}
		fmt.Fprintf(&b, "**`%s`**\n\n%s\n", name, table("number | field | type | meaning", rows))
	}
	return b.String()
}
