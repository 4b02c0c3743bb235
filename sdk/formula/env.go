package formula

import (
	"fmt"
	"math/big"

	"github.com/slipstick/slipstick/sdk/units"
)

// env has the values of names.
type env struct {
	text   *Text
	inputs map[string]val
	taken  map[string]float64
	known  map[string]*Value
	*arithmetic
	calls    int
	lists    map[string]val // that are computed, or in part
	items    int            // of all lists
	reached  map[*Case]bool
	places   places
	brackets map[*Solve]bracket // of equations, as earlier passes have narrowed them
}

// all evaluates each definition with one precision. If no work is left, it keeps the earlier
// results.
func (e *env) all(a *arithmetic, before *Result) *Result {
	at := *e
	at.known, at.arithmetic, at.reached, at.lists = map[string]*Value{}, a, map[*Case]bool{}, map[string]val{}
	r := &Result{env: &at, Values: make([]Value, 0, len(e.text.Definitions))}
	for _, d := range e.text.Definitions {
		if d.Kind == Function {
			continue
		}
		left := a.work.left
		v, done := at.definition(d)
		a.work.spend(d.Name, left)
		if !done && before != nil {
			v = before.Values[len(r.Values)]
		}
		r.Values = append(r.Values, v)
		at.known[d.Name] = &r.Values[len(r.Values)-1]
	}
	return r
}

// definition evaluates one definition, unless no work is left.
func (e *env) definition(d *Definition) (v Value, done bool) {
	v = Value{Name: d.Name, Case: -1}
	if in, sent := e.inputs[d.Name]; sent {
		v.State, v.Sent, v.value = Known, true, in
		return v, true
	}
	if d.Kind == Taken {
		if x := new(big.Rat).SetFloat64(e.taken[d.Name]); x != nil && hasKey(e.taken, d.Name) {
			v.State, v.value = IsTaken, ofNumber(exactly(x))
		}
		return v, true
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
			done = true
		case fault:
			v.State, done = Fault, true
			v.because(r.of, r.why)
			v.Cause = r.cause
		case undecided:
			v.State, v.final, done = Undecided, r.final, true
			v.because(r.of, r.why)
		case exhausted:
			v.State = Undecided
			v.because("", tooMuchWork)
		default:
			panic(r)
		}
	}()
	if d.List != nil {
		v.value = e.list(d)
	} else {
		v.Case = e.branch(d.Cases, nil)
		if v.Case < 0 {
			return v, true
		}
		v.ID = d.Cases[v.Case].ID
		v.value = e.value(d, &d.Cases[v.Case], nil)
	}
	if v.value.kind != absentKind {
		v.State = Known
	}
	return v, true
}

func hasKey[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }

// cases evaluates the first case that holds, and returns its index.
func (e *env) cases(d *Definition, l *local) (val, int) {
	i := e.branch(d.Cases, l)
	if i < 0 {
		return val{}, -1
	}
	return e.value(d, &d.Cases[i], l), i
}

// branch returns the index of the first case that holds, or -1 if none does.
func (e *env) branch(cases []Case, l *local) int {
	for i := range cases {
		if when := cases[i].When; when != nil {
			if holds := e.eval(when, l); holds.kind == absentKind || !holds.want(boolKind).is {
				continue
			}
		}
		return i
	}
	return -1
}

// value evaluates one case.
func (e *env) value(d *Definition, c *Case, l *local) val {
	e.reached[c] = true
	if c.Solve != nil {
		return e.solve(d.Name, c.Solve, l)
	}
	return e.eval(c.Value, l)
}

// local is a parameter or an index, with the outer ones.
type local struct {
	name  string
	value val
	outer *local
}

func (l *local) find(name string) (val, bool) {
	for ; l != nil; l = l.outer {
		if l.name == name {
			return l.value, true
		}
	}
	return val{}, false
}

func (e *env) lookup(name string, l *local) val {
	if v, ok := l.find(name); ok {
		return v
	}
	switch name {
	case "pi":
		return ofNumber(e.pi())
	case "true", "false":
		return ofBool(name == "true")
	}
	v, ok := e.known[name]
	if !ok {
		if list, partial := e.lists[name]; partial {
			return list
		}
		if in, sent := e.inputs[name]; sent {
			return in
		}
		return e.text.tables[name]
	}
	switch v.State {
	case Fault:
		panic(fault{of: v.of, why: v.why, cause: v.Cause})
	case Undecided:
		panic(undecided{of: v.of, why: v.why, final: v.final})
	}
	return v.value
}

func (e *env) eval(x *Expr, l *local) val {
	e.work.step()
	switch x.Op {
	case Number:
		return e.quantity(x)
	case Name:
		return e.lookup(x.Name, l)
	case Literal:
		return val{kind: textKind, text: x.Name}
	case And, Or:
		return e.junction(x, l)
	case Fold:
		return e.fold(x, l)
	case Ask:
		return e.ask(x, l)
	case Call:
		if x.Name == "given" {
			return e.given(x)
		}
	}
	args, ok := e.operands(x, l)
	if !ok {
		return e.absent(x, args)
	}
	switch x.Op {
	case Not:
		return ofBool(!args[0].want(boolKind).is)
	case Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual:
		return e.comparison(x.Op, args[0], args[1])
	case Call:
		return e.call(x, args)
	case Index:
		return e.item(args[0], args[1])
	case Member:
		if args[0].kind == listKind {
			e.work.do(len(args[0].list))
			return args[0].membersOf(x.Name)
		}
		return args[0].want(recordKind).fields[x.Name]
	}
	for _, arg := range args {
		arg.want(numberKind)
	}
	return ofNumber(e.operation(x.Op, args))
}

// operands evaluates all operands, so that their order does not matter. It is false if one is
// absent.
func (e *env) operands(x *Expr, l *local) (args []val, ok bool) {
	args, ok = make([]val, len(x.Args)), true
	for i, arg := range x.Args {
		args[i] = e.eval(arg, l)
		ok = ok && args[i].kind != absentKind
	}
	return args, ok
}

// absent returns the result of an operation with an absent operand. It is absent, but a
// comparison with an absent word is false.
func (e *env) absent(x *Expr, args []val) val {
	if Less <= x.Op && x.Op <= NotEqual && (args[0].kind == textKind || args[1].kind == textKind) {
		return ofBool(false)
	}
	return val{}
}

func (e *env) operation(op Op, x []val) number {
	switch op {
	case Neg:
		return e.neg(x[0].number)
	case Add:
		return e.add(x[0].number, x[1].number)
	case Sub:
		return e.sub(x[0].number, x[1].number)
	case Mul:
		return e.mul(x[0].number, x[1].number)
	case Div:
		return e.div(x[0].number, x[1].number)
	}
	return e.power(x[0].number, x[1].number)
}

// quantity returns a number in SI units.
func (e *env) quantity(x *Expr) val {
	switch u, listed := units.Lookup(x.Unit); {
	case listed && u.Pi:
		return ofNumber(e.mul(exactly(x.Value), e.factor(u)))
	case listed:
		e.work.exact(x.Value.Num().BitLen() + x.Value.Denom().BitLen())
	}
	return ofNumber(exactly(siValue(x)))
}

func (e *env) factor(u units.Unit) number {
	factor := integer(1)
	if u.Factor != nil {
		factor = exactly(u.Factor)
	}
	if u.Pi {
		return e.mul(factor, e.pi())
	}
	return factor
}

// junction stops at the first operand that decides the result, also if an earlier one is
// absent or undecided.
func (e *env) junction(x *Expr, l *local) val {
	e.work.do(len(x.Args) * 6) // the cost of a panic, if an operand is undecided
	decides := x.Op == Or
	absent := false
	var open *undecided
	for _, arg := range x.Args {
		switch v, u := e.try(arg, l); {
		case u != nil:
			open = u
		case v.kind == absentKind:
			absent = true
		case v.want(boolKind).is == decides:
			return v
		}
	}
	switch {
	case open != nil:
		panic(*open)
	case absent:
		return val{}
	}
	return ofBool(!decides)
}

// try evaluates an expression that may be undecided.
func (e *env) try(x *Expr, l *local) (v val, u *undecided) {
	defer func() {
		if r := recover(); r != nil {
			why, ok := r.(undecided)
			if !ok {
				panic(r)
			}
			u = &why
		}
	}()
	return e.eval(x, l), nil
}

// comparison compares numbers, words or truths.
func (e *env) comparison(op Op, a, b val) val {
	if a.kind != b.kind {
		panic(fault{why: fmt.Sprintf("%v is compared with %v", a.kind, b.kind)})
	}
	var order int
	switch {
	case a.kind == numberKind:
		order = e.order(a.number, b.number)
	case op != Equal && op != NotEqual || a.kind != textKind && a.kind != boolKind:
		panic(fault{why: a.kind.String() + " has no order"})
	case a.text != b.text || a.is != b.is:
		order = 1
	}
	switch op {
	case Less:
		return ofBool(order < 0)
	case LessEqual:
		return ofBool(order <= 0)
	case Greater:
		return ofBool(order > 0)
	case GreaterEqual:
		return ofBool(order >= 0)
	case Equal:
		return ofBool(order == 0)
	}
	return ofBool(order != 0)
}

func (e *env) item(list, index val) val {
	list.want(listKind)
	i := e.whole(index)
	at := i - 1 + list.before
	if at < 0 || at >= len(list.list) {
		panic(fault{why: fmt.Sprintf("item %d of a list of %d", i, len(list.list))})
	}
	return list.list[at]
}

// whole returns an integer. Integers beyond 2^40 are equivalent to 2^40.
func (e *env) whole(v val) int {
	n := v.want(numberKind).number
	switch {
	case n.exact == nil:
		panic(undecided{why: "a number is possibly not an integer, where one is needed"})
	case !n.exact.IsInt():
		panic(fault{why: "a number that is not an integer, where one is needed"})
	case n.exact.Num().BitLen() > 40:
		return n.exact.Sign() << 40
	}
	return int(n.exact.Num().Int64())
}

// siValue returns a number in SI units, if the conversion is rational. A unit that is not
// listed is a product of SI units, as Check demands.
func siValue(x *Expr) *big.Rat {
	if x.Unit == "%" {
		return new(big.Rat).Mul(x.Value, big.NewRat(1, 100))
	}
	u, listed := units.Lookup(x.Unit)
	if !listed || u.Offset == nil && u.Factor == nil {
		return x.Value
	}
	si := new(big.Rat).Set(x.Value)
	if u.Offset != nil {
		si.Add(si, u.Offset)
	}
	if u.Factor != nil {
		si.Mul(si, u.Factor)
	}
	return si
}
