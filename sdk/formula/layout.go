package formula

import "strings"

// notation is how one language writes what a formula consists of. Arguments are in it already,
// but for those of word, function, number and unit, which are plain.
type notation interface {
	number(digits, exponent string) string
	unit(id string) string
	name(latex string) (string, bool) // false if it cannot be read
	word(text string) string          // upright, such as "if"
	function(name string) string      // upright, before its argument
	sign(op Op) string
	dot() string   // between two numbers that are multiplied
	space() string // between factors
	row(parts ...string) string
	fence(open, inside, shut string) string
	fraction(x, y string) string
	root(x string) string
	power(x, y string) string
	index(x, i string) string
	sum(below, above string) string
	cases(rows [][2]string) string
	lines(rows [][2]string, equals string) string
}

// layout lays a formula out in two dimensions.
type layout struct {
	notation
	typeset func(name string) string
	names   map[string]string // typeset before
}

func newLayout(n notation, typeset func(name string) string) *layout {
	return &layout{n, typeset, map[string]string{}}
}

func (l *layout) named(name string) string {
	written, ok := l.names[name]
	if !ok {
		written = l.typesetName(name)
		l.names[name] = written
	}
	return written
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
func (l *layout) text(t *Text) string {
	var rows [][2]string
	for _, d := range t.Definitions {
		if d.Kind == Taken {
			rows = append(rows, [2]string{l.named(d.Name), l.word("as the engine gives it")})
			continue
		}
		rows = append(rows, [2]string{l.subject(d), l.body(d)})
	}
	return l.lines(rows, l.sign(Equal))
}

func (l *layout) subject(d *Definition) string {
	if d.Kind != Function {
		return l.named(d.Name)
	}
	params := make([]string, len(d.Params))
	for i, p := range d.Params {
		params[i] = l.named(p)
	}
	return l.row(l.named(d.Name), l.fence("(", l.list(params), ")"))
}

func (l *layout) list(parts []string) string {
	for i := range parts[1:] {
		parts[i] = l.row(parts[i], l.word(", "))
	}
	return l.row(parts...)
}

// body lays out the cases of a definition.
func (l *layout) body(d *Definition) string {
	if len(d.Cases) == 1 {
		c := &d.Cases[0]
		if c.When == nil {
			return l.value(c)
		}
		return l.row(l.value(c), l.word(" if "), l.expr(c.When))
	}
	rows := make([][2]string, len(d.Cases))
	for i := range d.Cases {
		c := &d.Cases[i]
		rows[i][0] = l.value(c)
		switch {
		case c.When != nil:
			rows[i][1] = l.row(l.word("if "), l.expr(c.When))
		case c.Otherwise:
			rows[i][1] = l.word("otherwise")
		}
	}
	return l.cases(rows)
}

func (l *layout) value(c *Case) string {
	if c.Solve == nil {
		return l.expr(c.Value)
	}
	return l.row(l.word("root of "), l.equation(c.Solve))
}

func (l *layout) equation(s *Solve) string {
	return l.row(l.expr(s.Left), l.sign(Equal), l.expr(s.Right))
}

func (l *layout) expr(x *Expr) string {
	switch x.Op {
	case Number:
		mantissa, exponent, _ := strings.Cut(strings.ToLower(x.Literal), "e")
		number := l.number(mantissa, strings.TrimPrefix(exponent, "+"))
		if x.Unit != "" {
			return l.row(number, l.space(), l.unit(x.Unit))
		}
		return number
	case Name:
		if x.Name == "true" || x.Name == "false" {
			return l.word(x.Name)
		}
		return l.named(x.Name)
	case Literal:
		return l.word(x.Name)
	case shown:
		return l.word(x.Literal)
	case Neg:
		if x.Args[0].Op == Pow {
			return l.row(l.sign(Neg), l.expr(x.Args[0]))
		}
		return l.row(l.sign(Neg), l.within(x.Args[0], levelPostfix))
	case Not:
		return l.row(l.word("not "), l.within(x.Args[0], levelNot))
	case Div:
		return l.fraction(l.expr(x.Args[0]), l.expr(x.Args[1]))
	case Pow:
		return l.power(l.base(x.Args[0]), l.expr(x.Args[1]))
	case Call:
		return l.call(x)
	case Index:
		return l.index(l.base(x.Args[0]), l.expr(x.Args[1]))
	case Member:
		return l.member(x)
	case SumList, SumRange:
		return l.series(x)
	case Mul:
		return l.product(x)
	}
	return l.between(x)
}

// between lays out a sum, a comparison, or what and and or join.
func (l *layout) between(x *Expr) string {
	least := x.level()
	switch {
	case x.chained():
		return l.row(l.expr(x.Args[0]), l.sign(x.Args[1].Op), l.behind(x.Args[1].Args[1], levelSum))
	case x.Op.compares():
		return l.row(l.within(x.Args[0], levelSum), l.sign(x.Op), l.behind(x.Args[1], levelSum))
	case x.Op == And || x.Op == Or:
		return l.row(l.within(x.Args[0], least), l.word(operators[x.Op]), l.behind(x.Args[1], least+1))
	}
	return l.row(l.within(x.Args[0], least), l.sign(x.Op), l.behind(x.Args[1], least+1))
}

// product leaves the sign out before a letter, a fraction or a parenthesis.
func (l *layout) product(x *Expr) string {
	a, b := x.Args[0], x.Args[1]
	left := l.within(a, levelProduct)
	if a.Op == SumList || a.Op == SumRange {
		left = l.fence("(", l.expr(a), ")")
	}
	sign := l.space()
	if beginsWithNumber(b) {
		sign = l.dot()
	}
	if b.Op == Mul || b.Op == Neg {
		return l.row(left, sign, l.fence("(", l.expr(b), ")"))
	}
	return l.row(left, sign, l.behind(b, levelProduct))
}

func beginsWithNumber(x *Expr) bool {
	for x.Op == Mul || x.Op == Pow || x.Op == Index {
		x = x.Args[0]
	}
	return x.Op == Number && x.Literal[0] != '-'
}

func (l *layout) within(x *Expr, least level) string {
	if x.level() < least && x.Op != Div {
		return l.fence("(", l.expr(x), ")")
	}
	return l.expr(x)
}

// behind is within for a right operand: what begins with a minus stands in parentheses there.
func (l *layout) behind(x *Expr, least level) string {
	first := x
	for first.Op == Add || first.Op == Sub || first.Op == Mul {
		first = first.Args[0]
	}
	if first.level() == levelSigned && first.Op != Pow {
		return l.fence("(", l.expr(x), ")")
	}
	return l.within(x, least)
}

// base lays out what has an exponent or an index, in parentheses unless it is one sign.
func (l *layout) base(x *Expr) string {
	switch {
	case x.Op == Name || x.Op == Index || x.Op == Member,
		x.Op == Number && x.Unit == "" && strings.Trim(x.Literal, "0123456789.") == "",
		x.Op == Call && (x.Name == "abs" || x.Name == "sqrt"):
		return l.expr(x)
	}
	return l.fence("(", l.expr(x), ")")
}

func (l *layout) call(x *Expr) string {
	args := make([]string, len(x.Args))
	for i, arg := range x.Args {
		args[i] = l.expr(arg)
	}
	switch x.Name {
	case "sqrt":
		return l.root(args[0])
	case "abs":
		return l.fence("|", args[0], "|")
	case "given":
		if len(args) == 1 {
			return l.row(args[0], l.word(" is given"))
		}
		return l.row(l.list(args), l.word(" are given"))
	case "log10":
		return l.row(l.index(l.function("log"), l.number("10", "")), l.fence("(", args[0], ")"))
	}
	name := ""
	if _, ok := functions[x.Name]; ok {
		name = l.function(x.Name)
	} else {
		name = l.named(x.Name)
	}
	return l.row(name, l.fence("(", l.list(args), ")"))
}

// member lays out a field of a record as a symbol whose index is that of the record.
func (l *layout) member(x *Expr) string {
	record := x.Args[0]
	switch record.Op {
	case Index:
		return l.index(l.named(x.Name), l.expr(record.Args[1]))
	case Name:
		return l.index(l.named(x.Name), l.named(record.Name))
	}
	return l.index(l.named(x.Name), l.expr(record))
}

func (l *layout) series(x *Expr) string {
	term := l.within(x.Args[len(x.Args)-1], levelProduct)
	if x.Op == SumList {
		below := l.row(l.named(x.Name), l.word(" in "), l.expr(x.Args[0]))
		return l.row(l.sum(below, ""), l.space(), term)
	}
	below := l.row(l.named(x.Name), l.sign(Equal), l.expr(x.Args[0]))
	return l.row(l.sum(below, l.expr(x.Args[1])), l.space(), term)
}
