package formula

import "math/big"

// bracket is two numbers between which an equation has a root, because the difference of its
// sides has different signs there.
type bracket struct{ low, high end }

// end is an end of a bracket, with the difference there. Only the sign of the difference is
// exact.
type end struct {
	at, difference *big.Float
	sign           int
}

// equation is an equation while it is solved.
type equation struct {
	env   *env
	name  string
	solve *Solve
	outer *local
	prec  uint // of the numbers that are tried, half the precision of the arithmetic
}

// solve encloses the root of an equation. The signs at both ends of the enclosure are
// different, which their bounds prove. The difference can also be computed for the whole
// enclosure at once, so it has no jump there. Therefore a root is in it.
func (e *env) solve(name string, s *Solve, l *local) val {
	q := &equation{env: e, name: name, solve: s, outer: l, prec: e.prec/2 + 32}
	b, known := e.brackets[s]
	if !known {
		var root val
		b, root, known = q.bracket()
		if !known {
			return root
		}
	}
	split := 1
	for !b.narrow(int(e.prec / 2)) {
		if b.wide() || !q.approach(&b, split) {
			split = max(1, split/2)
			q.try(&b, halfway(b.low.at, b.high.at, q.prec))
		} else {
			split *= 2
		}
		for _, end := range []end{b.low, b.high} {
			if end.sign == 0 {
				return ofNumber(point(end.at))
			}
		}
	}
	e.brackets[s] = b
	root := number{low: b.low.at, high: b.high.at}
	q.difference(root)
	return ofNumber(root)
}

// bracket evaluates the ends of the interval. It is false if one of them is the root, or
// absent.
func (q *equation) bracket() (b bracket, root val, ok bool) {
	e := q.env
	ends, ok := e.operands(&Expr{Args: []*Expr{q.solve.Low, q.solve.High}}, q.outer)
	if !ok {
		return b, val{}, false
	}
	low, high := ends[0].want(numberKind).number, ends[1].want(numberKind).number
	switch order, decided := compare(low, high, e.prec); {
	case !decided:
		panic(undecided{why: "the bounds of the two ends of an interval overlap"})
	case order >= 0:
		panic(fault{why: "the interval of the equation ends before it starts"})
	}
	atLow, ok := q.difference(low)
	atHigh, ok2 := q.difference(high)
	if !ok || !ok2 {
		return b, val{}, false
	}
	_, b.low.at = low.bounds(e.prec)
	b.high.at, _ = high.bounds(e.prec)
	b.low.set(atLow, q.prec)
	b.high.set(atHigh, q.prec)
	switch {
	case b.low.sign == 0:
		return b, ofNumber(low), false
	case b.high.sign == 0:
		return b, ofNumber(high), false
	case b.low.sign == b.high.sign:
		panic(fault{why: "the two sides of the equation differ alike at both ends of its interval"})
	}
	return b, val{}, true
}

// set records a difference, unless its sign is not decided.
func (x *end) set(difference number, prec uint) {
	sign, decided := difference.sign()
	if !decided {
		panic(undecided{why: "the bounds of the two sides of an equation overlap"})
	}
	low, high := difference.bounds(prec)
	x.sign, x.difference = sign, plus(float(prec), low, high) // twice the middle
}

// difference evaluates left - right. It is false if that is absent.
func (q *equation) difference(x number) (number, bool) {
	sides, ok := q.env.operands(&Expr{Args: []*Expr{q.solve.Left, q.solve.Right}}, &local{q.name, ofNumber(x), q.outer})
	if !ok {
		return number{}, false
	}
	return q.env.sub(sides[0].want(numberKind).number, sides[1].want(numberKind).number), true
}

// try replaces the end of the bracket that has the same sign by a number. It ignores a number
// that is too near to the root to decide.
func (q *equation) try(b *bracket, x *big.Float) {
	if x.Cmp(b.low.at) <= 0 || x.Cmp(b.high.at) >= 0 {
		return
	}
	tried := end{at: x}
	difference, ok := q.difference(point(x))
	if !ok {
		panic(undecided{why: "a side of the equation is absent within its interval"})
	}
	if _, decided := difference.sign(); !decided {
		tried.at = halfway(b.low.at, x, q.prec)
		difference, _ = q.difference(point(tried.at))
	}
	tried.set(difference, q.prec)
	if tried.sign == b.high.sign {
		b.high = tried
	} else {
		b.low = tried
	}
}

// approach tries to narrow the bracket by the factor 2^-split. It places the new bracket where
// a straight line between the ends is zero. The line is nearer to the curve in a narrower
// bracket. So after a success, twice as many bits can be expected. (J. Abbott, Quadratic
// interval refinement)
func (q *equation) approach(b *bracket, split int) bool {
	width := float(q.prec).Sub(b.high.at, b.low.at)
	rise := plus(float(q.prec), b.high.difference, new(big.Float).Neg(b.low.difference))
	part := float(q.prec).Quo(b.low.difference, rise) // from 0 to -1
	x := plus(float(q.prec), b.low.at, part.Neg(part.Mul(part, width)))
	step := new(big.Float).SetMantExp(big.NewFloat(1), width.MantExp(nil)-split-2)
	q.try(b, float(q.prec).Sub(x, step))
	if b.low.sign != 0 && b.high.sign != 0 {
		q.try(b, float(q.prec).Add(x, step))
	}
	return float(q.prec).Sub(b.high.at, b.low.at).MantExp(nil) <= width.MantExp(nil)-split
}

// narrow reports whether the ends agree in this number of bits.
func (b *bracket) narrow(bits int) bool {
	width := plus(up(64), b.high.at, new(big.Float).Neg(b.low.at))
	return b.high.at.Sign() == b.low.at.Sign() && width.MantExp(nil) < b.low.at.MantExp(nil)-bits
}

// wide reports whether the sizes of the ends differ much.
func (b *bracket) wide() bool {
	low, high := b.low.at, b.high.at
	return low.Sign() != high.Sign() || max(low.MantExp(nil)-high.MantExp(nil), high.MantExp(nil)-low.MantExp(nil)) > 1
}

// halfway returns a number between two others. If the exponents of positive numbers differ
// much, it has half the exponent. So halving takes as many steps for 10^-8 to 10^303 as for 1
// to 2. The exponent of 0 counts as less than the exponents of binary64.
func halfway(low, high *big.Float, prec uint) *big.Float {
	switch {
	case low.Sign() < 0 && high.Sign() > 0:
		return new(big.Float)
	case low.Sign() < 0:
		x := halfway(new(big.Float).Neg(high), new(big.Float).Neg(low), prec)
		return x.Neg(x)
	}
	least, most := low.MantExp(nil), high.MantExp(nil)
	if low.Sign() == 0 {
		least = min(-1100, most-2)
	}
	m := float(prec)
	if most-least > 1 {
		return m.SetMantExp(big.NewFloat(0.75), (least+most)>>1)
	}
	m.Add(low, high)
	return m.SetMantExp(m, -1)
}
