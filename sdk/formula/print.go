package formula

import "strings"

// Line returns the text in one line: its statements, with as few parentheses as they need, and
// without comments. Parse reads the same from it.
func (t *Text) Line() string {
	var lines []string
	for _, d := range t.Definitions {
		lines = append(lines, d.statements()...)
	}
	return strings.Join(lines, "; ")
}

// statements returns one statement for each case.
func (d *Definition) statements() []string {
	switch d.Kind {
	case Taken:
		return []string{"taken " + d.Name}
	case Constant:
		return []string{d.Name + " := " + quantityText(d.Cases[0].Value)}
	}
	var out []string
	for i := range d.Cases {
		out = append(out, d.subject(&d.Cases[i])+d.Cases[i].String())
	}
	return out
}

// subject returns what stands before a case.
func (d *Definition) subject(c *Case) string {
	switch {
	case c.Solve != nil:
		return "solve " + d.Name + " in "
	case d.Kind == Function:
		return d.Name + "(" + strings.Join(d.Params, ", ") + ") = "
	}
	return d.Name + " = "
}

// String returns what a statement says behind the name and its sign.
func (c *Case) String() string {
	var b strings.Builder
	if s := c.Solve; s != nil {
		b.WriteString("[" + s.Low.within(levelSum) + ", " + s.High.within(levelSum) + "]: " + s.Left.within(levelSum) + " = " + s.Right.within(levelSum))
	} else {
		b.WriteString(c.Value.String())
	}
	switch {
	case c.When != nil:
		b.WriteString(" if " + c.When.String())
	case c.Otherwise:
		b.WriteString(" otherwise")
	default:
		return b.String()
	}
	if c.ID != "" {
		b.WriteString(" @" + c.ID)
	}
	return b.String()
}

// level is how tightly the outermost operation of an expression binds.
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
		if x.chained() {
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

// signs of the operations between two operands.
var operators = map[Op]string{
	Add: " + ", Sub: " - ", Mul: "*", Div: "/", And: " and ", Or: " or ",
	Less: " < ", LessEqual: " <= ", Greater: " > ", GreaterEqual: " >= ", Equal: " == ", NotEqual: " != ",
}

func (op Op) compares() bool { return Less <= op && op <= NotEqual }

// chained reports whether x is a < b and b < c, which can be written as a < b < c.
func (x *Expr) chained() bool {
	if x.Op != And || !x.Args[1].Op.compares() {
		return false
	}
	left := x.Args[0]
	if left.chained() {
		left = left.Args[1]
	}
	return left.Op.compares() && same(left.Args[1], x.Args[1].Args[0])
}

// same reports whether two expressions say the same in the same way.
func same(x, y *Expr) bool {
	if x == y {
		return true
	}
	if x.Op != y.Op || x.Name != y.Name || x.Literal != y.Literal || x.Unit != y.Unit || len(x.Args) != len(y.Args) {
		return false
	}
	for i := range x.Args {
		if !same(x.Args[i], y.Args[i]) {
			return false
		}
	}
	return true
}

// within returns the text of x where an operand must bind at least so tightly.
func (x *Expr) within(least level) string {
	if x.level() < least {
		return "(" + x.String() + ")"
	}
	return x.String()
}

// behind is within for a right operand: what begins with a negative number stands in parentheses
// there.
func (x *Expr) behind(least level) string {
	if first := x.first(); first.Op == Number && first.level() == levelSigned {
		return "(" + x.String() + ")"
	}
	return x.within(least)
}

// first returns what the text of x begins with.
func (x *Expr) first() *Expr {
	switch x.Op {
	case Add, Sub, Mul, Div:
		return x.Args[0].first()
	}
	return x
}

// String returns the text of the expression.
func (x *Expr) String() string {
	switch x.Op {
	case Number:
		if x.Unit != "" {
			return "{" + quantityText(x) + "}"
		}
		return x.Literal
	case Name:
		return x.Name
	case shown:
		return x.Literal
	case Literal:
		return `"` + x.Name + `"`
	case Neg: // before a power, and not before another sign
		if x.Args[0].Op == Pow {
			return "-" + x.Args[0].String()
		}
		return "-" + x.Args[0].within(levelPostfix)
	case Not:
		return "not " + x.Args[0].within(levelNot)
	case Pow:
		return x.Args[0].within(levelPostfix) + "^" + x.Args[1].behind(levelSigned)
	case Call:
		return x.Name + "(" + join(x.Args) + ")"
	case Index:
		return x.Args[0].within(levelPostfix) + "[" + x.Args[1].within(levelSum) + "]"
	case Member:
		return x.Args[0].within(levelPostfix) + "." + x.Name
	case SumList:
		return "sum(" + x.Name + " in " + x.Args[0].String() + ": " + x.Args[1].within(levelSum) + ")"
	case SumRange:
		return "sum(" + x.Name + " in " + x.Args[0].within(levelSum) + ".." + x.Args[1].within(levelSum) + ": " + x.Args[2].within(levelSum) + ")"
	}
	return x.between()
}

// between returns the text of an operation with two operands. The right one binds more
// tightly than the operation, because equal ones are read from the left.
func (x *Expr) between() string {
	least := x.level()
	if x.chained() {
		return x.Args[0].String() + operators[x.Args[1].Op] + x.Args[1].Args[1].behind(levelSum)
	}
	if x.Op.compares() {
		return x.Args[0].within(levelSum) + operators[x.Op] + x.Args[1].behind(levelSum)
	}
	return x.Args[0].within(least) + operators[x.Op] + x.Args[1].behind(least+1)
}

func join(list []*Expr) string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = x.String()
	}
	return strings.Join(out, ", ")
}

// quantityText returns a number with its unit.
func quantityText(x *Expr) string { return strings.TrimSpace(x.Literal + " " + x.Unit) }
