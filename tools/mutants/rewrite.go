package main

import (
	"bytes"
	"go/ast"
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

// mutant is one change of a package.
type mutant struct {
	number  int // from 1
	at      place
	from    string // the expression
	change  string // such as a + b -> a - b
	kind    string // such as comparison
	once    bool   // it is evaluated when the program starts
	shared  bool   // it is not in an engine
	noticed bool
}

// shortened removes the middle of a long text.
func shortened(text string) string {
	const most, head, tail = 80, 50, 20
	if len(text) <= most {
		return text
	}
	return text[:head] + "..." + text[len(text)-tail:]
}

// rewriter replaces each expression E that can be changed to E' by
//
//	func() T { if mutation.On(7) { return E' }; return E }()
type rewriter struct {
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	file    *ast.File
	lines   []string // of the file
	in      string   // the function
	once    bool     // in variables of the package
	mutants []*mutant
	changed bool // the file has mutants
}

// rewrite returns the files of a package that can be changed, with all changes in them.
func rewrite(p *pkg) (map[string]string, []*mutant, error) {
	r := &rewriter{fset: token.NewFileSet()}
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
	r.pkg, err = config.Check(p.ImportPath, r.fset, files, r.info)
	if err != nil {
		return nil, nil, err
	}
	texts := map[string]string{}
	for i, f := range files {
		if drawings[p.GoFiles[i]] {
			continue
		}
		source, err := os.ReadFile(filepath.Join(p.Dir, p.GoFiles[i]))
		if err != nil {
			return nil, nil, err
		}
		r.file, r.lines, r.changed = f, strings.Split(string(source), "\n"), false
		for _, d := range f.Decls {
			r.declaration(d)
		}
		if !r.changed {
			continue
		}
		addImport(f)
		f.Comments = embeds(f.Comments) // other comments would move between the changed lines
		var b bytes.Buffer
		if err := printer.Fprint(&b, r.fset, f); err != nil {
			return nil, nil, err
		}
		texts[p.GoFiles[i]] = b.String()
	}
	number(r.mutants)
	return texts, r.mutants, nil
}

// drawings are files that compute no results.
var drawings = map[string]bool{"figure.go": true, "drawing.go": true, "profile.go": true}

// declaration rewrites a function, or the variables of the package.
func (r *rewriter) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil && computes(d.Name.Name) {
			r.in, r.once = nameOf(d), d.Name.Name == "init"
			r.block(d.Body)
		}
	case *ast.GenDecl:
		if d.Tok != token.VAR {
			return
		}
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			r.in, r.once = v.Names[0].Name, true
			r.list(v.Values)
		}
	}
}

// nameOf returns the name of a function. A method has the name of its receiver as a prefix.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, ok := t.(*ast.Ident)
	if !ok {
		return d.Name.Name
	}
	return id.Name + "." + d.Name.Name
}

// computes reports whether a function with this name may compute results.
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
			return false // of any other statement
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
		e.X = r.expr(e.X)
		if e.Op == token.SUB {
			return r.alternative(e, as, tv.Type, other{e.X, without, "sign"})
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

// opposites of operations. Comparisons are also reversed.
var opposites = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

// kindOf returns the kind of a change of an operation.
func kindOf(op token.Token) string {
	switch op {
	case token.LAND, token.LOR:
		return "logic"
	case token.ADD, token.SUB, token.MUL, token.QUO:
		return "operation"
	}
	return "comparison"
}

func (r *rewriter) binary(e *ast.BinaryExpr, t types.Type) ast.Expr {
	as, left, right := r.asItIs(e), r.text(e.X), r.text(e.Y)
	e.X, e.Y = r.expr(e.X), r.expr(e.Y)
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return e
	}
	var others []other
	for _, op := range opposites[e.Op] {
		others = append(others, other{&ast.BinaryExpr{X: e.X, Op: op, Y: e.Y}, left + " " + op.String() + " " + right, kindOf(op)})
	}
	if e.Op == token.SUB || e.Op == token.QUO {
		swapped := &ast.BinaryExpr{X: &ast.ParenExpr{X: e.Y}, Op: e.Op, Y: &ast.ParenExpr{X: e.X}}
		others = append(others, other{swapped, "(" + right + ") " + e.Op.String() + " (" + left + ")", "order"})
	}
	return r.alternative(e, as, t, others...)
}

// methods maps methods of numbers to methods with the same operands.
var methods = map[string][]string{"Add": {"Sub"}, "Sub": {"Add"}, "Mul": {"Div", "Quo"}, "Div": {"Mul"}, "Quo": {"Mul"}}

// call changes the called method and its arguments.
func (r *rewriter) call(e *ast.CallExpr, t types.Type) ast.Expr {
	as := r.asItIs(e)
	selector, _ := e.Fun.(*ast.SelectorExpr)
	if selector != nil {
		if id, ok := selector.X.(*ast.Ident); ok {
			if name, ok := r.info.Uses[id].(*types.PkgName); ok && (name.Name() == "sdk" || name.Name() == "fmt") && selector.Sel.Name != "UseFormula" {
				return e // texts and warnings
			} else if ok && name.Name() == "math" && selector.Sel.Name == "Inf" {
				return e // only the sign of its argument counts
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
			return r.alternative(e, as, t, other{changed, "." + name, "operation"})
		}
	}
	return e
}

// takesAddress reports whether a method takes the address of the selected value, which must then be a
// variable.
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

// selector replaces a field of a struct by the next field of the same type.
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
			return r.alternative(e, r.asItIs(e), t, other{&ast.SelectorExpr{X: e.X, Sel: ast.NewIdent(f.Name())}, f.Name(), "operand"})
		}
	}
	return e
}
