package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"strings"
)

// constant changes a number: an integer by one, other numbers by a thousandth.
func (r *rewriter) constant(x ast.Expr, tv types.TypeAndValue) ast.Expr {
	b, ok := tv.Type.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsUntyped != 0 {
		return x
	}
	as := r.asItIs(x)
	switch {
	case b.Info()&types.IsInteger != 0:
		return r.alternative(x, as, tv.Type, other{&ast.BinaryExpr{X: &ast.ParenExpr{X: x}, Op: token.ADD, Y: literal("1")}, as.from + " + 1", "number"})
	case b.Info()&types.IsFloat != 0 && constant.Sign(tv.Value) == 0:
		return r.alternative(x, as, tv.Type, other{literal("1"), "1", "number"})
	case b.Info()&types.IsFloat != 0:
		return r.alternative(x, as, tv.Type, other{&ast.BinaryExpr{X: &ast.ParenExpr{X: x}, Op: token.MUL, Y: literal("0.999")}, as.from + " * 0.999", "number"})
	case b.Info()&types.IsString != 0 && isDecimal(constant.StringVal(tv.Value)):
		text := []byte(constant.StringVal(tv.Value))
		if last := &text[len(text)-1]; *last == '9' {
			*last = '8'
		} else {
			*last++
		}
		changed := fmt.Sprintf("%q", text)
		return r.alternative(x, as, tv.Type, other{&ast.BasicLit{Kind: token.STRING, Value: changed}, changed, "number"})
	}
	return x
}

func isDecimal(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == "" && s[len(s)-1] != '.'
}

func literal(text string) ast.Expr { return &ast.BasicLit{Kind: token.FLOAT, Value: text} }

// other is the changed expression and its description.
type other struct {
	x          ast.Expr
	text, kind string
}

// alternative returns an expression with the value of e, or with the value of one of the others while its
// mutant is active.
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
		r.mutants = append(r.mutants, &mutant{number: len(r.mutants) + 1, at: as.at, change: shortened(as.from) + " -> " + shortened(o.text), kind: o.kind, once: r.once, shared: r.pkg.Name() != "main"})
		on := &ast.CallExpr{Fun: &ast.SelectorExpr{X: ast.NewIdent("mutation"), Sel: ast.NewIdent("On")}, Args: []ast.Expr{literal(fmt.Sprint(len(r.mutants)))}}
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

// typeName returns a type in the source of the file. It is not ok if an import is missing.
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
	return mutant{at: place{r.in, strings.TrimSpace(r.lines[p.Line-1])}, from: r.text(e)}
}

// text prints an expression on one line.
func (r *rewriter) text(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		return "?"
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
