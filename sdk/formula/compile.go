package formula

import (
	"math"

	"github.com/slipstick/slipstick/sdk/doubled"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// The compiler makes a closure of each expression. Kinds are known before the evaluation, so a closure returns a Go
// type. A function of the text is compiled again at each call, because names mean what they mean there.

// fn computes a value.
type fn[T any] func(*machine) T

// code is a compiled expression. One of its closures is not nil, by its kind.
type code struct {
	kind  kind
	of    *Symbol // of a list or a record, and the item and the members of it
	maybe bool    // it can be absent
	fixed bool    // the number is a constant
	size  int     // nodes, with the nodes of functions

	constant doubled.Ball
	number   fn[doubled.Ball]
	truth    fn[logic]
	word     fn[word]
	list     fn[list]
	record   fn[record]
	direct   bool // the number is only read from a slot
}

// compiler compiles the definitions that results need.
type compiler struct {
	*Program
	at     int // index of the definition that is evaluated
	locals *binding
	memo   map[int]code
	inputs map[int]code
}

// binding is a parameter, an index or an unknown, with the outer ones.
type binding struct {
	name  string
	code  code
	outer *binding
}

// unsupported is a panic that ends the compilation: a part of the text has no fast path.
type unsupported struct{}

func unless(ok bool) {
	if !ok {
		panic(unsupported{})
	}
}

// compile makes the fast path of the first n results. It is false if a part of the text has none.
func (p *Program) compile(n int) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(unsupported); !is {
				panic(r)
			}
			p.fast, p.loads, ok = nil, nil, false
		}
	}()
	c := &compiler{Program: p, memo: map[int]code{}, inputs: map[int]code{}}
	p.slots, p.listed, p.firsts = slots{definitions: len(p.text.Definitions)}, 0, 0
	for _, d := range p.text.Definitions {
		if d.List != nil {
			p.listed, p.firsts = p.listed+1, p.firsts+len(d.List.First)
		}
	}
	var fast []result
	for _, name := range p.results[:n] {
		i := c.index(name, len(p.text.Definitions))
		unless(i >= 0)
		fast = append(fast, result{i, c.definition(i).toValue()})
	}
	p.fast = fast
	return true
}

// index returns the index of a quantity that is defined before another one, or -1.
func (c *compiler) index(name string, before int) int {
	for i, d := range c.text.Definitions[:before] {
		if d.Name == name && d.Kind != Function {
			return i
		}
	}
	return -1
}

// toValue returns the result for callers.
func (x code) toValue() func(*machine) (value.Value, bool) {
	switch x.kind {
	case numberKind:
		return func(m *machine) (value.Value, bool) { return m.rounded(x.number(m)) }
	case boolKind:
		return func(m *machine) (value.Value, bool) {
			is := x.truth(m)
			return value.BoolOf(is == yes), is == neither
		}
	case textKind:
		return func(m *machine) (value.Value, bool) {
			w := x.word(m)
			return value.TextOf(w.text), !w.sent
		}
	case listKind:
		unless(x.of.Item.Kind == NumberField)
		return func(m *machine) (value.Value, bool) {
			l := x.list(m)
			items := make([]value.Value, len(l.numbers))
			for i, y := range l.numbers {
				items[i], _ = m.rounded(y)
			}
			return value.ListOf(items...), !l.sent
		}
	case recordKind: // without its members, which are results of their own
		return func(m *machine) (value.Value, bool) { return value.Value{}, !x.record(m).sent }
	}
	panic(unsupported{})
}

// rounded returns a number for callers.
func (m *machine) rounded(x doubled.Ball) (v value.Value, absent bool) {
	if x.IsNone() {
		return v, true
	}
	f, known := x.Round()
	if !known {
		m.open = true
	}
	return value.NumberOf(f), false
}

// input returns the code of an input. Its value is read at the start of each evaluation.
func (c *compiler) input(name string) (code, bool) {
	for i := range c.symbols {
		s := &c.symbols[i]
		if s.Name != name || s.Input == "" {
			continue
		}
		x, known := c.inputs[i]
		if !known {
			x = c.load(i, s)
			c.inputs[i] = x
		}
		return x, true
	}
	return code{}, false
}

func (c *compiler) load(i int, s *Symbol) code {
	x, set := c.slot(s)
	x.maybe = !s.Required
	c.loads = append(c.loads, func(m *machine) {
		var v value.Value
		if i < len(m.inputs) {
			v = m.inputs[i]
		}
		m.open = m.open || !isFinite(v) || s.Required && v.Kind() == value.Absent
		set(m, v)
	})
	return x
}

// slot returns the code of a new slot for a field, and how it is set to a value.
func (c *compiler) slot(s *Symbol) (x code, set func(*machine, value.Value)) {
	switch s.Kind {
	case NumberField:
		i, x := c.numberSlot()
		return x, func(m *machine, v value.Value) { m.numbers[i] = m.number(v) }
	case BoolField:
		i := c.slots.truths
		c.slots.truths++
		return code{kind: boolKind, size: 1, truth: func(m *machine) logic { return m.truths[i] }},
			func(m *machine, v value.Value) { m.truths[i] = m.truth(v) }
	case WordField:
		i := c.slots.words
		c.slots.words++
		return code{kind: textKind, of: s, size: 1, word: func(m *machine) word { return m.words[i] }},
			func(m *machine, v value.Value) { m.words[i] = m.word(v) }
	case RecordField:
		i := c.slots.records
		c.slots.records++
		return code{kind: recordKind, of: s, size: 1, record: func(m *machine) record { return m.records[i] }},
			func(m *machine, v value.Value) { m.records[i] = m.record(v, s) }
	}
	i, x := c.listSlot(s)
	return x, func(m *machine, v value.Value) { m.lists[i] = m.list(v, s.Item) }
}

func (c *compiler) numberSlot() (int, code) {
	i := c.slots.numbers
	c.slots.numbers++
	return i, code{kind: numberKind, size: 1, direct: true, number: func(m *machine) doubled.Ball { return m.numbers[i] }}
}

func (c *compiler) listSlot(s *Symbol) (int, code) {
	unless(s.Item != nil)
	i := c.slots.lists
	c.slots.lists++
	return i, code{kind: listKind, of: s, size: 1, list: func(m *machine) list { return m.lists[i] }}
}

// definition returns the code of a quantity, which computes it once in an evaluation.
func (c *compiler) definition(i int) code {
	if x, known := c.memo[i]; known {
		return x
	}
	outer, locals := c.at, c.locals
	c.at, c.locals = i, nil
	d := c.text.Definitions[i]
	unless(d.Kind != Taken)
	if d.List != nil {
		c.lists(d)
		c.at, c.locals = outer, locals
		return c.memo[i]
	}
	x := c.cases(d, func(m *machine, index int) { m.cases[i] = index })
	if in, ok := c.input(d.Name); ok {
		x = c.unlessSent(i, in, x)
	}
	c.at, c.locals = outer, locals
	x = c.once(x, func(m *machine) bool {
		done := m.done[i]
		m.done[i] = true
		return done
	})
	c.memo[i] = x
	return x
}

// unlessSent returns an input, or what a definition computes instead.
func (c *compiler) unlessSent(i int, in, x code) code {
	unless(in.kind == x.kind)
	sent := func(m *machine) { m.cases[i] = sentCase }
	in.maybe, in.size, in.fixed, in.direct = in.maybe && x.maybe, x.size+1, false, false
	switch in.kind {
	case numberKind:
		in.number = orElse(in.number, x.number, doubled.Ball.IsNone, sent)
	case boolKind:
		in.truth = orElse(in.truth, x.truth, func(t logic) bool { return t == neither }, sent)
	case textKind:
		in.word = orElse(in.word, x.word, func(w word) bool { return !w.sent }, sent)
	case listKind:
		in.list = orElse(in.list, x.list, func(l list) bool { return !l.sent }, sent)
	default:
		in.record = orElse(in.record, x.record, func(r record) bool { return !r.sent }, sent)
	}
	return in
}

func orElse[T any](in, x fn[T], absent func(T) bool, sent func(*machine)) fn[T] {
	return func(m *machine) T {
		v := in(m)
		if absent(v) {
			return x(m)
		}
		sent(m)
		return v
	}
}

// once returns code that keeps its value in a slot.
func (c *compiler) once(x code, done func(*machine) bool) code {
	s := &c.slots
	x.fixed, x.direct = false, false
	switch x.kind {
	case numberKind:
		x.number = keep(x.number, done, s.numbers, func(m *machine) []doubled.Ball { return m.numbers })
		s.numbers++
	case boolKind:
		x.truth = keep(x.truth, done, s.truths, func(m *machine) []logic { return m.truths })
		s.truths++
	case textKind:
		x.word = keep(x.word, done, s.words, func(m *machine) []word { return m.words })
		s.words++
	case listKind:
		x.list = keep(x.list, done, s.lists, func(m *machine) []list { return m.lists })
		s.lists++
	default:
		x.record = keep(x.record, done, s.records, func(m *machine) []record { return m.records })
		s.records++
	}
	return x
}

func keep[T any](compute fn[T], done func(*machine) bool, slot int, of func(*machine) []T) fn[T] {
	return func(m *machine) T {
		if !done(m) {
			v := compute(m)
			of(m)[slot] = v
			return v
		}
		return of(m)[slot]
	}
}

// cases compiles the cases of a definition or a function. Note is called with the index of the case, or noCase.
func (c *compiler) cases(d *Definition, note func(*machine, int)) code {
	var whens []fn[logic]
	var values []code
	var x code
	x.maybe, x.size = true, 1
	for i := range d.Cases {
		one := &d.Cases[i]
		var v code
		if one.Solve != nil {
			v = c.solve(d, one.Solve)
		} else {
			v = c.expr(one.Value)
		}
		unless(i == 0 || v.kind == x.kind)
		if i == 0 {
			x.kind, x.of, x.fixed, x.constant = v.kind, v.of, v.fixed && one.When == nil, v.constant
		}
		x.size += v.size
		values = append(values, v)
		if one.When == nil {
			x.maybe = false
			whens = append(whens, nil)
			break
		}
		when := c.expr(one.When)
		unless(when.kind == boolKind)
		x.size += when.size
		whens = append(whens, when.truth)
	}
	for _, v := range values {
		x.maybe = x.maybe || v.maybe
	}
	switch x.kind {
	case numberKind:
		x.number = choose(whens, values, func(v code) fn[doubled.Ball] { return v.number }, doubled.None, note)
	case boolKind:
		x.truth = choose(whens, values, func(v code) fn[logic] { return v.truth }, neither, note)
	case textKind:
		x.word = choose(whens, values, func(v code) fn[word] { return v.word }, word{}, note)
	case listKind:
		x.list = choose(whens, values, func(v code) fn[list] { return v.list }, list{}, note)
	case recordKind:
		x.record = choose(whens, values, func(v code) fn[record] { return v.record }, record{}, note)
	default:
		panic(unsupported{})
	}
	return x
}

// choose returns code for the value of the first case that holds.
func choose[T any](whens []fn[logic], values []code, of func(code) fn[T], none T, note func(*machine, int)) fn[T] {
	list := make([]fn[T], len(values))
	for i, v := range values {
		list[i] = of(v)
	}
	if first := list[0]; whens[0] == nil {
		return func(m *machine) T {
			note(m, 0)
			return first(m)
		}
	}
	return func(m *machine) T {
		for i, when := range whens {
			if when == nil || when(m) == yes {
				note(m, i)
				return list[i](m)
			}
		}
		note(m, noCase)
		return none
	}
}

// expr compiles an expression.
func (c *compiler) expr(x *Expr) code {
	switch x.Op {
	case Number:
		return c.literal(x)
	case Name:
		return c.name(x.Name)
	case Literal:
		w := word{x.Name, true}
		return code{kind: textKind, size: 1, word: func(*machine) word { return w }}
	case Fold:
		return c.fold(x)
	case Ask:
		return c.ask(x)
	case Call:
		if x.Name == "given" {
			return c.given(x)
		}
		if x.Name == "sqrt" && isOfSquares(x.Args[0]) {
			return c.ofSquares(x.Args[0])
		}
	}
	if isOfProducts(x) {
		return c.ofProducts(x)
	}
	args := make([]code, len(x.Args))
	size := 1
	for i, arg := range x.Args {
		args[i] = c.expr(arg)
		size += args[i].size
	}
	y := c.operation(x, args)
	y.size = max(y.size, size)
	return y
}

// isOfSquares reports whether x is a^2 + b^2.
func isOfSquares(x *Expr) bool {
	isSquare := func(x *Expr) bool { return x.Op == Pow && x.Args[1].Op == Number && x.Args[1].Literal == "2" }
	return x.Op == Add && isSquare(x.Args[0]) && isSquare(x.Args[1])
}

// ofSquares compiles the root of a sum of squares.
func (c *compiler) ofSquares(x *Expr) code {
	a, b := c.expr(x.Args[0].Args[0]), c.expr(x.Args[1].Args[0])
	y := ofTwo(a, b, doubled.Hypot)
	y.size = a.size + b.size + 6 // nodes of powers, their exponents, the sum and the root
	return y
}

// isOfProducts reports whether x is a b + c d or a b - c d.
func isOfProducts(x *Expr) bool {
	return (x.Op == Add || x.Op == Sub) && x.Args[0].Op == Mul && x.Args[1].Op == Mul
}

// ofProducts compiles a sum or a difference of products.
func (c *compiler) ofProducts(x *Expr) code {
	var of [4]code
	y := code{kind: numberKind, size: 3}
	known := true
	for i := range of {
		of[i] = c.expr(x.Args[i/2].Args[i%2])
		unless(of[i].kind == numberKind)
		y.size += of[i].size
		y.maybe = y.maybe || of[i].maybe
		known = known && of[i].fixed
	}
	f := doubled.AddProducts
	if x.Op == Sub {
		f = func(a, b, c, d doubled.Ball) doubled.Ball { return doubled.AddProducts(a, b, c.Neg(), d) }
	}
	if known {
		y = fixedNumber(f(of[0].constant, of[1].constant, of[2].constant, of[3].constant))
		return y
	}
	k, l, m, n := of[0].number, of[1].number, of[2].number, of[3].number
	maybe := y.maybe
	y.number = func(at *machine) doubled.Ball {
		a, b, c, d := k(at), l(at), m(at), n(at)
		if maybe && (a.IsNone() || b.IsNone() || c.IsNone() || d.IsNone()) {
			return at.absent(a, b, c, d)
		}
		return f(a, b, c, d)
	}
	return y
}

func (c *compiler) operation(x *Expr, args []code) code {
	switch x.Op {
	case And, Or:
		return junction(args[0], args[1], x.Op == Or)
	case Not:
		unless(args[0].kind == boolKind)
		of := args[0].truth
		return code{kind: boolKind, maybe: args[0].maybe, truth: func(m *machine) logic {
			switch of(m) {
			case yes:
				return no
			case no:
				return yes
			}
			return neither
		}}
	case Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual:
		return comparisonOf(x.Op, args[0], args[1])
	case Call:
		return c.call(x, args)
	case Index:
		return c.item(args[0], args[1])
	case Member:
		return c.member(args[0], x.Name)
	case Neg:
		return unary(args[0], doubled.Ball.Neg)
	case Pow:
		return powerCode(args[0], args[1])
	}
	return binary(x.Op, args[0], args[1])
}

// fixedNumber returns a constant.
func fixedNumber(v doubled.Ball) code {
	return code{kind: numberKind, size: 1, fixed: v.IsKnown(), constant: v, number: func(*machine) doubled.Ball { return v }}
}

// literal compiles a number in SI units.
func (c *compiler) literal(x *Expr) code {
	u, listed := units.Lookup(x.Unit)
	v := doubled.OfRat(siValue(x))
	if listed && u.Pi {
		v = v.Mul(doubled.Pi)
	}
	return fixedNumber(v)
}

func (c *compiler) name(name string) code {
	for l := c.locals; l != nil; l = l.outer {
		if l.name == name {
			return l.code
		}
	}
	switch name {
	case "pi":
		return fixedNumber(doubled.Pi)
	case "true", "false":
		is := truthOf(name == "true")
		return code{kind: boolKind, size: 1, truth: func(*machine) logic { return is }}
	}
	if i := c.index(name, c.at); i >= 0 {
		return c.definition(i).reading()
	}
	x, ok := c.input(name)
	if !ok {
		return c.table(name)
	}
	return x
}

// table returns the code of a constant table.
func (c *compiler) table(name string) code {
	rows, ok := c.text.tableValues[name]
	unless(ok)
	for i := range c.text.tableSymbols {
		if s := &c.text.tableSymbols[i]; s.Name == name {
			constant := new(machine).list(rows, s.Item)
			return code{kind: listKind, of: s, size: 1, list: func(*machine) list { return constant }}
		}
	}
	panic(unsupported{})
}

// reading returns code that reads a quantity, because it is computed only once.
func (x code) reading() code {
	x.size = 1
	return x
}

// unary compiles a function of one number.
func unary(x code, f func(doubled.Ball) doubled.Ball) code {
	unless(x.kind == numberKind)
	if x.fixed {
		return fixedNumber(f(x.constant))
	}
	of := x.number
	if !x.maybe {
		return code{kind: numberKind, number: func(m *machine) doubled.Ball { return f(of(m)) }}
	}
	return code{kind: numberKind, maybe: true, number: func(m *machine) doubled.Ball {
		v := of(m)
		if v.IsNone() {
			return v
		}
		return f(v)
	}}
}

// binary compiles an operation of two numbers.
func binary(op Op, x, y code) code {
	switch op {
	case Add:
		return ofTwo(x, y, doubled.Ball.Add)
	case Sub:
		return ofTwo(x, y, doubled.Ball.Sub)
	case Mul:
		return ofTwo(x, y, doubled.Ball.Mul)
	}
	return ofTwo(x, y, doubled.Ball.Div)
}

// ofTwo compiles a function of two numbers.
func ofTwo(x, y code, f func(x, y doubled.Ball) doubled.Ball) code {
	unless(x.kind == numberKind && y.kind == numberKind)
	if x.fixed && y.fixed {
		return fixedNumber(f(x.constant, y.constant))
	}
	a, b := x.number, y.number
	if !x.maybe && !y.maybe {
		if x.fixed {
			v := x.constant
			return code{kind: numberKind, number: func(m *machine) doubled.Ball { return f(v, b(m)) }}
		}
		if y.fixed {
			v := y.constant
			return code{kind: numberKind, number: func(m *machine) doubled.Ball { return f(a(m), v) }}
		}
		return code{kind: numberKind, number: func(m *machine) doubled.Ball { return f(a(m), b(m)) }}
	}
	return code{kind: numberKind, maybe: true, number: func(m *machine) doubled.Ball {
		v, w := a(m), b(m)
		if v.IsNone() || w.IsNone() {
			return m.absent(v, w)
		}
		return f(v, w)
	}}
}

// absent returns the absent number that an operation with an absent operand gives. The other operand is computed too.
func (m *machine) absent(list ...doubled.Ball) doubled.Ball {
	for _, x := range list {
		m.known(x)
	}
	return doubled.None
}

// powerCode compiles a power. Halves such as 1.5 are powers of a root, as in the exact evaluator.
func powerCode(x, y code) code {
	if !y.fixed {
		return ofTwo(x, y, func(a, b doubled.Ball) doubled.Ball { return powerOf(a, b) })
	}
	exponent := y.constant
	switch n, half, ok := halvesOf(exponent); {
	case ok && half:
		return unary(x, func(a doubled.Ball) doubled.Ball { return a.Sqrt().Pow(n) })
	case ok && n == 2:
		return unary(x, func(a doubled.Ball) doubled.Ball { return a.Mul(a) })
	case ok:
		return unary(x, func(a doubled.Ball) doubled.Ball { return a.Pow(n) })
	}
	return unary(x, func(a doubled.Ball) doubled.Ball { return a.PowBall(exponent) })
}

func powerOf(a, b doubled.Ball) doubled.Ball {
	n, half, ok := halvesOf(b)
	switch {
	case ok && half:
		return a.Sqrt().Pow(n)
	case ok:
		return a.Pow(n)
	}
	return a.PowBall(b)
}

// maxProducts bounds the exponents for which powers are products.
const maxProducts = 1 << 10

// halvesOf is halves for a number of the fast path.
func halvesOf(y doubled.Ball) (n int, half, ok bool) {
	i, ok := y.Integer()
	if !ok {
		i, ok = y.Add(y).Integer()
		half = true
	}
	return int(i), half, ok && max(i, -i) <= maxProducts
}

// junction compiles and, and or, which is decided by a true operand.
func junction(x, y code, decides bool) code {
	unless(x.kind == boolKind && y.kind == boolKind)
	a, b, decisive := x.truth, y.truth, truthOf(decides)
	return code{kind: boolKind, maybe: x.maybe || y.maybe, truth: func(m *machine) logic {
		v := a(m)
		if v == decisive {
			return v
		}
		w := b(m)
		if w == decisive || v != neither {
			return w
		}
		return v
	}}
}

// holdsFor has a bit for each order, -1 to 1, for which a comparison holds.
var holdsFor = map[Op]uint{Less: 1, LessEqual: 3, Greater: 4, GreaterEqual: 6, Equal: 2, NotEqual: 5}

// comparisonOf compiles a comparison.
func comparisonOf(op Op, x, y code) code {
	unless(x.kind == y.kind)
	z := code{kind: boolKind, maybe: x.maybe || y.maybe}
	if x.kind == numberKind {
		holds := holdsFor[op]
		a, b, maybe := x.number, y.number, z.maybe
		z.truth = func(m *machine) logic {
			v, w := a(m), b(m)
			if maybe && (v.IsNone() || w.IsNone()) {
				m.absent(v, w)
				return neither
			}
			return logic(holds >> uint(m.order(v, w)+1) & 1)
		}
		return z
	}
	unless(op == Equal || op == NotEqual)
	equal := truthOf(op == Equal)
	if x.kind == boolKind {
		a, b := x.truth, y.truth
		z.truth = func(m *machine) logic {
			v, w := a(m), b(m)
			switch {
			case v == neither || w == neither:
				return neither
			case v == w:
				return equal
			}
			return yes - equal
		}
		return z
	}
	unless(x.kind == textKind)
	a, b := x.word, y.word
	z.truth = func(m *machine) logic {
		v, w := a(m), b(m)
		switch {
		case !v.sent && !w.sent:
			return neither
		case !v.sent || !w.sent:
			return no
		case v.text == w.text:
			return equal
		}
		return yes - equal
	}
	return z
}

// item compiles an item of a list.
func (c *compiler) item(of, index code) code {
	unless(of.kind == listKind && index.kind == numberKind)
	l, n := of.list, index.number
	at := func(m *machine) (items list, i int, ok bool) {
		items, index := l(m), n(m)
		if !items.sent || index.IsNone() {
			m.known(index)
			return items, 0, false
		}
		i = m.whole(index)
		i += items.before - 1
		if i < 0 || i >= items.length() {
			m.open = true
			return items, 0, false
		}
		return items, i, true
	}
	return itemOf(of.of.Item, of.maybe || index.maybe, at)
}

// itemOf returns code for an item of a list. It is absent, or open, if at is not ok.
func itemOf(s *Symbol, maybe bool, at func(*machine) (items list, i int, ok bool)) code {
	x := code{of: s, maybe: maybe}
	switch s.Kind {
	case NumberField:
		x.kind = numberKind
		x.number = func(m *machine) doubled.Ball {
			if l, i, ok := at(m); ok {
				return l.numbers[i]
			}
			return doubled.None
		}
	case BoolField:
		x.kind = boolKind
		x.truth = func(m *machine) logic {
			if l, i, ok := at(m); ok {
				return m.truth(l.values[i])
			}
			return neither
		}
	case WordField:
		x.kind = textKind
		x.word = func(m *machine) word {
			if l, i, ok := at(m); ok {
				return m.word(l.values[i])
			}
			return word{}
		}
	case ListField:
		x.kind = listKind
		x.list = func(m *machine) list {
			if l, i, ok := at(m); ok {
				return l.lists[i]
			}
			return list{}
		}
	default:
		x.kind = recordKind
		x.record = func(m *machine) record {
			if l, i, ok := at(m); ok {
				return l.record(i)
			}
			return record{}
		}
	}
	return x
}

// member compiles a member of a record, or the list of it in a list of records.
func (c *compiler) member(of code, name string) code {
	if of.kind == listKind {
		return c.members(of, name)
	}
	unless(of.kind == recordKind)
	place := placeOf(of.of, name)
	record, s := of.record, &of.of.Members[place]
	get := func(m *machine) value.Value {
		r := record(m)
		if place >= len(r.values) {
			return value.Value{}
		}
		return r.values[place]
	}
	x := code{of: s, maybe: of.maybe || !s.Required}
	switch s.Kind {
	case NumberField:
		x.kind, x.number = numberKind, func(m *machine) doubled.Ball {
			r := record(m)
			if !r.sent {
				return doubled.None
			}
			return m.known(r.numbers[place])
		}
	case BoolField:
		x.kind, x.truth = boolKind, func(m *machine) logic { return m.truth(get(m)) }
	case WordField:
		x.kind, x.word = textKind, func(m *machine) word { return m.word(get(m)) }
	case ListField:
		unless(s.Item.Kind != RecordField)
		x.kind, x.list = listKind, func(m *machine) list { return m.list(get(m), s.Item) }
	default:
		panic(unsupported{}) // a record in a record has no names in the exact evaluator
	}
	x.maybe = true
	return x
}

// placeOf returns the place of a member in records.
func placeOf(s *Symbol, name string) int {
	for i := range s.Members {
		if s.Members[i].Name == name {
			return i
		}
	}
	panic(unsupported{})
}

// members compiles the list of one member of the records in a list.
func (c *compiler) members(of code, name string) code {
	records := of.of.Item
	unless(records.Kind == RecordField)
	place := placeOf(records, name)
	s, l := &records.Members[place], of.list
	unless(s.Kind == NumberField)
	x := code{kind: listKind, of: &Symbol{Kind: ListField, Item: s}, maybe: of.maybe}
	x.list = func(m *machine) list {
		items := l(m)
		if !m.spend(len(items.values)) {
			return list{}
		}
		out := list{sent: items.sent, numbers: m.reserve(len(items.values))}
		for i := range items.values {
			out.numbers = append(out.numbers, m.item(items.record(i).numbers[place]))
		}
		return out
	}
	return x
}

// given compiles the question whether inputs were sent.
func (c *compiler) given(x *Expr) code {
	var list []int
	for _, arg := range x.Args {
		found := false
		for i := range c.symbols {
			if s := &c.symbols[i]; !found && s.Name == arg.Name && s.Input != "" {
				list, found = append(list, i), true
			}
		}
		unless(found)
	}
	return code{kind: boolKind, size: len(list), truth: func(m *machine) logic {
		for _, i := range list {
			if i >= len(m.inputs) || m.inputs[i].Kind() == value.Absent {
				return no
			}
			if v := m.inputs[i]; !isFinite(v) || v.Kind() == value.Exact && !m.number(v).IsKnown() {
				m.open = true
			}
		}
		return yes
	}}
}

// balls are the functions of one number.
var balls = map[string]func(doubled.Ball) doubled.Ball{
	"sqrt": doubled.Ball.Sqrt, "exp": doubled.Ball.Exp, "ln": doubled.Ball.Log, "log10": doubled.Ball.Log10,
	"sin": doubled.Ball.Sin, "cos": doubled.Ball.Cos, "tan": doubled.Ball.Tan,
	"asin": doubled.Ball.Asin, "acos": doubled.Ball.Acos, "atan": doubled.Ball.Atan,
	"sinh": doubled.Ball.Sinh, "cosh": doubled.Ball.Cosh, "tanh": doubled.Ball.Tanh,
	"abs": doubled.Ball.Abs,
	"sign": func(x doubled.Ball) doubled.Ball {
		sign, known := x.Sign()
		if !known {
			return doubled.Unknown
		}
		return doubled.OfInt(int64(sign))
	},
}

// call compiles a call of a function of the text or of the language.
func (c *compiler) call(x *Expr, args []code) code {
	if d := c.text.Definition(x.Name); d != nil && d.Kind == Function {
		return c.function(d, args)
	}
	if f := balls[x.Name]; f != nil {
		return unary(args[0], f)
	}
	switch x.Name {
	case "atan2":
		return ofTwo(args[0], args[1], doubled.Ball.Atan2)
	case "min", "max":
		if len(args) > 1 || args[0].kind == numberKind {
			return extreme(x.Name, args)
		}
	case "floor", "ceil", "round":
		if len(args) == 1 {
			args = append(args, fixedNumber(doubled.OfInt(1)))
		}
		return ofTwo(args[0], args[1], roundings[x.Name])
	case "factor", "zero":
		return c.ofUnit(x.Name, args[0])
	case "sort":
		return sortOf(args[0])
	case "interpolate":
		return interpolateOf(args)
	}
	return ofList(x.Name, args[0])
}

func extreme(name string, args []code) code {
	f := doubled.Ball.Max
	if name == "min" {
		f = doubled.Ball.Min
	}
	x := args[0]
	for _, y := range args[1:] {
		x = ofTwo(x, y, f)
	}
	return x
}

// roundings are the functions that round to a multiple of a step. See env.rounding.
var roundings = map[string]func(x, step doubled.Ball) doubled.Ball{
	"floor": toMultiple(math.Floor), "ceil": toMultiple(math.Ceil), "round": toMultiple(math.Round),
}

func toMultiple(f func(float64) float64) func(x, step doubled.Ball) doubled.Ball {
	return func(x, step doubled.Ball) doubled.Ball {
		quotient, known := x.Div(step).Round()
		if !known {
			return doubled.Unknown
		}
		return doubled.Of(f(quotient)).Mul(step)
	}
}

// function compiles a call of a function of the text.
func (c *compiler) function(d *Definition, args []code) code {
	outer := c.locals
	var inner *binding
	var sets []func(*machine) bool
	maybe := false
	for i, parameter := range d.Params {
		bound, set := c.bind(args[i])
		if set != nil {
			sets = append(sets, set)
		}
		maybe = maybe || args[i].maybe
		inner = &binding{parameter, bound, inner}
	}
	c.locals = inner
	x := c.cases(d, func(*machine, int) {})
	c.locals = outer
	if len(sets) == 0 {
		return x
	}
	x.maybe, x.fixed = x.maybe || maybe, false
	all := func(m *machine) bool {
		ok := true
		for _, set := range sets {
			ok = set(m) && ok
		}
		return ok
	}
	switch x.kind {
	case numberKind:
		x.number = ifAll(all, x.number, doubled.None)
	case boolKind:
		x.truth = ifAll(all, x.truth, neither)
	case textKind:
		x.word = ifAll(all, x.word, word{})
	case listKind:
		x.list = ifAll(all, x.list, list{})
	default:
		x.record = ifAll(all, x.record, record{})
	}
	return x
}

func ifAll[T any](all func(*machine) bool, f fn[T], none T) fn[T] {
	return func(m *machine) T {
		if !all(m) {
			return none
		}
		return f(m)
	}
}

// bind returns the code that reads a value after set has computed it. Set is false if the value is absent. It is nil
// if the value can be read where it is.
func (c *compiler) bind(x code) (bound code, set func(*machine) bool) {
	if !x.maybe && (x.fixed || x.direct) {
		return x, nil
	}
	bound = x
	bound.maybe, bound.size = false, 1
	s := &c.slots
	switch x.kind {
	case numberKind:
		i, slot := c.numberSlot()
		return slot, func(m *machine) bool {
			v := m.known(x.number(m))
			m.numbers[i] = v
			return !v.IsNone()
		}
	case boolKind:
		i := s.truths
		s.truths++
		bound.truth = func(m *machine) logic { return m.truths[i] }
		return bound, func(m *machine) bool { m.truths[i] = x.truth(m); return m.truths[i] != neither }
	case textKind:
		i := s.words
		s.words++
		bound.word = func(m *machine) word { return m.words[i] }
		return bound, func(m *machine) bool { m.words[i] = x.word(m); return m.words[i].sent }
	case listKind:
		i := s.lists
		s.lists++
		bound.list = func(m *machine) list { return m.lists[i] }
		return bound, func(m *machine) bool { m.lists[i] = x.list(m); return m.lists[i].sent }
	}
	i := s.records
	s.records++
	bound.record = func(m *machine) record { return m.records[i] }
	return bound, func(m *machine) bool {
		m.records[i] = x.record(m)
		return m.records[i].sent
	}
}

// ofUnit compiles the factor of a unit, or the number that is added first, for a word.
func (c *compiler) ofUnit(name string, x code) code {
	unless(x.kind == textKind)
	unless(x.of != nil)
	known := map[string]doubled.Ball{}
	for _, id := range x.of.Values {
		u, ok := units.Lookup(id)
		unless(ok)
		v := doubled.OfInt(0)
		switch {
		case name == "factor":
			v = doubled.OfUnit(u.Factor, u.Pi)
		case u.Offset != nil:
			v = doubled.OfRat(u.Offset)
		}
		known[id] = v
	}
	of := x.word
	return code{kind: numberKind, maybe: x.maybe, number: func(m *machine) doubled.Ball {
		w := of(m)
		if !w.sent {
			return doubled.None
		}
		v, ok := known[w.text]
		if !ok {
			return doubled.Unknown
		}
		return v
	}}
}
