package formula

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// node makes a node, and counts it. Its first byte is at from, its sign or name is at pos, and
// it ends after the last token that was read.
func (p *parser) node(from, pos int, op Op, args ...*Expr) *Expr {
	p.count(pos, 1)
	x := &Expr{Op: op, Args: args, pos: int32(pos), from: int32(from), to: int32(p.ended)}
	x.chained = op == And && follows(args[0], args[1])
	return x
}

func (p *parser) count(pos, nodes int) {
	p.nodes += nodes
	if p.nodes > MaxNodes {
		p.fail(pos, "the text has more than %d numbers, names and operations", MaxNodes)
	}
	p.unfold(pos, nodes)
}

func (p *parser) unfold(pos, nodes int) {
	p.unfolded.nodes += nodes
	if p.unfolded.nodes > MaxSteps {
		p.fail(pos, "functions call one another too often: written out, the text has more than %d numbers, names and operations", MaxSteps)
	}
}

// deeper calls read one level deeper.
func (p *parser) deeper(read func() *Expr) *Expr {
	p.depth++
	if p.depth > p.maxDepth {
		p.fail(p.token.pos, "expressions are nested more than %d deep: name a part of it", MaxDepth)
	}
	x := read()
	p.depth--
	return x
}

func (p *parser) expr() *Expr { return p.deeper(p.or) }
func (p *parser) sum() *Expr  { return p.deeper(p.terms) }

// Operations between operands, by increasing precedence.
var (
	ors      = map[string]Op{"or": Or}
	ands     = map[string]Op{"and": And}
	sums     = map[string]Op{"+": Add, "-": Sub}
	products = map[string]Op{"*": Mul, "/": Div}
)

func (p *parser) or() *Expr      { return p.chain(p.and, ors) }
func (p *parser) and() *Expr     { return p.chain(p.not, ands) }
func (p *parser) terms() *Expr   { return p.chain(p.product, sums) }
func (p *parser) product() *Expr { return p.chain(p.signed, products) }

// chain reads operands with operations between them, which are evaluated from left to right.
func (p *parser) chain(operand func() *Expr, operations map[string]Op) *Expr {
	from := p.token.pos
	x := operand()
	for {
		t := p.token
		op, ok := operations[t.text]
		if !ok || !t.is(t.text) {
			return x
		}
		p.next()
		y := operand()
		x = p.node(from, t.pos, op, x, y)
	}
}

var comparisons = map[string]Op{"<": Less, "<=": LessEqual, ">": Greater, ">=": GreaterEqual, "==": Equal, "!=": NotEqual}

func (p *parser) not() *Expr {
	from := p.token.pos
	if p.accept("not") {
		x := p.deeper(p.not)
		return p.node(from, from, Not, x)
	}
	var all *Expr
	for x, left := p.terms(), from; ; {
		t := p.token
		op, ok := comparisons[t.text]
		switch {
		case t.is("=") && (p.follows("<") || p.follows(">")):
			p.fail(t.pos, "write %s=", p.source[t.pos+1:t.pos+2])
		case t.is("="):
			p.fail(t.pos, "= defines, == compares")
		case t.kind == signToken && ok:
		case all != nil:
			return all
		default:
			return x
		}
		p.next()
		right := p.token.pos
		y := p.terms()
		one := p.node(left, t.pos, op, x, y)
		if all == nil {
			all = one
		} else {
			p.count(t.pos, size(x)) // it is an operand of two comparisons
			all = p.node(from, t.pos, And, all, one)
		}
		x, left = y, right
	}
}

// size returns the number of nodes of x.
func size(x *Expr) int {
	n := 1
	for _, arg := range x.Args {
		n += size(arg)
	}
	return n
}

func (p *parser) signed() *Expr {
	from := p.token.pos
	if p.accept("-") {
		x := p.power()
		return p.node(from, from, Neg, x)
	}
	return p.power()
}

func (p *parser) power() *Expr {
	from := p.token.pos
	x := p.postfix()
	if pos := p.token.pos; p.accept("^") {
		y := p.deeper(p.signed)
		return p.node(from, pos, Pow, x, y)
	}
	return x
}

func (p *parser) postfix() *Expr {
	from := p.token.pos
	x := p.primary()
	for {
		pos := p.token.pos
		switch {
		case p.accept("["):
			index := p.sum()
			p.expect("]")
			x = p.node(from, pos, Index, x, index)
		case p.token.is(".") && x.Op == Number:
			p.fail(pos, "digits are missing after the point of a number")
		case p.accept("."):
			name := p.token
			if name.kind != nameToken {
				p.fail(name.pos, "a name is missing after the point")
			}
			p.next()
			x = p.node(from, pos, Member, x)
			x.Name = name.text
		default:
			return x
		}
	}
}

func (p *parser) primary() *Expr {
	t := p.token
	switch {
	case t.kind == numberToken:
		p.next()
		return p.number(t)
	case t.is("{"):
		x := p.quantity("}\n")
		p.expect("}")
		x.from, x.to = int32(t.pos), int32(p.ended)
		if x.Unit == "" {
			p.fail(t.pos, "a unit is missing: braces are for numbers with units, such as {11000 m}")
		}
		return x
	case t.is(`"`):
		return p.word()
	case p.accept("("):
		x := p.expr()
		p.closeBracket()
		return x
	case p.isFold():
		return p.fold()
	case t.kind != nameToken:
		p.fail(t.pos, "a number or a name is missing before %s", t)
	case words[t.text] && t.text != "pi" && t.text != "true" && t.text != "false":
		p.fail(t.pos, "%s is in the place of a number or a name", t)
	}
	p.next()
	if p.accept("(") {
		return p.call(t)
	}
	if isFunction(t.text) {
		p.fail(t.pos, "%s is a function: its argument is missing", t)
	}
	x := p.node(t.pos, t.pos, Name)
	x.Name = t.text
	return x
}

// word reads the value of an enum.
func (p *parser) word() *Expr {
	pos := p.token.pos
	name := p.raw("\"\n")
	p.next()
	p.expect(`"`)
	if name == "" {
		p.fail(pos, "a word is missing between the quotation marks")
	}
	x := p.node(pos, pos, Literal)
	x.Name = name
	return x
}

// number returns the value of a token.
func (p *parser) number(t token) *Expr {
	if t.kind != numberToken {
		p.fail(t.pos, "a number is missing before %s", t)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(t.text), "e")
	if len(mantissa)-strings.Count(mantissa, ".") > MaxDigits || len(strings.TrimLeft(exponent, "+-0")) > 3 {
		p.fail(t.pos, "the number has more than %d digits, or an exponent beyond %d", MaxDigits, MaxExponent)
	}
	power, _ := strconv.Atoi(exponent)
	p.count(t.pos, max(power, -power)/100) // the cost of a long number is higher
	x := p.node(t.pos, t.pos, Number)
	x.Value, x.Literal = decimal(t.text, mantissa, power), t.text
	return x
}

// decimal returns the value of a literal. It has a fast path for short ones, the most
// frequent.
func decimal(literal, mantissa string, exponent int) *big.Rat {
	whole, decimals, _ := strings.Cut(mantissa, ".")
	places := len(decimals) - exponent
	if len(mantissa)+max(places, -places) > 18 {
		x, _ := new(big.Rat).SetString(literal)
		return x
	}
	n, _ := strconv.ParseInt(whole+decimals, 10, 64)
	if places < 0 {
		return big.NewRat(n*powersOfTen[-places], 1)
	}
	return big.NewRat(n, powersOfTen[places])
}

var powersOfTen = func() (list [19]int64) {
	for i, power := 0, int64(1); i < len(list); i, power = i+1, power*10 {
		list[i] = power
	}
	return list
}()

// quantity reads a number after the token. The number can be negative, and have a unit, which
// ends before one of the bytes.
func (p *parser) quantity(ends string) *Expr {
	p.next()
	from := p.token.pos
	negative := p.accept("-")
	x := p.number(p.token)
	if negative {
		x.Value.Neg(x.Value)
		x.Literal = "-" + x.Literal
	}
	x.Unit = p.raw(ends)
	x.from, x.to = int32(from), int32(p.at)
	p.next()
	return x
}

// call reads the arguments of a function. A function of the text must be defined earlier, so
// that none calls itself.
func (p *parser) call(t token) *Expr {
	if p.named() {
		return p.ask(t)
	}
	var args []*Expr
	for more := true; more; more = p.accept(",") {
		args = append(args, p.expr())
	}
	p.closeBracket()
	x := p.node(t.pos, t.pos, Call, args...)
	x.Name = t.text
	arity, ok := functions[t.text]
	own := p.text.Definition(t.text)
	if !ok || own != nil && own.Kind == Function {
		arity = p.ofText(t)
	}
	switch n := len(args); {
	case n < arity[0]:
		p.fail(t.pos, "%s has %s, and needs %d", t, arguments(n), arity[0])
	case n > arity[1]:
		p.fail(t.pos, "%s has %s, and takes %d", t, arguments(n), arity[1])
	}
	if t.text == "given" {
		for _, a := range args {
			if a.Op != Name || slices.Contains(p.locals, a.Name) || words[a.Name] {
				p.fail(int(a.from), "given asks whether an input was sent: its arguments are names of inputs")
			}
		}
	}
	return x
}

func arguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return big.NewInt(int64(n)).String() + " arguments"
}

// ofText counts the nodes of a function of the text, and returns the number of its arguments.
func (p *parser) ofText(t token) (arity [2]int) {
	if t.text == p.current {
		p.fail(t.pos, "%s calls itself: a formula has no recursion", t)
	}
	d := p.text.Definition(t.text)
	if d == nil || d.Kind != Function {
		m := p.mistake(t.pos, "%s is not a function of the language or of the text above; a product is written with *", t)
		m.Unknown = t.text
		panic(m)
	}
	b := p.bodies[t.text]
	p.unfolded.calls = max(p.unfolded.calls, b.calls+1)
	if p.unfolded.calls > MaxCalls {
		p.fail(t.pos, "more than %d functions call one another", MaxCalls)
	}
	p.unfold(t.pos, b.nodes)
	return [2]int{len(d.Params), len(d.Params)}
}

// isFold reports whether the token starts a fold: a function of folds, a parenthesis and an index.
func (p *parser) isFold() bool {
	if p.token.kind != nameToken || !folds[p.token.text] {
		return false
	}
	if p.token.text == "sum" {
		return true // there is no other form
	}
	before := p.lexer
	defer func() { p.lexer = before }()
	p.next()
	if !p.token.is("(") {
		return false
	}
	p.next()
	if p.token.kind != nameToken {
		return false
	}
	p.next()
	return p.token.is("in")
}

// fold reads a fold over a list or a range.
func (p *parser) fold() *Expr {
	from := p.token.pos
	form := &Folded{Func: p.token.text}
	p.next()
	p.expect("(")
	before := len(p.locals)
	name := p.local()
	p.locals = p.locals[:before] // not in force in the ends of its range
	p.folds++
	if p.folds > MaxFolds {
		p.fail(from, "folds are nested more than %d deep: name a part of it", MaxFolds)
	}
	p.expect("in")
	args := []*Expr{p.sum()}
	if p.accept("..") {
		form.Range = true
		args = append(args, p.sum())
	} else if args[0].Op != Name && args[0].Op != Member {
		p.fail(int(args[0].from), "a %s goes over a list, or from one number to another: %s(i in 1..n: term)", form.Func, form.Func)
	}
	p.locals = append(p.locals, name)
	if p.accept("if") {
		form.If = true
		args = append(args, p.expr())
	}
	if p.accept(":") {
		form.Body = true
		args = append(args, p.expr())
	}
	p.locals = p.locals[:before]
	p.folds--
	if !form.Body && !p.token.is(")") {
		p.expect(":")
	}
	if form.Func == "all" && !form.Body {
		p.fail(p.token.pos, "a condition is missing: all(i in 1..n: x[i] > 0)")
	}
	p.expect(")")
	x := p.node(from, from, Fold, args...)
	x.Name, x.Fold = name, form
	return x
}
