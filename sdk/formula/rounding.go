package formula

import (
	"math/big"
	"slices"
)

// bits53 is the precision of binary64 numbers.
const bits53 = 53

// round53 returns a number rounded to 53 bits, as answers show it but without their bounds of the exponent. It
// is false if the bounds of the number do not decide that.
func round53(x number) (*big.Float, bool) {
	if x.exact != nil {
		return new(big.Float).SetPrec(bits53).SetRat(x.exact), true
	}
	low, high := new(big.Float).SetPrec(bits53).Set(x.low), new(big.Float).SetPrec(bits53).Set(x.high)
	return low, low.Cmp(high) == 0
}

// order returns the sign of x - y, and fails if the bounds do not decide it. In a document both are rounded to 53 bits
// first. Then a comparison agrees with the numbers that the answer shows, and a tie is decided.
func (e *env) order(x, y number) int {
	e.work.exact(64)
	order, decided := 0, false
	if e.text.rounds {
		order, decided = compare(roundedTo53(x), roundedTo53(y), bits53)
	} else {
		order, decided = compare(x, y, e.prec)
	}
	if !decided {
		panic(undecided{why: "the bounds of two numbers that are compared overlap"})
	}
	return order
}

// roundedTo53 returns a number between the rounded bounds of x.
func roundedTo53(x number) number {
	if x.exact != nil {
		return point(new(big.Float).SetPrec(bits53).SetRat(x.exact))
	}
	return number{low: new(big.Float).SetPrec(bits53).Set(x.low), high: new(big.Float).SetPrec(bits53).Set(x.high)}
}

// rounding evaluates `floor`, `ceil` and `round`: the multiple of a step. A quotient is compared with integers as
// comparisons of a document do, so `floor(0.3/0.1)` is 3. Halves of round go away from zero.
func (e *env) rounding(name string, x []number) number {
	step := integer(1)
	if len(x) == 2 {
		step = x[1]
	}
	quotient, ok := round53(e.div(x[0], step))
	if !ok {
		panic(undecided{why: "the bounds of a number that is rounded overlap"})
	}
	q, _ := quotient.Rat(nil)
	if q == nil {
		q = new(big.Rat)
	}
	switch name {
	case "round":
		half := big.NewRat(int64(q.Sign()), 2)
		q = new(big.Rat).SetInt(truncated(half.Add(half, q)))
	case "floor":
		q = floored(q)
	case "ceil":
		q = floored(q.Neg(q))
		q.Neg(q)
	}
	return e.mul(exactly(q), step)
}

// truncated returns the integer part of a number.
func truncated(x *big.Rat) *big.Int { return new(big.Int).Quo(x.Num(), x.Denom()) }

// floored returns the largest integer that is at most x.
func floored(x *big.Rat) *big.Rat {
	n := truncated(x)
	if x.Sign() < 0 && !x.IsInt() {
		n.Sub(n, big.NewInt(1))
	}
	return new(big.Rat).SetInt(n)
}

// sorted returns a list in ascending order.
func (e *env) sorted(list []val) val {
	list = slices.Clone(list)
	numbers(list) // fails for other items
	slices.SortStableFunc(list, func(a, b val) int { return e.order(a.number, b.number) })
	return val{kind: listKind, list: list}
}

// interpolate returns the value at x of the line through points with ascending xs. It fails outside of them.
func (e *env) interpolate(x number, xs, ys []val) number {
	at, of := numbers(xs), numbers(ys)
	if len(at) != len(of) || len(at) < 2 {
		panic(fault{why: "interpolate needs two lists of one length, with two numbers or more"})
	}
	for i := range at[1:] {
		if e.order(at[i], at[i+1]) >= 0 {
			panic(fault{why: "interpolate needs ascending numbers"})
		}
	}
	if e.order(x, at[0]) < 0 || e.order(x, at[len(at)-1]) > 0 {
		panic(fault{why: "interpolate outside of its numbers"})
	}
	i := 1
	for i < len(at)-1 && e.order(x, at[i]) > 0 {
		i++
	}
	slope := e.div(e.sub(of[i], of[i-1]), e.sub(at[i], at[i-1]))
	return e.add(of[i-1], e.mul(slope, e.sub(x, at[i-1])))
}
