package formula

import "math/big"

// maxAngle is the exponent of the largest argument of sin: no binary64 number is beyond it.
const maxAngle = 1 << 11

// sinCos returns the sine and the cosine of x.
func (a *arithmetic) sinCos(x number) (sin, cos number) {
	if x.exact != nil && x.exact.Sign() == 0 {
		return integer(0), integer(1)
	}
	low, high := x.bounds(a.prec)
	size := max(low.MantExp(nil), high.MantExp(nil), 0)
	if size > maxAngle {
		panic(undecided{why: "an angle is beyond 2^2048"})
	}
	fine := &arithmetic{prec: a.prec + uint(size) + guard, work: a.work}
	fine.work.series(fine.prec, 20)
	// x is turns*pi/2 + r, with |r| below 2. The sine of r is the sine of the middle of its
	// bounds, with an error of at most the distance between them.
	low, _ = x.bounds(fine.prec)
	half := fine.halfPi()
	turns, _ := float(fine.prec).Quo(low, half.low).Int(nil)
	r := fine.sub(x, fine.mul(exactly(new(big.Rat).SetInt(turns)), half))
	rl, rh := r.bounds(fine.prec)
	middle := plus(float(fine.prec), rl, rh)
	middle.SetMantExp(middle, -1)
	radius := plus(up(fine.prec), rh, new(big.Float).Neg(rl))
	if radius.Cmp(big.NewFloat(0.25)) > 0 {
		panic(undecided{why: "the bounds of an angle are far apart"})
	}
	s, c := fine.sinSeries(middle, radius, 1), fine.sinSeries(middle, radius, 0)
	switch new(big.Int).And(turns, big.NewInt(3)).Int64() { // in two's complement
	case 1:
		s, c = c, fine.neg(s)
	case 2:
		s, c = fine.neg(s), fine.neg(c)
	case 3:
		s, c = fine.neg(c), s
	}
	return a.rounded(s), a.rounded(c)
}

// sinSeries adds up the series of the sine, from the power 1, or of the cosine, from 0. |r| is
// at most 2. The errors of all terms add up to less than 64 units of 2^-prec. Each sum adds an
// error of 1 unit, and the omitted terms less than 1. So the whole error is less than 2^13.
func (a *arithmetic) sinSeries(r, radius *big.Float, from int64) number {
	term, sum := float(a.prec).SetInt64(1), float(a.prec)
	if from == 1 {
		term.Set(r)
	}
	square := float(a.prec).Mul(r, r)
	n := 1
	for k := from; term.Sign() != 0 && term.MantExp(nil) > -int(a.prec); k, n = k+2, n+1 {
		sum.Add(sum, term)
		term.Mul(term, square).Quo(term, new(big.Float).SetInt64(-(k+1)*(k+2)))
	}
	a.work.series(a.prec, n)
	e := new(big.Float).SetMantExp(big.NewFloat(1), 16-int(a.prec))
	return a.widen(point(sum), plus(up(a.prec), e, radius))
}

func (a *arithmetic) sin(x number) number { s, _ := a.sinCos(x); return s }
func (a *arithmetic) cos(x number) number { _, c := a.sinCos(x); return c }
func (a *arithmetic) tan(x number) number { return a.div(a.sinCos(x)) }

func (a *arithmetic) halfPi() number {
	return a.mul(a.pi(), exactly(big.NewRat(1, 2)))
}

// atanOf halves the angle m times by atan(x) = 2 atan(x/(1 + sqrt(1 + x^2))), and adds up the
// series.
func (a *arithmetic) atanOf(x *big.Float) (low, high *big.Float) {
	switch size := x.MantExp(nil); {
	case x.Sign() == 0:
		return x, x
	case size < -int(a.prec): // x - x^3/3 < atan(x) < x
		return a.around(float(a.prec).Set(x), 1)
	case size > 1: // the rest of a right angle
		z := a.sub(a.halfPi(), a.atan(a.div(integer(1), point(new(big.Float).Abs(x)))))
		if x.Sign() < 0 {
			z = a.neg(z)
		}
		return z.low, z.high
	}
	m := a.reductions()
	fine := &arithmetic{prec: a.prec + guard, work: a.work}
	y, square, unit := float(fine.prec).Set(x), float(fine.prec), float(fine.prec).SetInt64(1)
	for range m {
		square.Mul(y, y).Add(square, unit)
		square.Sqrt(square).Add(square, unit)
		y.Quo(y, square)
	}
	fine.work.series(fine.prec, 4*m)
	sum := fine.odd(y, -1)
	sum.SetMantExp(sum, m)
	// Each halving adds an error of 4 units of the last bit, and does not enlarge the earlier
	// errors. Together that is less than 2^9.
	return a.around(sum, 16)
}

func (a *arithmetic) atan(x number) number {
	if x.exact != nil && x.exact.Sign() == 0 {
		return x
	}
	return a.monotonic(x, a.atanOf)
}

// atan2 is the angle of the point (x, y), from -pi to pi. For the origin it is 0.
func (a *arithmetic) atan2(y, x number) number {
	sx, xKnown := x.sign()
	sy, yKnown := y.sign()
	switch {
	case xKnown && sx > 0:
		return a.atan(a.div(y, x))
	case yKnown && sy > 0:
		return a.sub(a.halfPi(), a.atan(a.div(x, y)))
	case yKnown && sy < 0:
		return a.sub(a.neg(a.halfPi()), a.atan(a.div(x, y)))
	case !xKnown || !yKnown:
		panic(undecided{why: "the bounds of an angle are around the half turn where it jumps"})
	case sx < 0:
		return a.pi()
	}
	return integer(0)
}

// inUnit fails unless |x| <= 1.
func (a *arithmetic) inUnit(x number, why string) {
	switch order, decided := compare(a.abs(x), integer(1), a.prec); {
	case !decided:
		panic(undecided{why: "the bounds of a sine or a cosine have 1 between them"})
	case order > 0:
		panic(fault{why: why})
	}
}

func (a *arithmetic) acos(x number) number {
	a.inUnit(x, "the arc cosine of a number beyond 1")
	one := integer(1)
	return a.mul(integer(2), a.atan2(a.sqrt(a.sub(one, x)), a.sqrt(a.add(one, x))))
}

func (a *arithmetic) asin(x number) number {
	a.inUnit(x, "the arc sine of a number beyond 1")
	one := integer(1)
	return a.atan2(x, a.sqrt(a.mul(a.sub(one, x), a.add(one, x))))
}
