package formula

import (
	"math/big"
	"slices"
	"strings"
)

// Mutant is a text with one mistake in it.
type Mutant struct {
	Line int    // of the change, from 1
	What string // such as: a - b instead of a + b
	Text *Text
}

// Mutants returns the text with one mistake each. It changes a sign, a number, an exponent, an
// operation, a comparison, the order of operands, a condition or a name. A comparison of a
// text with numbers should find that they differ from all its mutants.
func Mutants(t *Text) []Mutant {
	m := &mutator{text: t, kinds: map[string]kind{"pi": numberKind, "true": boolKind, "false": boolKind}, seen: map[*Expr]bool{}}
	for _, d := range t.Definitions {
		m.define(d)
	}
	m.visit, m.above = m.mutate, nil
	for _, d := range t.Definitions {
		m.define(d)
	}
	return m.list
}

type mutator struct {
	text   *Text
	kinds  map[string]kind // of names that are not locals
	visit  func(x *Expr, k kind)
	above  []string // names that are defined earlier
	locals []string
	seen   map[*Expr]bool
	list   []Mutant
}

// define visits a definition. The first visit only records the kinds of names.
func (m *mutator) define(d *Definition) {
	m.locals = slices.Clone(d.Params)
	cases := d.Cases
	if d.List != nil {
		for _, end := range d.List.ends() {
			m.expr(end, map[bool]kind{true: listKind, false: numberKind}[d.List.Over != nil])
		}
		for i := range d.List.First {
			cases = append(slices.Clone(cases), d.List.First[i].Cases...)
		}
		m.locals = append(m.locals, d.List.Index)
	}
	for i := range cases {
		c := &cases[i]
		if m.visit != nil && c.When != nil {
			m.replace(c.When, "not ("+m.part(c.When)+")")
		}
		m.expr(c.When, boolKind)
		m.expr(c.Value, numberKind)
		if s := c.Solve; s != nil { // the interval only bounds the search
			m.locals = append(m.locals, d.Name)
			m.expr(s.Left, numberKind)
			m.expr(s.Right, numberKind)
		}
	}
	if d.Kind != Function {
		m.above = append(m.above, d.Name)
		m.kinds[d.Name] = numberKind
		if len(d.Cases) > 0 && isTruth(d.Cases[0].Value) {
			m.kinds[d.Name] = boolKind
		}
		if d.List != nil {
			m.kinds[d.Name] = listKind
		}
	}
}

// isTruth reports whether an expression is true or false.
func isTruth(x *Expr) bool { return x != nil && Less <= x.Op && x.Op <= Not }

// expr visits an expression of a kind.
func (m *mutator) expr(x *Expr, k kind) {
	switch {
	case x == nil || m.visit != nil && m.seen[x]: // an operand of two comparisons
		return
	case m.visit != nil:
		m.seen[x] = true
		m.visit(x, k)
	case x.Op == Name && m.kinds[x.Name] == absentKind && !slices.Contains(m.locals, x.Name):
		m.kinds[x.Name] = k
	}
	before := len(m.locals)
	for i, of := range m.operands(x) {
		if x.Op == Fold && i == len(x.ends()) { // in its condition and its body
			m.locals = append(m.locals, x.Name)
		}
		m.expr(x.Args[i], of)
	}
	m.locals = m.locals[:before]
}

// operands returns the kinds of the operands of x. The names in a call of given are not
// operands.
func (m *mutator) operands(x *Expr) []kind {
	kinds := make([]kind, len(x.Args))
	for i := range kinds {
		kinds[i] = numberKind
	}
	switch x.Op {
	case And, Or, Not:
		for i := range kinds {
			kinds[i] = boolKind
		}
	case Equal, NotEqual:
		if x.Args[0].Op == Literal || x.Args[1].Op == Literal {
			return []kind{textKind, textKind}
		}
	case Index:
		kinds[0] = listKind
	case Fold:
		m.foldOperands(x, kinds)
	case Member:
		kinds[0] = recordKind
	case Call:
		switch {
		case x.Name == "given":
			return nil
		case x.Name == "mean" || x.Name == "median" || x.Name == "count" || (x.Name == "min" || x.Name == "max") && len(kinds) == 1:
			kinds[0] = listKind
		case x.Name == "factor" || x.Name == "zero":
			kinds[0] = textKind
		}
	}
	return kinds
}

// foldOperands sets the kinds of the operands of a fold.
func (m *mutator) foldOperands(x *Expr, kinds []kind) {
	if !x.Fold.Range {
		kinds[0] = listKind
	}
	if x.Fold.If {
		kinds[len(x.ends())] = boolKind
	}
	if f := x.Fold.Func; x.Fold.Body && (f == "any" || f == "all" || f == "count") {
		kinds[len(kinds)-1] = boolKind
	}
}

// mutate adds the mutants of one node.
func (m *mutator) mutate(x *Expr, k kind) {
	switch x.Op {
	case Number:
		m.number(x)
	case Name:
		m.name(x, k)
	case Neg:
		m.replace(x, m.part(x.Args[0]))
	case Pow:
		if base, exponent := m.part(x.Args[0]), x.Args[1]; exponent.Op != Number {
			m.replace(x, "("+base+")^("+m.part(exponent)+" + 1)")
		}
	}
	if x.chained {
		m.chain(x)
		return
	}
	for _, by := range m.variants(x) {
		m.replace(x, by)
	}
}

// other is the operation that replaces an operation.
var other = map[Op]Op{
	Add: Sub, Sub: Add, Mul: Div, Div: Mul, Less: LessEqual, LessEqual: Less, Greater: GreaterEqual, GreaterEqual: Greater,
	Equal: NotEqual, NotEqual: Equal, And: Or, Or: And,
}

// variants returns an operation with another one in its place, and with its operands swapped.
func (m *mutator) variants(x *Expr) (list []string) {
	if to, ok := other[x.Op]; ok {
		list = append(list, "("+m.part(x.Args[0])+")"+operators[to]+"("+m.part(x.Args[1])+")")
	}
	sign := operators[x.Op]
	switch x.Op {
	case Pow:
		sign = "^"
	case Sub, Div, Less, LessEqual, Greater, GreaterEqual:
	default:
		return list
	}
	return append(list, "("+m.part(x.Args[1])+")"+sign+"("+m.part(x.Args[0])+")")
}

// chain adds the mutants of a < b < c: another comparison, or only one of the two.
func (m *mutator) chain(x *Expr) {
	var all []*Expr
	for ; x.chained; x = x.Args[0] {
		all = append(all, x.Args[1])
		m.seen[x.Args[1]], m.seen[x.Args[0]] = true, true
	}
	all = append(all, x)
	slices.Reverse(all)
	parts := make([]string, len(all))
	for i, one := range all {
		parts[i] = m.part(one)
	}
	whole := &Expr{Op: And, from: all[0].from, to: all[len(all)-1].to}
	m.replace(whole, strings.Join(parts, " or "))
	for i, one := range all {
		for _, by := range m.variants(one) {
			changed := slices.Clone(parts)
			changed[i] = by
			m.replace(whole, strings.Join(changed, " and "))
		}
		for k := range one.Args {
			m.expr(one.Args[k], numberKind)
		}
	}
}

// number adds 1 to a number without a point, and 0.1 % to another number.
func (m *mutator) number(x *Expr) {
	mantissa, exponent, exponential := strings.Cut(strings.ToLower(x.Literal), "e")
	_, decimals, point := strings.Cut(mantissa, ".")
	n, _ := new(big.Rat).SetString(mantissa)
	places := 0
	if point || exponential {
		n.Mul(n, big.NewRat(1001, 1000))
		places = len(decimals) + 3
	} else {
		n.Add(n, big.NewRat(1, 1))
	}
	by := n.FloatString(places)
	if exponential {
		by += "e" + exponent
	}
	if x.Unit != "" {
		by += " " + x.Unit
	}
	if m.text.source[x.from] == '{' {
		by = "{" + by + "}"
	}
	m.replace(x, by)
}

// name replaces a name by the next one of the same kind that is visible here.
func (m *mutator) name(x *Expr, k kind) {
	var names []string
	for name, of := range m.kinds {
		d := m.text.Definition(name)
		if of == k && (d == nil || slices.Contains(m.above, name)) {
			names = append(names, name)
		}
	}
	if k == numberKind {
		names = append(names, m.locals...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if at, _ := slices.BinarySearch(names, x.Name); len(names) > 1 {
		next := names[(at+1)%len(names)]
		if next == x.Name || at == len(names) {
			next = names[0]
		}
		m.replace(x, next)
	}
}

// replace adds the mutant with another text in place of a node.
func (m *mutator) replace(x *Expr, by string) {
	if x.Op != Name && x.Op != Number {
		by = "(" + by + ")"
	}
	source := m.text.source
	p := newParser(source[:x.from] + by + source[x.to:])
	line, _ := p.place(int(x.from))
	text, err := p.parse(4 * MaxDepth) // with more parentheses
	if err != nil {
		return // the text has a number that is too long
	}
	mutant := m.text.With(text.Definitions)
	mutant.source = text.source
	m.list = append(m.list, Mutant{Line: line, What: by + " instead of " + m.part(x), Text: mutant})
}

// part returns the source of a node in one line.
func (m *mutator) part(x *Expr) string {
	var b strings.Builder
	source := m.text.source[x.from:x.to]
	for quoted := false; source != ""; source = source[1:] {
		if source[0] == '"' {
			quoted = !quoted
		}
		if source[0] == '#' && !quoted {
			_, source, _ = strings.Cut(source, "\n")
			source = "\n" + source
		}
		b.WriteByte(source[0])
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
