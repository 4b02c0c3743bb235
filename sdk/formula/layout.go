package formula

import (
	"math"
	"strconv"
	"strings"
)

// notation is how one language writes the parts of a formula.
type notation interface {
	number(digits, exponent string) string
	unit(id string) string
	name(latex string) (string, bool) // false if it cannot be read
	word(text string) string          // upright, such as "if"
	function(name string) string      // upright, before its argument
	sign(op Op) string
	dot() string   // between two numbers that are multiplied
	space() string // between factors

	// Marks around parts.
	row() marks
	fence(open, shut string) marks
	fraction() marks
	root() marks
	power() marks
	index() marks
	sum(above bool) marks // below, and above if it is true
	cases() table
	lines(n int, equals string) table
}

// marks are written before, between and after parts.
type marks struct {
	before, between, after string
	braces                 bool // around each part of several signs
}

// table has the marks around rows, and around the two cells of a row.
type table struct{ rows, cells marks }

// layout lays a formula out in two dimensions. It writes from left to right, so that its cost
// is proportional to its output.
type layout struct {
	notation
	typeset func(name string) string
	names   map[string]string // names that are typeset already
	out     []byte
	most    int // bytes; output beyond them may be missing
}

func newLayout(n notation, typeset func(name string) string) *layout {
	return &layout{notation: n, typeset: typeset, names: map[string]string{}, most: math.MaxInt}
}

func (l *layout) put(text string) {
	if len(l.out) <= l.most {
		l.out = append(l.out, text...)
	}
}

// around writes parts with the marks around them.
func (l *layout) around(m marks, parts ...func()) {
	l.put(m.before)
	for i, part := range parts {
		if i > 0 {
			l.put(m.between)
		}
		if m.braces {
			l.braced(part)
		} else {
			part()
		}
	}
	l.put(m.after)
}

// braced makes one argument of several signs.
func (l *layout) braced(part func()) {
	at := len(l.out)
	l.put("{")
	part()
	if len(l.out) != at+2 || len(l.out) > l.most {
		l.put("}")
		return
	}
	l.out = append(l.out[:at], l.out[at+1])
}

// fill writes a table.
func (l *layout) fill(t table, n int, left, right func(i int)) {
	l.put(t.rows.before)
	for i := range n {
		if i > 0 {
			l.put(t.rows.between)
		}
		l.around(t.cells, func() { left(i) }, func() { right(i) })
	}
	l.put(t.rows.after)
}

// fenced writes a part in parentheses.
func (l *layout) fenced(part func()) { l.around(l.fence("(", ")"), part) }

// named writes a name.
func (l *layout) named(name string) {
	written, ok := l.names[name]
	if !ok {
		written = l.typesetName(name)
		l.names[name] = written
	}
	l.put(written)
}

func (l *layout) typesetName(name string) string {
	if l.typeset != nil {
		if latex := l.typeset(name); latex != "" {
			if written, ok := l.name(latex); ok {
				return written
			}
		}
	}
	written, _ := l.name(Typeset(name))
	return written
}

// text lays out all definitions, each on a line of its own.
func (l *layout) text(t *Text) {
	l.fill(l.lines(len(t.Definitions), l.sign(Equal)), len(t.Definitions),
		func(i int) { l.subject(t.Definitions[i]) }, func(i int) { l.body(t.Definitions[i]) })
}

func (l *layout) subject(d *Definition) {
	if d.List != nil {
		l.around(l.index(), func() { l.named(d.Name) }, func() { l.named(d.List.Index) })
		return
	}
	if d.Kind != Function {
		l.named(d.Name)
		return
	}
	l.around(l.row(), func() { l.named(d.Name) }, func() {
		l.fenced(func() { l.list(len(d.Params), func(i int) { l.named(d.Params[i]) }) })
	})
}

// list writes parts with commas between them.
func (l *layout) list(n int, part func(i int)) {
	row := l.row()
	l.put(row.before)
	for i := range n - 1 {
		l.around(row, func() { part(i) }, func() { l.put(l.word(", ")) })
		l.put(row.between)
	}
	part(n - 1)
	l.put(row.after)
}

// body lays out the cases of a definition.
func (l *layout) body(d *Definition) {
	switch {
	case d.Kind == Taken:
		l.put(l.word("as the engine gives it"))
	case d.List != nil:
		l.items(d)
	case len(d.Cases) > 1:
		l.fill(l.cases(), len(d.Cases), func(i int) { l.value(&d.Cases[i]) }, func(i int) { l.condition(&d.Cases[i]) })
	case d.Cases[0].When != nil:
		c := &d.Cases[0]
		l.around(l.row(), func() { l.value(c) }, func() { l.put(l.word(" if ")) }, func() { l.expr(c.When) })
	default:
		l.value(&d.Cases[0])
	}
}

// items lays out the cases of a list: first the cases of its first items, then the cases of its range.
func (l *layout) items(d *Definition) {
	var values, conditions []func()
	for i := range d.List.First {
		first := &d.List.First[i]
		for k := range first.Cases {
			c := &first.Cases[k]
			values = append(values, func() { l.value(c) })
			conditions = append(conditions, func() {
				index := &Expr{Op: Equal, Args: []*Expr{{Op: Name, Name: d.List.Index}, {Op: Number, Literal: strconv.Itoa(first.Index)}}}
				l.around(l.row(), func() { l.put(l.word("if ")) }, func() { l.expr(index) }, func() { l.also(c) })
			})
		}
	}
	for i := range d.Cases {
		c := &d.Cases[i]
		values = append(values, func() { l.value(c) })
		conditions = append(conditions, func() {
			l.around(l.row(), func() { l.condition(c) }, func() { l.put(l.word(" for ")) }, func() { l.over(d.List.Index, d.List.ends()) })
		})
	}
	if len(values) == 1 {
		l.around(l.row(), values[0], func() { l.put(l.word(" ")) }, conditions[0])
		return
	}
	l.fill(l.cases(), len(values), func(i int) { values[i]() }, func(i int) { conditions[i]() })
}

// also lays out the condition of a first item after its index.
func (l *layout) also(c *Case) {
	if c.When != nil {
		l.around(l.row(), func() { l.put(l.word(" and ")) }, func() { l.expr(c.When) })
	}
}

// over lays out an index and what it goes over: i = 1 to n, or x in list.
func (l *layout) over(index string, ends []*Expr) {
	sign := l.word(" in ")
	if len(ends) == 2 {
		sign = l.sign(Equal)
	}
	first := func() { l.signed(func() { l.named(index) }, sign, func() { l.expr(ends[0]) }) }
	if len(ends) == 1 {
		first()
		return
	}
	l.around(l.row(), first, func() { l.put(l.word(" to ")) }, func() { l.expr(ends[1]) })
}

func (l *layout) condition(c *Case) {
	switch {
	case c.When != nil:
		l.around(l.row(), func() { l.put(l.word("if ")) }, func() { l.expr(c.When) })
	case c.Otherwise:
		l.put(l.word("otherwise"))
	}
}

func (l *layout) value(c *Case) {
	if c.Solve == nil {
		l.expr(c.Value)
		return
	}
	l.around(l.row(), func() { l.put(l.word("root of ")) }, func() { l.equation(c.Solve) })
}

func (l *layout) equation(s *Solve) {
	l.signed(func() { l.expr(s.Left) }, l.sign(Equal), func() { l.expr(s.Right) })
}

// signed writes two parts with a sign between them.
func (l *layout) signed(left func(), sign string, right func()) {
	l.around(l.row(), left, func() { l.put(sign) }, right)
}

func (l *layout) expr(x *Expr) {
	switch x.Op {
	case Number:
		l.quantity(x)
	case Name:
		if x.Name == "true" || x.Name == "false" {
			l.put(l.word(x.Name))
			return
		}
		l.named(x.Name)
	case Literal:
		l.put(l.word(x.Name))
	case shown:
		l.put(l.word(x.Literal))
	case Neg:
		least := levelPostfix
		if x.Args[0].Op == Pow {
			least = levelOr
		}
		l.around(l.row(), func() { l.put(l.sign(Neg)) }, func() { l.within(x.Args[0], least) })
	case Not:
		l.around(l.row(), func() { l.put(l.word("not ")) }, func() { l.within(x.Args[0], levelNot) })
	case Div:
		l.around(l.fraction(), func() { l.expr(x.Args[0]) }, func() { l.expr(x.Args[1]) })
	case Pow:
		l.around(l.power(), func() { l.base(x.Args[0]) }, func() { l.expr(x.Args[1]) })
	case Call:
		l.call(x)
	case Ask:
		l.ask(x)
	case Index:
		l.around(l.index(), func() { l.base(x.Args[0]) }, func() { l.expr(x.Args[1]) })
	case Member:
		l.member(x)
	case Fold:
		l.fold(x)
	case Mul:
		l.product(x)
	default:
		l.between(x)
	}
}

func (l *layout) quantity(x *Expr) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(x.Literal), "e")
	number := l.number(mantissa, strings.TrimPrefix(exponent, "+"))
	if x.Unit == "" {
		l.put(number)
		return
	}
	l.signed(func() { l.put(number) }, l.space(), func() { l.put(l.unit(x.Unit)) })
}

// between lays out a sum, a comparison, or what and and or join.
func (l *layout) between(x *Expr) {
	a, b, least := x.Args[0], x.Args[1], x.level()
	switch {
	case x.chained:
		l.signed(func() { l.expr(a) }, l.sign(b.Op), func() { l.rightOperand(b.Args[1], levelSum) })
	case x.Op.compares():
		l.signed(func() { l.within(a, levelSum) }, l.sign(x.Op), func() { l.rightOperand(b, levelSum) })
	case x.Op == And || x.Op == Or:
		l.signed(func() { l.within(a, least) }, l.word(operators[x.Op]), func() { l.rightOperand(b, least+1) })
	default:
		l.signed(func() { l.within(a, least) }, l.sign(x.Op), func() { l.rightOperand(b, least+1) })
	}
}

// product omits the sign before a letter, a fraction or a parenthesis.
func (l *layout) product(x *Expr) {
	a, b, sign := x.Args[0], x.Args[1], l.space()
	if beginsWithNumber(b) || endsWithUnit(a) {
		sign = l.dot()
	}
	left := func() { l.within(a, levelProduct) }
	if a.Op == Fold {
		left = func() { l.fenced(func() { l.expr(a) }) }
	}
	right := func() { l.rightOperand(b, levelProduct) }
	if b.Op == Mul || b.Op == Neg {
		right = func() { l.fenced(func() { l.expr(b) }) }
	}
	l.signed(left, sign, right)
}

func endsWithUnit(x *Expr) bool {
	for x.Op == Mul {
		x = x.Args[1]
	}
	return x.Op == Number && x.Unit != ""
}

func beginsWithNumber(x *Expr) bool {
	for x.Op == Mul || x.Op == Pow || x.Op == Index {
		x = x.Args[0]
	}
	return x.Op == Number && x.Literal[0] != '-'
}

func (l *layout) within(x *Expr, least level) {
	if x.level() < least && x.Op != Div {
		l.fenced(func() { l.expr(x) })
		return
	}
	l.expr(x)
}

// rightOperand is within for a right operand: if it starts with a minus, it is in parentheses.
func (l *layout) rightOperand(x *Expr, least level) {
	first := x
	for first.Op == Add || first.Op == Sub || first.Op == Mul {
		first = first.Args[0]
	}
	if first.level() == levelSigned && first.Op != Pow || first.Op == Number && strings.HasPrefix(first.Literal, "-") {
		l.fenced(func() { l.expr(x) })
		return
	}
	l.within(x, least)
}

// base lays out the base of an exponent or an index, in parentheses unless it is one sign.
func (l *layout) base(x *Expr) {
	switch {
	case x.Op == Name || x.Op == Index || x.Op == Member,
		x.Op == Number && x.Unit == "" && strings.Trim(x.Literal, "0123456789.") == "",
		x.Op == Call && (x.Name == "abs" || x.Name == "sqrt"):
		l.expr(x)
	default:
		l.fenced(func() { l.expr(x) })
	}
}

func (l *layout) call(x *Expr) {
	first := func() { l.expr(x.Args[0]) }
	all := func() { l.list(len(x.Args), func(i int) { l.expr(x.Args[i]) }) }
	_, known := functions[x.Name]
	switch {
	case x.Name == "sqrt":
		l.around(l.root(), first)
	case x.Name == "abs":
		l.around(l.fence("|", "|"), first)
	case x.Name == "given" && len(x.Args) == 1:
		l.around(l.row(), first, func() { l.put(l.word(" is given")) })
	case x.Name == "given":
		l.around(l.row(), all, func() { l.put(l.word(" are given")) })
	case x.Name == "log10":
		log := func() { l.around(l.index(), func() { l.put(l.function("log")) }, func() { l.put(l.number("10", "")) }) }
		l.around(l.row(), log, func() { l.fenced(first) })
	case known:
		l.around(l.row(), func() { l.put(l.function(x.Name)) }, func() { l.fenced(all) })
	default:
		l.around(l.row(), func() { l.named(x.Name) }, func() { l.fenced(all) })
	}
}

// ask lays out a call of a calculation with the names of its arguments.
func (l *layout) ask(x *Expr) {
	l.around(l.row(), func() { l.put(l.function(x.Name)) }, func() {
		l.fenced(func() {
			l.list(len(x.Args), func(i int) {
				l.signed(func() { l.put(l.word(x.Fields[i])) }, l.sign(Equal), func() { l.expr(x.Args[i]) })
			})
		})
	})
}

// member lays out a field of a record as a symbol with the index of the record.
func (l *layout) member(x *Expr) {
	record := x.Args[0]
	if record.Op == Index {
		record = record.Args[1]
	}
	l.around(l.index(), func() { l.named(x.Name) }, func() { l.expr(record) })
}

// fold lays out a sum with its ends below and above the sign, and other folds as a function of what they fold.
func (l *layout) fold(x *Expr) {
	sign := l.word(" in ")
	if x.Fold.Range {
		sign = l.sign(Equal)
	}
	index := func() { l.signed(func() { l.named(x.Name) }, sign, func() { l.expr(x.Args[0]) }) }
	if x.Fold.Func == "sum" && !x.Fold.If && x.Fold.Body {
		ends := []func(){index}
		if x.Fold.Range {
			ends = append(ends, func() { l.expr(x.Args[1]) })
		}
		l.signed(func() { l.around(l.sum(x.Fold.Range), ends...) }, l.space(), func() { l.within(x.body(), levelProduct) })
		return
	}
	parts := []func(){func() { l.over(x.Name, x.ends()) }}
	if condition := x.condition(); condition != nil {
		parts = append(parts, func() { l.put(l.word(" if ")) }, func() { l.expr(condition) })
	}
	if body := x.body(); body != nil {
		parts = append([]func(){func() { l.expr(body) }, func() { l.put(l.word(" for ")) }}, parts...)
	}
	l.around(l.row(), func() { l.put(l.function(x.Fold.Func)) }, func() { l.fenced(func() { l.around(l.row(), parts...) }) })
}
