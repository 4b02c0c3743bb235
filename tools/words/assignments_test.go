package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The header of an if or a switch declares variables and never assigns to existing ones. Engines are exempt, because a changed source is a new release.
func TestHeadersAssignNothing(t *testing.T) {
	out, err := git(t, "ls-files", "*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := slices.DeleteFunc(strings.Fields(out), func(name string) bool { return strings.HasPrefix(name, "plugins/") })
	for _, name := range files {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if init := header(n); init != nil {
				t.Errorf("%s:%d: assign in a line of its own", name, set.Position(init.Pos()).Line)
			}
			return true
		})
	}
	t.Logf("%d files", len(files))
}

// header returns the statement in the header of an if or a switch, unless it declares variables.
func header(n ast.Node) ast.Stmt {
	var init ast.Stmt
	switch s := n.(type) {
	case *ast.IfStmt:
		init = s.Init
	case *ast.SwitchStmt:
		init = s.Init
	}
	if declaration, ok := init.(*ast.AssignStmt); ok && declaration.Tok == token.DEFINE {
		return nil
	}
	return init
}

func TestHeader(t *testing.T) {
	for text, want := range map[string]bool{
		"if err := f(); err != nil {}": false,
		"if err = f(); err != nil {}":  true,
		"if n++; n > 3 {}":             true,
		"switch f(); {}":               true,
		"switch x := f(); x {}":        false,
		"if true {}":                   false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc g() {\n"+text+"\n}\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		ast.Inspect(file, func(n ast.Node) bool {
			found = found || header(n) != nil
			return true
		})
		if found != want {
			t.Errorf("%s: %v, want %v", text, found, want)
		}
	}
}
