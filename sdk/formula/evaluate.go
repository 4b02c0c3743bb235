package formula

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// Input is the value of one field, as it was sent. A field that was not sent has no Input.
type Input struct {
	Name    string // in the text
	Value   value.Value
	Members []string // names of the fields of its records, or of those in its list
}

// Result is what a text gives for some inputs.
type Result struct {
	Values []Value // of the definitions that are quantities or constants, in their order
	env    *env
}

// Value is what one definition gives.
type Value struct {
	Name  string
	State State
	Sent  bool   // the input counts, and not the definition
	Case  int    // index of the case that holds; -1 if none does
	ID    string // of the formula of that case
	Why   string // of a Fault or Undecided, in words

	value val
}

// State is how much is known of a Value.
type State uint8

// The states of values.
const (
	Absent    State = iota // no case holds, or an operand is absent
	Known                  // within bounds that are narrow enough
	IsTaken                // it is the engine's
	Fault                  // it cannot be computed, such as 1/0
	Undecided              // no bounds were narrow enough, within the limits
)

// Limits of an evaluation. They are counted, not measured by a clock, so that they are the same
// on every machine.
const (
	MaxSteps     = 20_000  // nodes, each time that they are evaluated
	maxWork      = 100_000 // about one is done in a microsecond
	maxPrecision = 16 << 10
	maxCalls     = 16 // of functions within one another
	maxTerms     = 1_000
)

// Evaluate computes the definitions for the inputs. It begins with a few digits and doubles them
// until enough returns true of each number, or the limits are reached. Taken has the values of
// the definitions that are taken, by name.
func (t *Text) Evaluate(inputs []Input, taken map[string]float64, enough func(v *Value) bool) *Result {
	e := &env{text: t, inputs: map[string]val{}, taken: taken}
	for _, in := range inputs {
		if v, ok := fromValue(in.Value, in.Members); ok {
			e.inputs[in.Name] = v
		}
	}
	w := &work{left: maxWork}
	r := e.all(&arithmetic{prec: 128, work: w})
	for prec := uint(256); prec <= maxPrecision && !r.decided(enough); prec *= 2 {
		finer := e.all(&arithmetic{prec: prec, work: w})
		if w.left < 0 || w.steps > MaxSteps {
			return r // the finer ones were not finished
		}
		r = finer
	}
	return r
}

func (r *Result) decided(enough func(*Value) bool) bool {
	for i := range r.Values {
		if v := &r.Values[i]; v.State == Undecided || v.State == Known && !enough(v) {
			return false
		}
	}
	return true
}

// Value returns the value of a definition, nil if there is none of that name.
func (r *Result) Value(name string) *Value {
	for i := range r.Values {
		if r.Values[i].Name == name {
			return &r.Values[i]
		}
	}
	return nil
}

// Number returns the binary64 number nearest to the value, if it is a number.
func (v *Value) Number() (float64, bool) {
	if v.State != Known || v.value.kind != numberKind {
		return 0, false
	}
	return v.value.number.nearest(), true
}

// Bool returns the value, if it is true or false.
func (v *Value) Bool() (is, ok bool) {
	return v.value.is, v.State == Known && v.value.kind == boolKind
}

// Agreement is how a number compares with a Value.
type Agreement uint8

// The agreements.
const (
	Unproved Agreement = iota // the bounds are too wide to say
	Agrees
	Differs
)

// Compare says whether got is within a relative tolerance of the value, by its bounds. A number
// below the normal ones is compared with the smallest of those.
func (v *Value) Compare(got, tolerance float64) Agreement {
	if v.State != Known || v.value.kind != numberKind || math.IsNaN(got) || math.IsInf(got, 0) {
		return Unproved
	}
	exact := new(big.Rat).SetFloat64(got)
	margin := new(big.Rat).SetFloat64(tolerance)
	margin.Mul(margin, new(big.Rat).Abs(exact))
	if smallest := new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64); margin.Cmp(smallest) < 0 {
		margin = smallest
	}
	n := v.value.number
	least, most := exactly(new(big.Rat).Sub(exact, margin)), exactly(margin.Add(exact, margin))
	prec := uint(256)
	if n.exact == nil {
		prec = max(prec, n.low.Prec(), n.high.Prec())
	}
	below, known := compare(n, least, prec)
	above, known2 := compare(n, most, prec)
	switch {
	case known && below < 0 || known2 && above > 0:
		return Differs
	case known && known2:
		return Agrees
	}
	return Unproved
}

// nearest returns the binary64 number nearest to the middle of the bounds.
func (x number) nearest() float64 {
	if x.exact != nil {
		f, _ := x.exact.Float64()
		return f
	}
	middle := new(big.Float).SetPrec(max(x.low.Prec(), x.high.Prec(), 64)).Add(x.low, x.high)
	f, _ := middle.SetMantExp(middle, -1).Float64()
	return f
}

// val is a value within an evaluation.
type val struct {
	kind   kind
	number number
	is     bool
	text   string
	list   []val
	fields map[string]val
}

type kind uint8

const (
	absentKind kind = iota
	numberKind
	boolKind
	textKind
	listKind
	recordKind
)

func (k kind) String() string {
	return [...]string{"nothing", "a number", "true or false", "a word", "a list", "a record"}[k]
}

func fromValue(v value.Value, members []string) (val, bool) {
	switch v.Kind() {
	case value.Number:
		x := new(big.Rat).SetFloat64(v.Number())
		return val{kind: numberKind, number: exactly(x)}, x != nil
	case value.Exact:
		x, ok := new(big.Rat).SetString(v.Text())
		return val{kind: numberKind, number: exactly(x)}, ok
	case value.Bool:
		return val{kind: boolKind, is: v.Bool()}, true
	case value.Text:
		return val{kind: textKind, text: v.Text()}, true
	case value.List:
		out := val{kind: listKind}
		for _, item := range v.Items() {
			x, ok := fromValue(item, members)
			if !ok {
				return val{}, false
			}
			out.list = append(out.list, x)
		}
		return out, true
	case value.Record:
		out := val{kind: recordKind, fields: map[string]val{}}
		for i, item := range v.Items() {
			if x, ok := fromValue(item, nil); ok && i < len(members) {
				out.fields[members[i]] = x
			}
		}
		return out, true
	}
	return val{}, false
}

// fault and undecided end the evaluation of one definition, as panics: arithmetic is deep, and
// neither is a value that it could go on with.
type (
	fault     string
	undecided struct{}
	exhausted struct{}
)

// work counts what an evaluation does, and ends it when that is too much.
type work struct{ left, steps int }

func (w *work) do(n int) {
	if w.left -= n; w.left < 0 {
		panic(exhausted{})
	}
}

func (w *work) exact(bits int)          { w.do(1 + bits*bits>>18) }
func (w *work) rounded(prec uint)       { w.do(1 + int(prec*prec>>20)) }
func (w *work) series(prec uint, n int) { w.do(1 + n*(1+int(prec*prec>>22))/2) }

func (w *work) step() {
	if w.steps++; w.steps > MaxSteps {
		panic(exhausted{})
	}
}

// env is what names stand for.
type env struct {
	text   *Text
	inputs map[string]val
	taken  map[string]float64
	known  map[string]*Value
	*arithmetic
	calls int
}

// all evaluates each definition with one precision.
func (e *env) all(a *arithmetic) *Result {
	at := &env{text: e.text, inputs: e.inputs, taken: e.taken, known: map[string]*Value{}, arithmetic: a}
	a.work.steps = 0
	r := &Result{env: at, Values: make([]Value, 0, len(e.text.Definitions))}
	for _, d := range e.text.Definitions {
		if d.Kind == Function {
			continue
		}
		r.Values = append(r.Values, at.definition(d))
		at.known[d.Name] = &r.Values[len(r.Values)-1]
	}
	return r
}

// definition evaluates one definition.
func (e *env) definition(d *Definition) (v Value) {
	v = Value{Name: d.Name, Case: -1}
	if in, sent := e.inputs[d.Name]; sent {
		v.State, v.Sent, v.value = Known, true, in
		return v
	}
	if d.Kind == Taken {
		if x, ok := e.taken[d.Name]; ok {
			v.State, v.value = IsTaken, val{kind: numberKind, number: exactly(new(big.Rat).SetFloat64(x))}
		}
		return v
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			v.State, v.Why = Fault, string(r)
		case undecided:
			v.State, v.Why = Undecided, "its bounds do not decide a condition or a division"
		case exhausted:
			v.State, v.Why = Undecided, "it takes more work than is allowed"
		default:
			panic(r)
		}
	}()
	v.value, v.Case = e.cases(d, nil)
	if v.value.kind != absentKind {
		v.State = Known
	}
	if v.Case >= 0 {
		v.ID = d.Cases[v.Case].ID
	}
	return v
}

// cases evaluates the first case that holds, and returns its index.
func (e *env) cases(d *Definition, l *local) (val, int) {
	for i := range d.Cases {
		c := &d.Cases[i]
		if c.When != nil {
			if holds := e.eval(c.When, l); holds.kind == absentKind || !e.truth(holds) {
				continue
			}
		}
		if c.Solve != nil {
			return e.solve(d.Name, c.Solve, l), i
		}
		return e.eval(c.Value, l), i
	}
	return val{}, -1
}

func (e *env) truth(v val) bool {
	if v.kind != boolKind {
		panic(fault(fmt.Sprintf("%v where true or false is needed", v.kind)))
	}
	return v.is
}

// local is a parameter or an index, with those around it.
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
		return val{kind: numberKind, number: pi.bounds(e.arithmetic)}
	case "true", "false":
		return val{kind: boolKind, is: name == "true"}
	}
	v, ok := e.known[name]
	if !ok {
		return e.inputs[name]
	}
	switch v.State {
	case Fault:
		panic(fault(name + " has none: " + v.Why))
	case Undecided:
		panic(undecided{})
	}
	return v.value
}

func (e *env) eval(x *Expr, l *local) val {
	e.work.step()
	switch x.Op {
	case Number:
		return val{kind: numberKind, number: exactly(siValue(x))}
	case Name:
		return e.lookup(x.Name, l)
	case Literal:
		return val{kind: textKind, text: x.Name}
	case And, Or:
		return e.junction(x, l)
	case Not:
		v := e.eval(x.Args[0], l)
		if v.kind == absentKind {
			return v
		}
		return val{kind: boolKind, is: !e.truth(v)}
	case Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual:
		return e.comparison(x, l)
	case Call:
		return e.call(x, l)
	case Index:
		return e.item(e.eval(x.Args[0], l), e.eval(x.Args[1], l))
	case Member:
		record := e.eval(x.Args[0], l)
		if record.kind == absentKind {
			return record
		}
		if record.kind != recordKind {
			panic(fault(fmt.Sprintf("%v where a record is needed", record.kind)))
		}
		return record.fields[x.Name]
	case SumList, SumRange:
		return e.series(x, l)
	}
	operands := make([]number, len(x.Args))
	for i, arg := range x.Args {
		v := e.eval(arg, l)
		if v.kind == absentKind {
			return v
		}
		operands[i] = e.number(v)
	}
	return val{kind: numberKind, number: e.operation(x.Op, operands)}
}

func (e *env) operation(op Op, x []number) number {
	switch op {
	case Neg:
		return e.neg(x[0])
	case Add:
		return e.add(x[0], x[1])
	case Sub:
		return e.sub(x[0], x[1])
	case Mul:
		return e.mul(x[0], x[1])
	case Div:
		return e.div(x[0], x[1])
	}
	return e.power(x[0], x[1])
}

func (e *env) number(v val) number {
	if v.kind != numberKind {
		panic(fault(fmt.Sprintf("%v where a number is needed", v.kind)))
	}
	return v.number
}

// junction stops at the first operand that decides.
func (e *env) junction(x *Expr, l *local) val {
	decides := x.Op == Or
	var absent bool
	for _, arg := range x.Args {
		v := e.eval(arg, l)
		switch {
		case v.kind == absentKind:
			absent = true
		case e.truth(v) == decides:
			return v
		}
	}
	if absent {
		return val{}
	}
	return val{kind: boolKind, is: !decides}
}

// comparison compares numbers, words or truths. One with a word that is absent is false.
func (e *env) comparison(x *Expr, l *local) val {
	a, b := e.eval(x.Args[0], l), e.eval(x.Args[1], l)
	if a.kind == absentKind || b.kind == absentKind {
		if a.kind == textKind || b.kind == textKind {
			return val{kind: boolKind}
		}
		return val{}
	}
	if a.kind != b.kind {
		panic(fault(fmt.Sprintf("%v is compared with %v", a.kind, b.kind)))
	}
	var order int
	switch {
	case a.kind == numberKind:
		decided := false
		if order, decided = compare(a.number, b.number, e.prec); !decided {
			panic(undecided{})
		}
	case x.Op != Equal && x.Op != NotEqual || a.kind != textKind && a.kind != boolKind:
		panic(fault(fmt.Sprintf("%v has no order", a.kind)))
	case a.text != b.text || a.is != b.is:
		order = 1
	}
	is := false
	switch x.Op {
	case Less:
		is = order < 0
	case LessEqual:
		is = order <= 0
	case Greater:
		is = order > 0
	case GreaterEqual:
		is = order >= 0
	case Equal:
		is = order == 0
	case NotEqual:
		is = order != 0
	}
	return val{kind: boolKind, is: is}
}

func (e *env) item(list, index val) val {
	if list.kind == absentKind || index.kind == absentKind {
		return val{}
	}
	if list.kind != listKind {
		panic(fault(fmt.Sprintf("%v where a list is needed", list.kind)))
	}
	i := e.whole(index)
	if i < 1 || i > len(list.list) {
		panic(fault(fmt.Sprintf("item %d of a list of %d", i, len(list.list))))
	}
	return list.list[i-1]
}

// whole returns an integer.
func (e *env) whole(v val) int {
	n := e.number(v)
	if n.exact == nil || !n.exact.IsInt() || !n.exact.Num().IsInt64() {
		panic(fault("a number that is no integer, where one is needed"))
	}
	return int(max(-1<<40, min(n.exact.Num().Int64(), 1<<40)))
}

func (e *env) series(x *Expr, l *local) val {
	sum := val{kind: numberKind, number: integer(0)}
	add := func(item val) bool {
		term := e.eval(x.Args[len(x.Args)-1], &local{x.Name, item, l})
		if term.kind == absentKind {
			return false
		}
		sum.number = e.add(sum.number, e.number(term))
		return true
	}
	first := e.eval(x.Args[0], l)
	if first.kind == absentKind {
		return first
	}
	if x.Op == SumList {
		if first.kind != listKind {
			panic(fault(fmt.Sprintf("%v where a list is needed", first.kind)))
		}
		for _, item := range first.list {
			if !add(item) {
				return val{}
			}
		}
		return sum
	}
	last := e.eval(x.Args[1], l)
	if last.kind == absentKind {
		return last
	}
	from, to := e.whole(first), e.whole(last)
	if to-from >= maxTerms && e.longest() <= to-from {
		panic(fault(fmt.Sprintf("a sum of more than %d terms", maxTerms)))
	}
	for i := from; i <= to; i++ {
		if !add(val{kind: numberKind, number: integer(int64(i))}) {
			return val{}
		}
	}
	return sum
}

// longest returns the length of the longest list among the inputs: sums may have as many terms.
func (e *env) longest() (n int) {
	for _, v := range e.inputs {
		n = max(n, len(v.list))
	}
	return n
}

// solve encloses the root of an equation: on both sides of it, the difference of the two has
// different signs, which the bounds prove.
func (e *env) solve(name string, s *Solve, l *local) val {
	low, high := e.eval(s.Low, l), e.eval(s.High, l)
	if low.kind == absentKind || high.kind == absentKind {
		return val{}
	}
	absent := false
	sign := func(x *big.Float) int {
		if x.IsInf() {
			panic(undecided{})
		}
		exact, _ := x.Rat(nil)
		at := &local{name, val{kind: numberKind, number: exactly(exact)}, l}
		left, right := e.eval(s.Left, at), e.eval(s.Right, at)
		if left.kind == absentKind || right.kind == absentKind {
			absent = true
			return 0
		}
		difference, decided := e.sub(e.number(left), e.number(right)).sign()
		if !decided {
			panic(undecided{})
		}
		return difference
	}
	a, _ := e.number(low).bounds(e.prec)
	_, b := e.number(high).bounds(e.prec)
	at, to := sign(a), sign(b)
	switch {
	case absent:
		return val{}
	case at == 0 || to == 0 || at == to:
		panic(fault("the two sides of the equation differ alike at both ends of its interval"))
	}
	// The bits of the enclosure are fewer than those of the arithmetic, so that the sign is
	// decided beside the root.
	width := int(e.prec / 2)
	for range 4 * e.prec {
		middle := between(a, b, uint(width)+16)
		if a.MantExp(nil) == b.MantExp(nil) && new(big.Float).Sub(b, a).MantExp(nil) < b.MantExp(nil)-width {
			break
		}
		if middle.Cmp(a) <= 0 || middle.Cmp(b) >= 0 {
			break
		}
		switch sign(middle) {
		case at:
			a = middle
		case to:
			b = middle
		default:
			return val{kind: numberKind, number: number{low: middle, high: middle}}
		}
	}
	return val{kind: numberKind, number: number{low: down(e.prec).Set(a), high: up(e.prec).Set(b)}}
}

// between returns a number between two: the geometric mean of their sizes if those differ much,
// so that 10^-8 to 10^303 is as soon halved as 1 to 2.
func between(a, b *big.Float, prec uint) *big.Float {
	m := new(big.Float).SetPrec(prec)
	if a.Sign() > 0 && b.MantExp(nil)-a.MantExp(nil) > 1 {
		return m.SetMantExp(big.NewFloat(0.75), (a.MantExp(nil)+b.MantExp(nil))/2)
	}
	m.Add(a, b)
	return m.SetMantExp(m, -1)
}

func (e *env) call(x *Expr, l *local) val {
	if x.Name == "given" {
		for _, arg := range x.Args {
			if _, sent := e.inputs[arg.Name]; !sent {
				return val{kind: boolKind}
			}
		}
		return val{kind: boolKind, is: true}
	}
	args := make([]val, len(x.Args))
	for i, arg := range x.Args {
		if args[i] = e.eval(arg, l); args[i].kind == absentKind {
			return val{}
		}
	}
	if d := e.text.Definition(x.Name); d != nil {
		if e.calls++; e.calls > maxCalls {
			panic(fault(fmt.Sprintf("more than %d functions within one another", maxCalls)))
		}
		defer func() { e.calls-- }()
		var inner *local
		for i, parameter := range d.Params {
			inner = &local{parameter, args[i], inner}
		}
		v, _ := e.cases(d, inner)
		return v
	}
	return val{kind: numberKind, number: e.function(x.Name, args)}
}

func (e *env) function(name string, args []val) number {
	switch name {
	case "factor", "zero":
		return e.unit(name, args[0])
	case "mean", "median", "count":
		if args[0].kind != listKind {
			panic(fault(fmt.Sprintf("%v where a list is needed", args[0].kind)))
		}
	}
	if args[0].kind == listKind {
		return e.ofList(name, args[0].list)
	}
	x := make([]number, len(args))
	for i := range args {
		x[i] = e.number(args[i])
	}
	switch name {
	case "sqrt":
		return e.sqrt(x[0])
	case "exp":
		return e.exp(x[0])
	case "ln":
		return e.ln(x[0])
	case "log10":
		return e.log10(x[0])
	case "sin":
		sin, _ := e.sinCos(x[0])
		return sin
	case "cos":
		_, cos := e.sinCos(x[0])
		return cos
	case "tan":
		sin, cos := e.sinCos(x[0])
		return e.div(sin, cos)
	case "asin":
		return e.asin(x[0])
	case "acos":
		return e.acos(x[0])
	case "atan":
		return e.atan(x[0])
	case "atan2":
		return e.atan2(x[0], x[1])
	case "sinh":
		return e.hyperbolic(x[0], -1)
	case "cosh":
		return e.hyperbolic(x[0], 1)
	case "tanh":
		return e.tanh(x[0])
	case "abs":
		return e.abs(x[0])
	case "sign":
		sign, decided := x[0].sign()
		if !decided {
			panic(undecided{})
		}
		return integer(int64(sign))
	case "min":
		return e.extreme(x, 1)
	case "max":
		return e.extreme(x, -1)
	}
	panic(fault("no function " + name))
}

func (e *env) extreme(x []number, sign int) number {
	least := x[0]
	for _, y := range x[1:] {
		e.work.exact(64)
		least = e.least(least, y, sign)
	}
	return least
}

func (e *env) ofList(name string, list []val) number {
	x := make([]number, len(list))
	for i := range list {
		x[i] = e.number(list[i])
	}
	if name == "count" {
		return integer(int64(len(x)))
	}
	if len(x) == 0 {
		panic(fault(name + " of an empty list"))
	}
	switch name {
	case "min":
		return e.extreme(x, 1)
	case "max":
		return e.extreme(x, -1)
	case "mean":
		sum := x[0]
		for _, y := range x[1:] {
			sum = e.add(sum, y)
		}
		return e.div(sum, integer(int64(len(x))))
	case "median":
		e.work.do(len(x))
		slices.SortFunc(x, func(a, b number) int {
			order, decided := compare(a, b, e.prec)
			if !decided {
				panic(undecided{})
			}
			return order
		})
		if n := len(x) / 2; len(x)%2 == 0 {
			return e.mul(e.add(x[n-1], x[n]), exactly(big.NewRat(1, 2)))
		}
		return x[len(x)/2]
	}
	panic(fault(name + " takes no list"))
}

// unit returns the factor of a unit, or what is added to its numbers before that.
func (e *env) unit(name string, id val) number {
	u, ok := units.Lookup(id.text)
	switch {
	case id.kind != textKind || !ok:
		panic(fault("no unit " + id.text))
	case name == "zero" && u.Offset != nil:
		return exactly(u.Offset)
	case name == "zero":
		return integer(0)
	}
	factor := integer(1)
	if u.Factor != nil {
		factor = exactly(u.Factor)
	}
	if u.Pi {
		return e.mul(factor, pi.bounds(e.arithmetic))
	}
	return factor
}

// siValue returns the number of a literal in SI units.
func siValue(x *Expr) *big.Rat {
	if u, ok := units.Lookup(x.Unit); ok && x.Unit != "" && u.Factor != nil && !u.Pi {
		return new(big.Rat).Mul(x.Value, u.Factor)
	}
	return x.Value
}
