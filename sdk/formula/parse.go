package formula

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error is a mistake in a text.
type Error struct {
	Line, Column int    // from 1, the column in characters
	Message      string // what is wrong there, and what to write instead
	Source       string // the line
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Excerpt returns the line with a mark under the place.
func (e *Error) Excerpt() string {
	return e.Source + "\n" + strings.Repeat(" ", max(0, e.Column-1)) + "^"
}

// Parse reads a text. The error is an *Error. Whatever the text is, Parse takes at most a
// millisecond and a MiB. It knows no fields: see [Text.Check].
func Parse(source string) (*Text, error) {
	p := &parser{lexer: lexer{source: source}, text: &Text{source: source}}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.text, nil
}

type parser struct {
	lexer
	text   *Text
	nodes  int
	depth  int
	locals []string // parameters, indexes and the unknown of an equation, in force
}

// parse reads all statements. The parser fails by a panic with its *Error, which ends here.
func (p *parser) parse() (err error) {
	defer func() {
		if r := recover(); r != nil {
			mistake, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = mistake
		}
	}()
	switch {
	case len(p.source) > MaxBytes:
		p.fail(0, "the text has %d bytes, and %d are allowed", len(p.source), MaxBytes)
	case !utf8.ValidString(p.source):
		p.fail(0, "the text is not UTF-8")
	}
	for p.next(); p.token.kind != endToken; {
		p.comment = ""
		if p.token.kind != newlineToken {
			p.statement()
		}
		switch p.token.kind {
		case newlineToken:
			p.next()
		case endToken:
		default:
			p.leftOver()
		}
	}
	if len(p.text.Definitions) == 0 {
		p.fail(0, "the text defines nothing")
	}
	return nil
}

func (p *parser) leftOver() {
	hint := ""
	if t := p.token; t.kind == nameToken && !words[t.text] || t.kind == numberToken || t.is("(") || t.is("{") {
		hint = ": a product is written with *"
	}
	p.fail(p.token.pos, "%s is left over%s", p.token, hint)
}

func (p *parser) statement() {
	start := p.token.pos
	switch {
	case p.accept("taken"):
		p.add(start, Definition{Name: p.newName(), Kind: Taken})
	case p.accept("solve"):
		p.equation(start)
	case p.token.kind == nameToken:
		p.definition(start)
	default:
		p.fail(start, "a line begins with the name that it defines, and not with %s", p.token)
	}
}

func (p *parser) equation(start int) {
	d, s := Definition{Name: p.newName()}, new(Solve)
	p.expect("in")
	p.expect("[")
	s.Low = p.sum()
	p.expect(",")
	s.High = p.sum()
	p.expect("]")
	p.expect(":")
	p.locals = append(p.locals, d.Name)
	s.Left = p.sum()
	p.expect("=")
	s.Right = p.sum()
	p.locals = p.locals[:0]
	d.Cases = []Case{p.ending(Case{Solve: s})}
	p.add(start, d)
}

func (p *parser) definition(start int) {
	d := Definition{Name: p.newName()}
	if p.accept("(") {
		d.Kind = Function
		for again := true; again; again = p.accept(",") {
			at, parameter := p.token.pos, p.newName()
			if slices.Contains(d.Params, parameter) {
				p.fail(at, "two parameters have the name %s", parameter)
			}
			d.Params = append(d.Params, parameter)
		}
		p.expect(")")
	}
	if d.Kind == Quantity && p.token.is(":=") {
		d.Kind = Constant
		literal := p.quantity("\n;#")
		d.Unit, d.Cases = literal.Unit, []Case{{Value: literal}}
		p.add(start, d)
		return
	}
	p.expect("=")
	p.locals = append(p.locals, d.Params...)
	value := p.expr()
	d.Cases = []Case{p.ending(Case{Value: value})}
	p.locals = p.locals[:0]
	p.add(start, d)
}

// ending reads when a case holds, and which formula it is of.
func (p *parser) ending(c Case) Case {
	switch {
	case p.accept("if"):
		c.When = p.expr()
	case p.accept("otherwise"):
		c.Otherwise = true
	default:
		return c
	}
	if p.token.is("@") {
		if c.ID = p.raw(" \t\r\n;#"); c.ID == "" {
			p.fail(p.token.pos, "the id of a formula is missing after @")
		}
		p.next()
	}
	return c
}

// add adds a definition, or the one case that it has to those of the definition before it.
func (p *parser) add(start int, d Definition) {
	list := p.text.Definitions
	last := len(list) - 1
	switch {
	case p.text.Definition(d.Name) == nil:
		if len(list) == MaxDefinitions {
			p.fail(start, "the text defines more than %d names", MaxDefinitions)
		}
		d.Line, _ = p.place(start)
		d.Note = p.comment
		p.text.Definitions = append(list, &d)
		return
	case list[last].Name != d.Name:
		p.fail(start, "%s is defined above: its cases stand together", d.Name)
	case d.Kind != list[last].Kind || d.Kind == Constant || d.Kind == Taken:
		p.fail(start, "%s is defined twice", d.Name)
	case !slices.Equal(d.Params, list[last].Params):
		p.fail(start, "%s has other parameters above: each case repeats them", d.Name)
	}
	before := list[last].Cases
	if c := before[len(before)-1]; c.When == nil {
		p.fail(start, "%s is defined for every case by the line above: a case before the last one needs an if", d.Name)
	}
	list[last].Cases = append(before, d.Cases...)
}

// newName reads a name that is to be defined.
func (p *parser) newName() string {
	t := p.token
	switch {
	case t.kind != nameToken:
		p.fail(t.pos, "a name is missing here, and %s stands in its place", t)
	case t.text == "pi":
		p.fail(t.pos, "pi is the number 3.14159..., and cannot be defined: give the quantity another symbol, such as p_i")
	case Reserved(t.text):
		p.fail(t.pos, "%s has a meaning of its own, and cannot be defined", t)
	}
	p.next()
	return t.text
}

func (p *parser) accept(text string) bool {
	if !p.token.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail(p.token.pos, "%q is missing before %s", text, p.token)
	}
}

// node makes a node, and counts it.
func (p *parser) node(pos int, op Op, args ...*Expr) *Expr {
	if p.nodes++; p.nodes > MaxNodes {
		p.fail(pos, "the text has more than %d numbers, names and operations", MaxNodes)
	}
	return &Expr{Op: op, Args: args, pos: int32(pos)}
}

// deeper calls read one level deeper.
func (p *parser) deeper(read func() *Expr) *Expr {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.token.pos, "expressions are nested more than %d deep: name a part of it", MaxDepth)
	}
	defer func() { p.depth-- }()
	return read()
}

func (p *parser) expr() *Expr { return p.deeper(p.or) }

func (p *parser) or() *Expr {
	x := p.and()
	for pos := p.token.pos; p.accept("or"); pos = p.token.pos {
		x = p.node(pos, Or, x, p.and())
	}
	return x
}

func (p *parser) and() *Expr {
	x := p.not()
	for pos := p.token.pos; p.accept("and"); pos = p.token.pos {
		x = p.node(pos, And, x, p.not())
	}
	return x
}

var comparisons = map[string]Op{"<": Less, "<=": LessEqual, ">": Greater, ">=": GreaterEqual, "==": Equal, "!=": NotEqual}

func (p *parser) not() *Expr {
	pos := p.token.pos
	if p.accept("not") {
		return p.node(pos, Not, p.deeper(p.not))
	}
	var all *Expr
	for x := p.sum(); ; {
		op, ok := comparisons[p.token.text]
		if !ok || p.token.kind != signToken {
			if p.token.is("=") {
				p.fail(p.token.pos, "= defines, == compares")
			}
			if all == nil {
				return x
			}
			return all
		}
		pos := p.token.pos
		p.next()
		y := p.sum()
		if one := p.node(pos, op, x, y); all == nil {
			all = one
		} else {
			all = p.node(pos, And, all, one)
		}
		x = y
	}
}

func (p *parser) sum() *Expr { return p.deeper(p.terms) }

func (p *parser) terms() *Expr {
	x := p.product()
	for {
		pos := p.token.pos
		switch {
		case p.accept("+"):
			x = p.node(pos, Add, x, p.product())
		case p.accept("-"):
			x = p.node(pos, Sub, x, p.product())
		default:
			return x
		}
	}
}

func (p *parser) product() *Expr {
	x := p.signed()
	for {
		pos := p.token.pos
		switch {
		case p.accept("*"):
			x = p.node(pos, Mul, x, p.signed())
		case p.accept("/"):
			x = p.node(pos, Div, x, p.signed())
		default:
			return x
		}
	}
}

func (p *parser) signed() *Expr {
	pos := p.token.pos
	if p.accept("-") {
		return p.node(pos, Neg, p.power())
	}
	return p.power()
}

func (p *parser) power() *Expr {
	x := p.postfix()
	if pos := p.token.pos; p.accept("^") {
		return p.node(pos, Pow, x, p.deeper(p.signed))
	}
	return x
}

func (p *parser) postfix() *Expr {
	x := p.primary()
	for {
		pos := p.token.pos
		switch {
		case p.accept("["):
			x = p.node(pos, Index, x, p.sum())
			p.expect("]")
		case p.accept("."):
			if p.token.kind != nameToken {
				p.fail(p.token.pos, "a name is missing after the point")
			}
			x = p.node(pos, Member, x)
			x.Name = p.token.text
			p.next()
		default:
			return x
		}
	}
}

func (p *parser) primary() *Expr {
	t := p.token
	switch {
	case t.kind == numberToken:
		x := p.number()
		p.next()
		return x
	case t.is("{"):
		literal := p.quantity("}")
		p.expect("}")
		if literal.Unit == "" {
			p.fail(t.pos, "a unit is missing: braces are for numbers with units, such as {11000 m}")
		}
		return literal
	case t.is(`"`):
		x := p.node(t.pos, Literal)
		x.Name = p.raw("\"\n")
		p.next()
		p.expect(`"`)
		return x
	case p.accept("("):
		x := p.expr()
		p.expect(")")
		return x
	case t.is("sum"):
		return p.series()
	case t.kind != nameToken:
		p.fail(t.pos, "a number or a name is missing before %s", t)
	case words[t.text] && t.text != "pi" && t.text != "true" && t.text != "false":
		p.fail(t.pos, "%s stands where a number or a name is missing", t)
	}
	p.next()
	if p.accept("(") {
		return p.call(t)
	}
	if _, ok := functions[t.text]; ok {
		p.fail(t.pos, "%s is a function: its argument is missing", t)
	}
	x := p.node(t.pos, Name)
	x.Name = t.text
	return x
}

// number returns the number that the token is.
func (p *parser) number() *Expr {
	t := p.token
	if t.kind != numberToken {
		p.fail(t.pos, "a number is missing before %s", t)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(t.text), "e")
	if len(mantissa) > MaxDigits || len(strings.TrimLeft(exponent, "+-0")) > 3 {
		p.fail(t.pos, "the number has more than %d digits, or an exponent beyond %d", MaxDigits, MaxExponent)
	}
	x := p.node(t.pos, Number)
	x.Value, _ = new(big.Rat).SetString(t.text)
	x.Literal = t.text
	return x
}

// quantity reads a number behind the token. It may be negative, and have a unit, which ends
// before one of the bytes.
func (p *parser) quantity(ends string) *Expr {
	p.next()
	negative := p.accept("-")
	x := p.number()
	if negative {
		x.Value.Neg(x.Value)
		x.Literal = "-" + x.Literal
	}
	x.Unit = p.raw(ends)
	p.next()
	return x
}

// call reads the arguments of a function. One of the text stands above, so that none calls itself.
func (p *parser) call(t token) *Expr {
	x := p.node(t.pos, Call)
	x.Name = t.text
	for again := true; again; again = p.accept(",") {
		x.Args = append(x.Args, p.expr())
	}
	p.expect(")")
	arity, ok := functions[t.text]
	if !ok {
		d := p.text.Definition(t.text)
		if d == nil || d.Kind != Function {
			p.fail(t.pos, "%s is no function of the language, and none that is defined above; a product is written with *", t)
		}
		arity = [2]int{len(d.Params), len(d.Params)}
	}
	switch n := len(x.Args); {
	case n < arity[0]:
		p.fail(t.pos, "%s has %d arguments, and needs %d", t, n, arity[0])
	case n > arity[1]:
		p.fail(t.pos, "%s has %d arguments, and takes %d", t, n, arity[1])
	}
	if t.text == "given" {
		for _, a := range x.Args {
			if a.Op != Name {
				p.fail(int(a.pos), "given asks whether an input was sent: its arguments are names of inputs")
			}
		}
	}
	return x
}

// series reads a sum over a list or a range.
func (p *parser) series() *Expr {
	x := p.node(p.token.pos, SumList)
	p.next()
	p.expect("(")
	x.Name = p.newName()
	p.expect("in")
	x.Args = []*Expr{p.sum()}
	if p.accept("..") {
		x.Op, x.Args = SumRange, append(x.Args, p.sum())
	} else if x.Args[0].Op != Name {
		p.fail(int(x.Args[0].pos), "a sum goes over a list, or from one number to another: sum(i in 1..n: term)")
	}
	p.expect(":")
	p.locals = append(p.locals, x.Name)
	x.Args = append(x.Args, p.sum())
	p.locals = p.locals[:len(p.locals)-1]
	p.expect(")")
	return x
}
