package formula

import (
	"fmt"
	"math"
	"slices"

	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// MaxAsks is the largest number of calls of other calculations in a text.
const MaxAsks = 32

// Callee is another calculation that a text calls by a name: b = beam(length=L, load=w). The result is a record.
type Callee struct {
	Name   string
	Inputs []Symbol      // by the names of the arguments; a Required one must be an argument
	Result Symbol        // a record of the outputs
	Start  func() Caller // nil if the text is only checked
}

// Caller computes a Callee for one place in a text. It is not safe for concurrent use.
type Caller interface {
	// Call computes the result for the inputs, which have the order of the Callee. An input without an argument is absent.
	// It takes at most as much work as is left, and returns the rest. The result is valid until the next Call.
	Call(inputs value.Values, left int) (result value.Values, rest int, err error)
}

// Asked is a definition by a call of a calculation.
type Asked struct {
	Definition string
	Callee     string
	Fields     []string // inputs that are arguments
	Args       []*Expr  // of them
	Site       int      // among all calls of the text, from 0

	text *Text
}

// IsWord reports whether an argument is a word in quotation marks.
func (c *Asked) IsWord(field string) bool {
	i := slices.Index(c.Fields, field)
	return i >= 0 && c.Args[i].Op == Literal
}

// Mistake returns a mistake at an argument.
func (c *Asked) Mistake(field, format string, args ...any) *Error {
	i := slices.Index(c.Fields, field)
	return (&lexer{source: c.text.source}).mistake(int(c.Args[i].pos), format, args...)
}

// CallError is the error of a calculation that a text calls.
type CallError struct {
	Site int // of the call
	Err  error
}

// Error returns the text of the error of the calculation.
func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the calculation.
func (e *CallError) Unwrap() error { return e.Err }

// WithCallees returns the text with the calculations that it calls.
func (t *Text) WithCallees(callees []Callee) *Text {
	of := *t
	of.callees = callees
	return &of
}

// Calls returns the calls of calculations.
func (t *Text) Calls() (list []Asked) {
	for _, d := range t.Definitions {
		for i := range d.Cases {
			if x := d.Cases[i].Value; x != nil && x.Op == Ask {
				list = append(list, Asked{d.Name, x.Name, x.Fields, x.Args, int(x.site), t})
			}
		}
	}
	return list
}

// String returns the call as the text has it: beam(length=L, load=w).
func (c *Asked) String() string {
	return (&Expr{Op: Ask, Name: c.Callee, Fields: c.Fields, Args: c.Args}).String()
}

// Names returns the names in an argument, and whether it is a name alone.
func (c *Asked) Names(field string) (names []string, alone bool) {
	i := slices.Index(c.Fields, field)
	if i < 0 {
		return nil, false
	}
	c.Args[i].walk(func(x *Expr) {
		if x.Op == Name {
			names = append(names, x.Name)
		}
	})
	return names, c.Args[i].Op == Name
}

func (t *Text) callee(name string) *Callee {
	for i := range t.callees {
		if t.callees[i].Name == name {
			return &t.callees[i]
		}
	}
	return nil
}

// input returns the index of an input, or -1.
func (c *Callee) input(name string) int {
	return slices.IndexFunc(c.Inputs, func(s Symbol) bool { return s.Name == name })
}

// ask reads the named arguments of a call.
func (p *parser) ask(t token) *Expr {
	var args []*Expr
	var fields []string
	for more := true; more; more = p.accept(",") {
		name := p.token
		switch {
		case name.kind != nameToken:
			p.fail(name.pos, "the name of an argument is missing before %s: write %s(length=L)", name, t)
		case slices.Contains(fields, name.text):
			p.fail(name.pos, "%s is an argument twice", name)
		}
		p.next()
		p.expect("=")
		fields = append(fields, name.text)
		args = append(args, p.expr())
	}
	p.closeBracket()
	if p.asks == MaxAsks {
		p.fail(t.pos, "the text has more than %d calls of calculations", MaxAsks)
	}
	x := p.node(t.pos, t.pos, Ask, args...)
	x.Name, x.Fields, x.site = t.text, fields, int32(p.asks)
	p.asks++
	return x
}

// named reports whether the token is the name of an argument.
func (p *parser) named() bool {
	before := p.lexer
	defer func() { p.lexer = before }()
	if p.token.kind != nameToken {
		return false
	}
	p.next()
	return p.token.is("=")
}

// ask checks a call of a calculation, and returns the shape of its result.
func (c *checker) ask(x *Expr, within *scope) shape {
	callee := c.text.callee(x.Name)
	var first *Expr
	if c.current.Kind == Quantity && c.current.List == nil {
		first = c.current.Cases[0].Value
	}
	isStep := slices.ContainsFunc(c.current.Cases, func(one Case) bool { return one.Value == x })
	switch {
	case callee == nil:
		return c.fail(x.pos, "the head names no calculation %s: write - use %s: ID@VERSION into it", x.Name, x.Name)
	case first == nil || !isStep:
		return c.fail(x.pos, "the call of %s is part of an expression: write %s_1 = %s(...) in a line of its own, and use %s_1.%s", x.Name, x.Name, x.Name, x.Name, callee.Result.Members[0].Name)
	case first.Op != Ask || first.Name != x.Name:
		return c.fail(x.pos, "%s has another calculation in the case above: give each calculation a name of its own", c.current.Name)
	}
	c.used[x.Name] = true
	for i, field := range x.Fields {
		got, at := c.infer(x.Args[i], within), callee.input(field)
		if at < 0 {
			var names []string
			for k := range callee.Inputs {
				names = append(names, callee.Inputs[k].Name)
			}
			c.fail(x.Args[i].from, "%s has no input %s%s", x.Name, field, c.guess(field, names))
			continue
		}
		needed := c.shape(&callee.Inputs[at])
		if !needed.fits(got) {
			c.fail(x.Args[i].pos, "%s of %s is %s%s, and this is %s%s", field, x.Name, inUnit(needed), needed, inUnit(got), got)
			continue
		}
		if needed.kind == listKind && got.kind == listKind {
			c.items(x.Args[i], field, c.itemShape(needed), c.itemShape(got))
		}
		if got.kind == textKind {
			c.words(x.Args[i], got, needed)
		}
		if c.isDirect(x.Args[i]) && needed.kind == numberKind && needed.isAngle() != got.isAngle() && len(got.dim) == 0 && !got.open {
			what := map[bool]string{true: "an angle", false: "a number without a unit"}
			c.fail(x.Args[i].pos, "%s of %s is %s, and this is %s", field, x.Name, what[needed.isAngle()], what[got.isAngle()])
		}
	}
	for k := range callee.Inputs {
		if s := &callee.Inputs[k]; s.Required && !slices.Contains(x.Fields, s.Name) {
			c.fail(x.pos, "the input %s of %s is missing", s.Name, x.Name)
		}
	}
	return c.shape(&callee.Result)
}

// isDirect reports whether the unit of a plain number is known, because it is a field or a number.
func (c *checker) isDirect(x *Expr) bool {
	return x.Op == Number || x.Op == Member || x.Op == Name && x.Name != "pi" && c.text.Definition(x.Name) == nil
}

// isAngle reports whether a number was written as an angle.
func (s shape) isAngle() bool {
	u, ok := units.Lookup(s.unit)
	rad, _ := units.Lookup("rad")
	return ok && u.Quantity == rad.Quantity
}

// items checks the items of a list that is an argument.
func (c *checker) items(x *Expr, field string, needed, got shape) {
	switch {
	case !needed.fits(got):
		c.fail(x.pos, "the items of %s are %s%s, and these are %s%s", field, inUnit(needed), needed, inUnit(got), got)
	case needed.kind == listKind && got.kind == listKind:
		c.items(x, field, c.itemShape(needed), c.itemShape(got))
	case needed.kind == recordKind && got.kind == recordKind:
		for i := range needed.of.Members {
			m := &needed.of.Members[i]
			other := got.of.member(m.Name)
			switch {
			case other == nil && m.Required:
				c.fail(x.pos, "the records of %s have %s, and these have none", field, m.Name)
			case other != nil:
				c.items(x, field+"."+m.Name, c.shape(m), c.shape(other))
			}
		}
	}
}

// valueOf returns a value as callers send it for a field.
func (s *Symbol) valueOf(v val) value.Value {
	switch {
	case v.kind == listKind && s.Item != nil:
		items := make([]value.Value, len(v.list))
		for i, item := range v.list {
			items[i] = s.Item.valueOf(item)
		}
		return value.ListOf(items...)
	case v.kind == recordKind:
		fields := make([]value.Value, len(s.Members))
		for i := range s.Members {
			fields[i] = s.Members[i].valueOf(v.fields[s.Members[i].Name])
		}
		return value.RecordOf(fields...)
	}
	return v.nearest()
}

// places are the calls of an evaluation, by their sites.
type places []place

// place is a call with its last inputs and their result, so that both evaluators of one request compute it once. A later
// request computes it again, because its work counts for each request.
type place struct {
	caller       Caller
	inputs       value.Values
	last, result value.Values
	err          error
	known        bool // the result of the last inputs
}

// forget makes each place compute its result again.
func (p places) forget() {
	for i := range p {
		p[i].known = false
	}
}

// newPlaces returns the places of a text. Callers start when they are called.
func (t *Text) newPlaces() places {
	if len(t.callees) == 0 {
		return nil
	}
	list := make(places, MaxAsks)
	for _, c := range t.Calls() {
		if callee := t.callee(c.Callee); callee != nil {
			list[c.Site].inputs = make(value.Values, len(callee.Inputs))
		}
	}
	return list
}

// call computes the result for the inputs of the place, unless it has it.
func (p *place) call(callee *Callee, left int) (rest int) {
	if p.known && slices.EqualFunc(p.last, p.inputs, value.Value.Equal) {
		return left
	}
	if p.caller == nil {
		p.caller = callee.Start()
	}
	p.result, rest, p.err = p.caller.Call(p.inputs, left)
	p.last, p.known = append(p.last[:0], p.inputs...), true
	return rest
}

// ask computes a call of a calculation. Numbers are rounded to binary64, as callers send them.
func (e *env) ask(x *Expr, l *local) val {
	callee := e.text.callee(x.Name)
	if callee == nil || callee.Start == nil {
		panic(fault{why: "the calculation " + x.Name + " is not here"})
	}
	p, isAbsent := &e.places[x.site], false
	args, _ := e.operands(x, l)
	clear(p.inputs)
	for i, v := range args {
		at := callee.input(x.Fields[i])
		switch {
		case v.kind == absentKind:
			isAbsent = isAbsent || callee.Inputs[at].Required
			continue
		case !v.rounded():
			panic(undecided{why: "its bounds do not decide the binary64 number for " + x.Fields[i] + " of " + x.Name})
		}
		p.inputs[at] = callee.Inputs[at].valueOf(v)
		if !isFinite(p.inputs[at]) {
			panic(fault{why: fmt.Sprintf("%s of %s is beyond %g", x.Fields[i], x.Name, math.MaxFloat64)})
		}
	}
	if isAbsent {
		return val{}
	}
	e.work.left = p.call(callee, e.work.left)
	e.work.step()
	if p.err != nil {
		panic(fault{why: p.err.Error(), cause: &CallError{int(x.site), p.err}})
	}
	return e.text.fromValue(value.RecordOf(p.result...), callee.Result.memberNames())
}

// ask compiles a call of a calculation.
func (c *compiler) ask(x *Expr) code {
	callee := c.text.callee(x.Name)
	unless(callee != nil && callee.Start != nil)
	type argument struct {
		at       int
		required bool
		value    func(*machine) (v value.Value, absent bool)
	}
	y := code{kind: recordKind, of: &callee.Result, size: 1}
	args := make([]argument, len(x.Args))
	for i, arg := range x.Args {
		of, at := c.expr(arg), callee.input(x.Fields[i])
		args[i] = argument{at, callee.Inputs[at].Required, of.toArgument(&callee.Inputs[at])}
		y.size += of.size
		y.maybe = y.maybe || of.maybe && args[i].required
	}
	site := x.site
	y.record = func(m *machine) record {
		p, isAbsent := &m.places[site], false
		clear(p.inputs)
		for i := range args {
			v, absent := args[i].value(m)
			if absent {
				isAbsent = isAbsent || args[i].required
				continue
			}
			p.inputs[args[i].at] = v
			m.open = m.open || !isFinite(v)
		}
		if m.open || isAbsent {
			return record{}
		}
		m.steps = p.call(callee, m.steps*stepWork) / stepWork
		if p.err != nil {
			m.open = true
			return record{}
		}
		return record{sent: true, values: p.result, numbers: m.numbersOf(m.reserve(len(p.result)), p.result, &callee.Result)}
	}
	return y
}

// toArgument returns the value for a field. A list of records has a fast path if it was sent with the fields of the other.
func (x code) toArgument(s *Symbol) func(*machine) (v value.Value, absent bool) {
	if x.kind != listKind || x.of.Item.Kind != RecordField {
		return x.toValue()
	}
	unless(slices.Equal(s.memberNames(), x.of.memberNames()))
	return func(m *machine) (value.Value, bool) {
		l := x.list(m)
		return value.ListOf(l.values...), !l.sent
	}
}

// Called returns the caller of a call at the inputs of the last Evaluate. It is nil if the call was not computed.
func (e *Evaluation) Called(c *Asked) Caller { return e.places[c.Site].caller }
