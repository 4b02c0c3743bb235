package formula

import (
	"slices"
	"strconv"
	"strings"
)

// Line returns the text in one line: its statements, with as few parentheses as necessary, and
// without comments. Parse reads it as the same text.
func (t *Text) Line() string {
	var b strings.Builder
	for i, d := range t.Definitions {
		if i > 0 {
			b.WriteString("; ")
		}
		d.write(&b)
	}
	return b.String()
}

// write writes one statement for each case.
func (d *Definition) write(b *strings.Builder) {
	switch d.Kind {
	case Taken:
		write(b, "taken ", d.Name)
	case Constant:
		write(b, d.Name, " := ", quantityText(d.Cases[0].Value))
	}
	if d.Kind == Taken || d.Kind == Constant {
		return
	}
	if d.List != nil {
		d.writeFirst(b)
	}
	for i := range d.Cases {
		if i > 0 {
			b.WriteString("; ")
		}
		c := &d.Cases[i]
		switch {
		case d.List != nil:
			write(b, d.Name, "[", d.List.Index, " in ")
			writeRange(b, d.List.ends())
			b.WriteString("] = ")
		case c.Solve != nil:
			write(b, "solve ", d.Name, " in ")
		case d.Kind == Function:
			write(b, d.Name, "(", strings.Join(d.Params, ", "), ") = ")
		default:
			write(b, d.Name, " = ")
		}
		c.write(b)
	}
}

// writeFirst writes the items before the range of a list.
func (d *Definition) writeFirst(b *strings.Builder) {
	for _, first := range d.List.First {
		for i := range first.Cases {
			write(b, d.Name, "[", strconv.Itoa(first.Index), "] = ")
			first.Cases[i].write(b)
			b.WriteString("; ")
		}
	}
}

// writeRange writes a list, or both ends of a range.
func writeRange(b *strings.Builder, ends []*Expr) {
	for i, end := range ends {
		if i > 0 {
			b.WriteString("..")
		}
		end.within(b, levelSum)
	}
}

func write(b *strings.Builder, parts ...string) {
	for _, part := range parts {
		b.WriteString(part)
	}
}

// String returns the text of a statement after the name and its sign.
func (c *Case) String() string {
	var b strings.Builder
	c.write(&b)
	return b.String()
}

func (c *Case) write(b *strings.Builder) {
	if s := c.Solve; s != nil {
		b.WriteString("[")
		s.Low.within(b, levelSum)
		b.WriteString(", ")
		s.High.within(b, levelSum)
		b.WriteString("]: ")
		s.Left.within(b, levelSum)
		b.WriteString(" = ")
		s.Right.within(b, levelSum)
	} else {
		c.Value.write(b)
	}
	switch {
	case c.When != nil:
		b.WriteString(" if ")
		c.When.write(b)
	case c.Otherwise:
		b.WriteString(" otherwise")
	default:
		return
	}
	if c.ID != "" {
		write(b, " @", c.ID)
	}
}

// level is the precedence of the outermost operation of an expression.
type level uint8

const (
	levelOr level = iota
	levelAnd
	levelNot // and comparisons
	levelSum
	levelProduct
	levelSigned
	levelPostfix
)

func (x *Expr) level() level {
	switch x.Op {
	case Or:
		return levelOr
	case And:
		if x.chained {
			return levelNot
		}
		return levelAnd
	case Not, Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual:
		return levelNot
	case Add, Sub:
		return levelSum
	case Mul, Div:
		return levelProduct
	case Neg, Pow:
		return levelSigned
	case Number:
		if x.Unit == "" && strings.HasPrefix(x.Literal, "-") {
			return levelSigned
		}
	}
	return levelPostfix
}

// operators are the signs of the operations between two operands.
var operators = [256]string{
	Add: " + ", Sub: " - ", Mul: "*", Div: "/", And: " and ", Or: " or ",
	Less: " < ", LessEqual: " <= ", Greater: " > ", GreaterEqual: " >= ", Equal: " == ", NotEqual: " != ",
}

func (op Op) compares() bool { return Less <= op && op <= NotEqual }

// follows reports whether x and y can be written as a < b < c. Then x is a < b, or ends in it,
// and y is b < c.
func follows(x, y *Expr) bool {
	if x.chained {
		x = x.Args[1]
	}
	return x.Op.compares() && y.Op.compares() && same(x.Args[1], y.Args[0])
}

// same reports whether two expressions have the same tree.
func same(x, y *Expr) bool {
	if x == y {
		return true
	}
	if x.Op != y.Op || x.Name != y.Name || x.Literal != y.Literal || x.Unit != y.Unit || len(x.Args) != len(y.Args) || !slices.Equal(x.Fields, y.Fields) || (x.Fold == nil) != (y.Fold == nil) || x.Fold != nil && *x.Fold != *y.Fold {
		return false
	}
	for i := range x.Args {
		if !same(x.Args[i], y.Args[i]) {
			return false
		}
	}
	return true
}

// within writes x where an operand must have at least this precedence.
func (x *Expr) within(b *strings.Builder, least level) {
	if x.level() < least {
		x.fence(b)
	} else {
		x.write(b)
	}
}

// fence writes x in parentheses.
func (x *Expr) fence(b *strings.Builder) {
	b.WriteByte('(')
	x.write(b)
	b.WriteByte(')')
}

// rightOperand is within for a right operand: if it starts with a negative number, it is in
// parentheses.
func (x *Expr) rightOperand(b *strings.Builder, least level) {
	if first := x.first(); first.Op == Number && first.level() == levelSigned {
		x.fence(b)
	} else {
		x.within(b, least)
	}
}

// first returns the first part of the text of x.
func (x *Expr) first() *Expr {
	for x.Op == Add || x.Op == Sub || x.Op == Mul || x.Op == Div {
		x = x.Args[0]
	}
	return x
}

// String returns the text of the expression.
func (x *Expr) String() string {
	var b strings.Builder
	x.write(&b)
	return b.String()
}

func (x *Expr) write(b *strings.Builder) {
	switch x.Op {
	case Number:
		if x.Unit != "" {
			write(b, "{", quantityText(x), "}")
		} else {
			b.WriteString(x.Literal)
		}
	case Name:
		b.WriteString(x.Name)
	case shown:
		b.WriteString(x.Literal)
	case Literal:
		write(b, `"`, x.Name, `"`)
	case Neg: // before a power, but not before another sign
		b.WriteByte('-')
		if x.Args[0].Op == Pow {
			x.Args[0].write(b)
		} else {
			x.Args[0].within(b, levelPostfix)
		}
	case Not:
		b.WriteString("not ")
		x.Args[0].within(b, levelNot)
	case Pow:
		x.Args[0].within(b, levelPostfix)
		b.WriteByte('^')
		x.Args[1].rightOperand(b, levelSigned)
	case Call, Ask, Fold:
		x.call(b)
	case Index:
		x.Args[0].within(b, levelPostfix)
		b.WriteByte('[')
		x.Args[1].within(b, levelSum)
		b.WriteByte(']')
	case Member:
		x.Args[0].within(b, levelPostfix)
		write(b, ".", x.Name)
	default:
		x.between(b)
	}
}

// call writes an operation with its operands in parentheses.
func (x *Expr) call(b *strings.Builder) {
	if x.Op != Fold {
		write(b, x.Name, "(")
		for i, arg := range x.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			if x.Op == Ask {
				write(b, x.Fields[i], "=")
			}
			arg.write(b)
		}
		b.WriteByte(')')
		return
	}
	write(b, x.Fold.Func, "(", x.Name, " in ")
	writeRange(b, x.ends())
	if condition := x.condition(); condition != nil {
		b.WriteString(" if ")
		condition.write(b)
	}
	if body := x.body(); body != nil {
		b.WriteString(": ")
		body.write(b)
	}
	b.WriteByte(')')
}

// between writes an operation with two operands. The right operand must have a higher
// precedence than the operation, because equal ones are read from the left.
func (x *Expr) between(b *strings.Builder) {
	least := x.level()
	switch {
	case x.chained:
		x.Args[0].write(b)
		b.WriteString(operators[x.Args[1].Op])
		x.Args[1].Args[1].rightOperand(b, levelSum)
	case x.Op.compares():
		x.Args[0].within(b, levelSum)
		b.WriteString(operators[x.Op])
		x.Args[1].rightOperand(b, levelSum)
	default:
		x.Args[0].within(b, least)
		b.WriteString(operators[x.Op])
		x.Args[1].rightOperand(b, least+1)
	}
}

// quantityText returns a number with its unit.
func quantityText(x *Expr) string { return strings.TrimSpace(x.Literal + " " + x.Unit) }
