package formula

import (
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/sdk/units"
)

// maxTerms is the largest number of terms of a sum, unless the longest list has more items.
const maxTerms = 1_000

// fold evaluates a fold. It is absent if an end of its range is.
func (e *env) fold(x *Expr, l *local) val {
	ends, ok := e.operands(&Expr{Op: x.Op, Args: x.ends()}, l)
	if !ok {
		return val{}
	}
	items := e.foldItems(x, ends)
	switch x.Fold.Func {
	case "any", "all":
		return e.foldTruth(x, items, l)
	case "first", "last":
		return e.foldOne(x, items, l)
	case "count":
		return e.foldCount(x, items, l)
	}
	return e.foldNumbers(x, items, ends[0].before, l)
}

// foldItems returns the items of a list or a range.
func (e *env) foldItems(x *Expr, ends []val) []val {
	if !x.Fold.Range {
		return ends[0].want(listKind).list
	}
	return e.integers(e.whole(ends[0]), e.whole(ends[1]), "a "+x.Fold.Func+" of more than %d terms")
}

// kept reports whether the condition of a fold keeps an item. An absent condition does not hold.
func (e *env) kept(x *Expr, l *local) bool { return x.condition() == nil || e.holds(x.condition(), l) }

// holds reports whether a condition holds. An absent condition does not hold.
func (e *env) holds(x *Expr, l *local) bool {
	v := e.eval(x, l)
	return v.kind != absentKind && v.want(boolKind).is
}

// folded returns what an item contributes.
func (e *env) folded(x *Expr, l *local) val {
	if x.body() == nil {
		return l.value
	}
	return e.eval(x.body(), l)
}

// foldTruth evaluates any and all, which stop at the item that decides.
func (e *env) foldTruth(x *Expr, items []val, l *local) val {
	decides := x.Fold.Func == "any"
	for _, item := range items {
		in := &local{x.Name, item, l}
		if e.kept(x, in) && (x.body() == nil || e.holds(x.body(), in)) == decides {
			return ofBool(decides)
		}
	}
	return ofBool(!decides)
}

// foldOne evaluates first and last, which stop at the item that they give.
func (e *env) foldOne(x *Expr, items []val, l *local) val {
	for i := range items {
		if x.Fold.Func == "last" {
			i = len(items) - 1 - i
		}
		if in := (&local{x.Name, items[i], l}); e.kept(x, in) {
			return e.folded(x, in)
		}
	}
	return val{}
}

// foldCount counts the items for which the condition and the body hold.
func (e *env) foldCount(x *Expr, items []val, l *local) val {
	n := int64(0)
	for _, item := range items {
		in := &local{x.Name, item, l}
		if e.kept(x, in) && (x.body() == nil || e.holds(x.body(), in)) {
			n++
		}
	}
	return ofNumber(integer(n))
}

// foldNumbers evaluates the folds of numbers. They are absent if a number is, and if there is none, except
// that an empty sum is 0.
func (e *env) foldNumbers(x *Expr, items []val, before int, l *local) val {
	var list []number
	var places []int
	absent := false
	for i, item := range items {
		in := &local{x.Name, item, l}
		if !e.kept(x, in) {
			continue
		}
		v := e.folded(x, in)
		absent = absent || v.kind == absentKind
		if !absent {
			list, places = append(list, v.want(numberKind).number), append(places, i)
		}
	}
	name := x.Fold.Func
	if absent || len(list) == 0 && name != "sum" {
		return val{}
	}
	switch name {
	case "min":
		return ofNumber(e.extreme(list, 1))
	case "max":
		return ofNumber(e.extreme(list, -1))
	case "argmin", "argmax":
		at := places[e.extremeAt(list, name == "argmin")]
		if x.Fold.Range {
			return items[at]
		}
		return ofNumber(integer(int64(at + 1 - before)))
	}
	sum := integer(0)
	for _, y := range list {
		sum = e.add(sum, y)
	}
	if name == "mean" {
		sum = e.div(sum, integer(int64(len(list))))
	}
	return ofNumber(sum)
}

// extremeAt returns the place of the first of the least or the greatest numbers.
func (e *env) extremeAt(list []number, least bool) (at int) {
	for i := 1; i < len(list); i++ {
		order := e.order(list[i], list[at])
		if least && order < 0 || !least && order > 0 {
			at = i
		}
	}
	return at
}

// longest returns the length of the longest list among the inputs.
func (e *env) longest() (n int) {
	for _, v := range e.inputs {
		n = max(n, len(v.list))
	}
	return n
}

func (e *env) given(x *Expr) val {
	for _, arg := range x.Args {
		if _, sent := e.inputs[arg.Name]; !sent {
			return ofBool(false)
		}
	}
	return ofBool(true)
}

// call evaluates a function of the text or of the language.
func (e *env) call(x *Expr, args []val) val {
	if d := e.text.Definition(x.Name); d != nil && d.Kind == Function {
		e.calls++
		if e.calls > MaxCalls {
			panic(exhausted{}) // unreachable for a text that Parse has read
		}
		defer func() { e.calls-- }()
		var inner *local
		for i, parameter := range d.Params {
			inner = &local{parameter, args[i], inner}
		}
		v, _ := e.cases(d, inner)
		return v
	}
	if x.Name != "count" && slices.ContainsFunc(args, lacksItem) {
		return val{}
	}
	switch x.Name {
	case "factor", "zero":
		return ofNumber(e.unit(x.Name, args[0].want(textKind).text))
	case "sort":
		return e.sorted(args[0].want(listKind).list)
	case "interpolate":
		return ofNumber(e.interpolate(args[0].want(numberKind).number, args[1].want(listKind).list, args[2].want(listKind).list))
	case "mean", "median", "count":
		return ofNumber(e.ofList(x.Name, args[0].want(listKind).list))
	}
	if (x.Name == "min" || x.Name == "max") && len(args) == 1 && args[0].kind == listKind {
		return ofNumber(e.ofList(x.Name, args[0].list))
	}
	return ofNumber(e.ofNumbers(x.Name, numbers(args)))
}

// lacksItem reports whether an item of a list is absent.
func lacksItem(v val) bool {
	return v.kind == listKind && slices.ContainsFunc(v.list, func(item val) bool { return item.kind == absentKind })
}

func numbers(list []val) []number {
	x := make([]number, len(list))
	for i := range list {
		x[i] = list[i].want(numberKind).number
	}
	return x
}

// ofOne are the functions of one number.
var ofOne = map[string]func(*arithmetic, number) number{
	"sqrt": (*arithmetic).sqrt, "exp": (*arithmetic).exp, "ln": (*arithmetic).ln, "log10": (*arithmetic).log10,
	"sin": (*arithmetic).sin, "cos": (*arithmetic).cos, "tan": (*arithmetic).tan,
	"asin": (*arithmetic).asin, "acos": (*arithmetic).acos, "atan": (*arithmetic).atan,
	"sinh": (*arithmetic).sinh, "cosh": (*arithmetic).cosh, "tanh": (*arithmetic).tanh,
	"abs": (*arithmetic).abs, "sign": (*arithmetic).signum,
}

func (e *env) ofNumbers(name string, x []number) number {
	switch name {
	case "atan2":
		return e.atan2(x[0], x[1])
	case "min":
		return e.extreme(x, 1)
	case "max":
		return e.extreme(x, -1)
	case "floor", "ceil", "round":
		return e.rounding(name, x)
	}
	if f := ofOne[name]; f != nil {
		return f(e.arithmetic, x[0])
	}
	panic(fault{why: "no function " + name})
}

func (a *arithmetic) signum(x number) number {
	sign, decided := x.sign()
	if !decided {
		panic(undecided{why: "the bounds of a number whose sign is needed have 0 between them"})
	}
	return integer(int64(sign))
}

func (e *env) extreme(x []number, sign int) number {
	least := x[0]
	for _, y := range x[1:] {
		least = e.least(least, y, sign)
	}
	return least
}

func (e *env) ofList(name string, list []val) number {
	e.work.do(1 + len(list))
	if name == "count" { // also of records
		return integer(int64(len(list)))
	}
	x := numbers(list)
	if len(x) == 0 {
		panic(fault{why: name + " of an empty list"})
	}
	switch name {
	case "min":
		return e.extreme(x, 1)
	case "max":
		return e.extreme(x, -1)
	case "median":
		return e.median(x)
	}
	sum := x[0]
	for _, y := range x[1:] {
		sum = e.add(sum, y)
	}
	return e.div(sum, integer(int64(len(x))))
}

func (e *env) median(x []number) number {
	slices.SortFunc(x, func(a, b number) int {
		e.work.exact(64)
		order, decided := compare(a, b, e.prec)
		if !decided {
			panic(undecided{why: "the bounds of two numbers in a list overlap"})
		}
		return order
	})
	n := len(x) / 2
	if len(x)%2 == 0 {
		return e.mul(e.add(x[n-1], x[n]), exactly(big.NewRat(1, 2)))
	}
	return x[n]
}

// unit returns the factor of a unit, or the number that is added first.
func (e *env) unit(name, id string) number {
	u, ok := units.Lookup(id)
	switch {
	case !ok:
		panic(fault{why: "no unit " + id})
	case name == "factor":
		return e.factor(u)
	case u.Offset != nil:
		return exactly(u.Offset)
	}
	return integer(0)
}
