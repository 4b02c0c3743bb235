package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one change of an engine.
type mutant struct {
	place    string
	from, to string
}

func (m mutant) String() string { return fmt.Sprintf("%s: %s -> %s", m.place, m.from, m.to) }

// rewriter replaces each expression E that can be changed to E' by
//
//	func() T { if mutation.On(7) { return E' }; return E }()
type rewriter struct {
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	file    *ast.File
	dir     string
	mutants []mutant
	changed bool // the file has mutants
}

// rewrite returns the files of a package that can be changed, with all changes in them.
func rewrite(p *pkg) (map[string]string, []mutant, error) {
	r := &rewriter{fset: token.NewFileSet(), dir: p.Dir}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(r.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	r.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(r.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) })}
	var err error
	if r.pkg, err = config.Check(p.ImportPath, r.fset, files, r.info); err != nil {
		return nil, nil, err
	}
	texts := map[string]string{}
	for i, f := range files {
		if p.GoFiles[i] == "figure.go" {
			continue // a drawing is no number
		}
		r.file, r.changed = f, false
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && computes(fn.Name.Name) {
				r.block(fn.Body)
			}
		}
		if !r.changed {
			continue
		}
		addImport(f)
		f.Comments = embeds(f.Comments) // the others would move between the changed lines
		var b bytes.Buffer
		if err := printer.Fprint(&b, r.fset, f); err != nil {
			return nil, nil, err
		}
		texts[p.GoFiles[i]] = b.String()
	}
	return texts, r.mutants, nil
}

// computes reports whether numbers may come from a function of this name.
func computes(name string) bool {
	return name != "Engine" && name != "main" && name != "Draw" && !strings.HasPrefix(name, "warn") && !strings.HasPrefix(name, "Warn")
}

func embeds(groups []*ast.CommentGroup) (list []*ast.CommentGroup) {
	for _, g := range groups {
		if strings.HasPrefix(g.List[len(g.List)-1].Text, "//go:") {
			list = append(list, g)
		}
	}
	return list
}

func addImport(f *ast.File) {
	spec := &ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING, Value: `"` + module + `internal/mutation"`}}
	f.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}}}, f.Decls...)
}

// block rewrites the expressions of a function.
func (r *rewriter) block(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR // constants stay constant
		case *ast.AssignStmt:
			r.list(n.Rhs)
			return false
		case *ast.ReturnStmt:
			r.list(n.Results)
			return false
		case *ast.ValueSpec:
			r.list(n.Values)
			return false
		case *ast.ExprStmt:
			n.X = r.expr(n.X)
			return false
		case *ast.IfStmt:
			n.Cond = r.expr(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				n.Cond = r.expr(n.Cond)
			}
		case *ast.RangeStmt:
			n.X = r.expr(n.X)
			r.block(n.Body)
			return false
		case *ast.SwitchStmt:
			if n.Tag != nil {
				n.Tag = r.expr(n.Tag)
			}
		case *ast.CaseClause:
			for i, x := range n.List {
				if tv := r.info.Types[x]; !tv.IsType() && tv.Value == nil {
					n.List[i] = r.expr(x)
				}
			}
			for _, s := range n.Body {
				r.block(&ast.BlockStmt{List: []ast.Stmt{s}})
			}
			return false
		case ast.Expr:
			return false // of a statement that none of these is
		}
		return true
	})
}

func (r *rewriter) list(list []ast.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

// expr returns the expression with the changes of its parts and of itself.
func (r *rewriter) expr(x ast.Expr) ast.Expr {
	tv, known := r.info.Types[x]
	if !known || tv.IsType() {
		return x
	}
	if tv.Value != nil {
		return r.constant(x, tv)
	}
	switch e := x.(type) {
	case *ast.ParenExpr:
		e.X = r.expr(e.X)
	case *ast.BinaryExpr:
		return r.binary(e, tv.Type)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return x
		}
		as, without := r.asItIs(e), r.text(e.X)
		if e.X = r.expr(e.X); e.Op == token.SUB {
			return r.alternative(e, as, tv.Type, other{e.X, without})
		}
	case *ast.CallExpr:
		return r.call(e, tv.Type)
	case *ast.SelectorExpr:
		return r.selector(e, tv.Type)
	case *ast.IndexExpr:
		e.Index = r.expr(e.Index)
	case *ast.StarExpr:
		e.X = r.expr(e.X)
	case *ast.CompositeLit:
		for i, element := range e.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				pair.Value = r.expr(pair.Value)
			} else {
				e.Elts[i] = r.expr(element)
			}
		}
	case *ast.FuncLit:
		r.block(e.Body)
	}
	return x
}

// opposites of operations. Comparisons are also turned round.
var opposites = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

func (r *rewriter) binary(e *ast.BinaryExpr, t types.Type) ast.Expr {
	as, left, right := r.asItIs(e), r.text(e.X), r.text(e.Y)
	e.X, e.Y = r.expr(e.X), r.expr(e.Y)
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return e
	}
	var others []other
	for _, op := range opposites[e.Op] {
		others = append(others, other{&ast.BinaryExpr{X: e.X, Op: op, Y: e.Y}, left + " " + op.String() + " " + right})
	}
	if e.Op == token.SUB || e.Op == token.QUO {
		swapped := &ast.BinaryExpr{X: &ast.ParenExpr{X: e.Y}, Op: e.Op, Y: &ast.ParenExpr{X: e.X}}
		others = append(others, other{swapped, "(" + right + ") " + e.Op.String() + " (" + left + ")"})
	}
	return r.alternative(e, as, t, others...)
}

// methods are those of numbers that have another one with the same operands.
var methods = map[string][]string{"Add": {"Sub"}, "Sub": {"Add"}, "Mul": {"Div", "Quo"}, "Div": {"Mul"}, "Quo": {"Mul"}}

// call changes the method that is called, and its arguments.
func (r *rewriter) call(e *ast.CallExpr, t types.Type) ast.Expr {
	as := r.asItIs(e)
	selector, _ := e.Fun.(*ast.SelectorExpr)
	if selector != nil {
		if id, ok := selector.X.(*ast.Ident); ok {
			if name, ok := r.info.Uses[id].(*types.PkgName); ok && (name.Name() == "sdk" || name.Name() == "fmt") && selector.Sel.Name != "UseFormula" {
				return e // words and warnings
			}
		}
		if strings.HasPrefix(selector.Sel.Name, "warn") {
			return e
		}
		if s := r.info.Selections[selector]; s != nil && !takesAddress(s) {
			selector.X = r.expr(selector.X)
		}
	}
	if b, ok := e.Fun.(*ast.FuncLit); ok {
		r.block(b.Body)
	}
	r.list(e.Args)
	if selector == nil || len(e.Args) != 1 || e.Ellipsis.IsValid() {
		return e
	}
	s := r.info.Selections[selector]
	if s == nil || s.Kind() != types.MethodVal {
		return e
	}
	for _, name := range methods[selector.Sel.Name] {
		m, _, _ := types.LookupFieldOrMethod(s.Recv(), true, r.pkg, name)
		if f, ok := m.(*types.Func); ok && takesOne(f.Signature(), t) {
			changed := &ast.CallExpr{Fun: &ast.SelectorExpr{X: selector.X, Sel: ast.NewIdent(name)}, Args: e.Args}
			return r.alternative(e, as, t, other{changed, "." + name})
		}
	}
	return e
}

// takesAddress reports whether a method is called on the address of what is selected, which must
// be a variable then.
func takesAddress(s *types.Selection) bool {
	f, ok := s.Obj().(*types.Func)
	return ok && f.Signature().Recv() != nil && isPointer(f.Signature().Recv().Type()) && !isPointer(s.Recv())
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func takesOne(s *types.Signature, result types.Type) bool {
	return s.Params().Len() == 1 && s.Results().Len() == 1 && types.Identical(s.Results().At(0).Type(), result)
}

// selector takes the next field of the same type for a field of a struct.
func (r *rewriter) selector(e *ast.SelectorExpr, t types.Type) ast.Expr {
	s := r.info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal {
		return e
	}
	recv := s.Recv()
	if p, ok := recv.Underlying().(*types.Pointer); ok {
		recv = p.Elem()
	}
	fields, ok := recv.Underlying().(*types.Struct)
	if !ok {
		return e
	}
	n, here := fields.NumFields(), -1
	for i := range n {
		if fields.Field(i) == s.Obj() {
			here = i
		}
	}
	if here < 0 {
		return e
	}
	for i := 1; i < n; i++ {
		if f := fields.Field((here + i) % n); types.Identical(f.Type(), t) {
			return r.alternative(e, r.asItIs(e), t, other{&ast.SelectorExpr{X: e.X, Sel: ast.NewIdent(f.Name())}, f.Name()})
		}
	}
	return e
}

// constant changes a number: by one if it is an integer, else by a thousandth of it.
func (r *rewriter) constant(x ast.Expr, tv types.TypeAndValue) ast.Expr {
	b, ok := tv.Type.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsUntyped != 0 {
		return x
	}
	as := r.asItIs(x)
	switch {
	case b.Info()&types.IsInteger != 0:
		return r.alternative(x, as, tv.Type, other{&ast.BinaryExpr{X: &ast.ParenExpr{X: x}, Op: token.ADD, Y: number("1")}, as.from + " + 1"})
	case b.Info()&types.IsFloat != 0 && constant.Sign(tv.Value) == 0:
		return r.alternative(x, as, tv.Type, other{number("1"), "1"})
	case b.Info()&types.IsFloat != 0:
		return r.alternative(x, as, tv.Type, other{&ast.BinaryExpr{X: &ast.ParenExpr{X: x}, Op: token.MUL, Y: number("0.999")}, as.from + " * 0.999"})
	case b.Info()&types.IsString != 0 && isDecimal(constant.StringVal(tv.Value)):
		text := []byte(constant.StringVal(tv.Value))
		if last := &text[len(text)-1]; *last == '9' {
			*last = '8'
		} else {
			*last++
		}
		changed := fmt.Sprintf("%q", text)
		return r.alternative(x, as, tv.Type, other{&ast.BasicLit{Kind: token.STRING, Value: changed}, changed})
	}
	return x
}

func isDecimal(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == "" && s[len(s)-1] != '.'
}

func number(text string) ast.Expr { return &ast.BasicLit{Kind: token.FLOAT, Value: text} }

// other is what an expression is changed to, with the words for it.
type other struct {
	x    ast.Expr
	text string
}

// alternative returns an expression that has the value of e, or of one of the others while its
// mutant computes.
func (r *rewriter) alternative(e ast.Expr, as mutant, t types.Type, others ...other) ast.Expr {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	name, ok := r.typeName(t)
	if !ok || len(others) == 0 {
		return e
	}
	body := new(ast.BlockStmt)
	for _, o := range others {
		r.mutants = append(r.mutants, mutant{as.place, as.from, o.text})
		on := &ast.CallExpr{Fun: &ast.SelectorExpr{X: ast.NewIdent("mutation"), Sel: ast.NewIdent("On")}, Args: []ast.Expr{number(fmt.Sprint(len(r.mutants)))}}
		body.List = append(body.List, &ast.IfStmt{Cond: on, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{o.x}}}}})
	}
	body.List = append(body.List, &ast.ReturnStmt{Results: []ast.Expr{e}})
	r.changed = true
	result, err := parser.ParseExpr(name)
	if err != nil {
		return e
	}
	return &ast.CallExpr{Fun: &ast.FuncLit{Type: &ast.FuncType{Params: new(ast.FieldList), Results: &ast.FieldList{List: []*ast.Field{{Type: result}}}}, Body: body}}
}

// typeName writes a type with the imports of the file. It is not ok if one is missing.
func (r *rewriter) typeName(t types.Type) (string, bool) {
	ok := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == r.pkg {
			return ""
		}
		for _, spec := range r.file.Imports {
			if spec.Path.Value == `"`+p.Path()+`"` {
				if spec.Name != nil {
					return spec.Name.Name
				}
				return p.Name()
			}
		}
		ok = false
		return p.Name()
	})
	return name, ok
}

// asItIs describes an expression before its parts are rewritten.
func (r *rewriter) asItIs(e ast.Expr) mutant {
	p := r.fset.Position(e.Pos())
	return mutant{place: fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line), from: r.text(e)}
}

// text prints an expression on one line.
func (r *rewriter) text(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		return "?"
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
