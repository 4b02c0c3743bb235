package formula

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/sdk/units"
)

// maxTerms is the largest number of terms of a sum, unless the longest list has more items.
const maxTerms = 1_000

func (e *env) series(x *Expr, l *local) val {
	ends, ok := e.operands(&Expr{Op: x.Op, Args: x.Args[:len(x.Args)-1]}, l)
	if !ok {
		return val{}
	}
	var items []val
	if x.Op == SumList {
		items = ends[0].want(listKind).list
	} else {
		from, to := e.whole(ends[0]), e.whole(ends[1])
		if to-from >= max(maxTerms, e.longest()) {
			panic(undecided{why: fmt.Sprintf("a sum of more than %d terms", maxTerms), final: true})
		}
		for i := from; i <= to; i++ {
			items = append(items, ofNumber(integer(int64(i))))
		}
	}
	sum, absent := integer(0), false
	for _, item := range items {
		term := e.eval(x.Args[len(x.Args)-1], &local{x.Name, item, l})
		absent = absent || term.kind == absentKind
		if !absent {
			sum = e.add(sum, term.want(numberKind).number)
		}
	}
	if absent {
		return val{}
	}
	return ofNumber(sum)
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
	switch x.Name {
	case "factor", "zero":
		return ofNumber(e.unit(x.Name, args[0].want(textKind).text))
	case "mean", "median", "count":
		return ofNumber(e.ofList(x.Name, args[0].want(listKind).list))
	}
	if (x.Name == "min" || x.Name == "max") && len(args) == 1 && args[0].kind == listKind {
		return ofNumber(e.ofList(x.Name, args[0].list))
	}
	return ofNumber(e.ofNumbers(x.Name, numbers(args)))
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
