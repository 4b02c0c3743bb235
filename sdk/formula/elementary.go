package formula

import (
	"math"
	"math/big"
	"sync"
)

// The functions of this file return bounds that are proven: each says how large its error can
// be, and computes with so many bits more that the bounds are a few units of the last bit apart.

// guard is how many bits more than asked for a series is computed with. Each of its terms, of
// which there are less than 2^16, is off by less than one unit of the last bit.
const guard = 32

// constant is a number whose bits are computed once.
type constant struct {
	mu    sync.Mutex
	prec  uint
	value *big.Float
	sum   func(scale *big.Int) *big.Int // the constant times scale, less than 2^16 off
}

// bounds returns bounds of the constant.
func (c *constant) bounds(a *arithmetic) number {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prec < a.prec {
		c.prec = a.prec
		scale := new(big.Int).Lsh(big.NewInt(1), c.prec+guard)
		c.value = new(big.Float).SetPrec(c.prec + guard).SetInt(c.sum(scale))
		c.value.SetMantExp(c.value, -int(c.prec+guard))
	}
	a.work.rounded(a.prec)
	low, high := a.around(c.value, guard/2+4)
	return number{low: low, high: high}
}

// pi is 16 atan(1/5) - 4 atan(1/239), ln2 is 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749).
var (
	pi = constant{sum: func(scale *big.Int) *big.Int {
		return series(scale, -1, [2]int64{16, 5}, [2]int64{-4, 239})
	}}
	ln2 = constant{sum: func(scale *big.Int) *big.Int {
		return series(scale, 1, [2]int64{18, 26}, [2]int64{-2, 4801}, [2]int64{8, 8749})
	}}
)

// series returns scale times the sum of c*atanh(1/n), or with alternating signs of c*atan(1/n).
func series(scale *big.Int, sign int64, parts ...[2]int64) *big.Int {
	total := new(big.Int)
	for _, part := range parts {
		n := big.NewInt(part[1])
		square, power, term := new(big.Int).Mul(n, n), new(big.Int).Quo(scale, n), new(big.Int)
		sum := new(big.Int)
		for k, s := int64(1), int64(1); power.Sign() != 0; k, s = k+2, s*sign {
			term.Quo(power, big.NewInt(s*k))
			sum.Add(sum, term)
			power.Quo(power, square)
		}
		total.Add(total, sum.Mul(sum, big.NewInt(part[0])))
	}
	return total
}

// exp of one number. It halves it m times, adds up the series, and squares m times, which
// doubles the relative error each time.
func (a *arithmetic) expOf(x *big.Float) (low, high *big.Float) {
	if x.Sign() == 0 {
		return big.NewFloat(1), big.NewFloat(1)
	}
	size := x.MantExp(nil) // |x| < 2^size
	if size > 30 {
		if x.Sign() > 0 {
			panic(fault("a number beyond e^(2^30)"))
		}
		return new(big.Float), new(big.Float).SetMantExp(big.NewFloat(1), -1<<30)
	}
	m := int(math.Sqrt(float64(a.prec)))/2 + max(0, size)
	prec := a.prec + uint(2*m) + guard
	a.work.series(prec, int(prec)/max(1, m-max(0, size))+m)
	r := new(big.Float).SetPrec(prec).SetMantExp(x, -m)
	sum, term := one(prec), one(prec)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > -int(prec); k++ {
		term.Mul(term, r).Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	for range m {
		sum.Mul(sum, sum)
	}
	return a.around(sum, 2*m+guard-4)
}

func one(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetInt64(1) }

func (a *arithmetic) exp(x number) number {
	if x.exact != nil && x.exact.Sign() == 0 {
		return integer(1)
	}
	return a.monotonic(x, a.expOf)
}

// lnOf is ln(f) + k ln(2), with f between 3/4 and 3/2.
func (a *arithmetic) lnOf(x *big.Float) (low, high *big.Float) {
	f := new(big.Float)
	k := x.MantExp(f)
	if f.Cmp(big.NewFloat(0.75)) < 0 {
		f.SetMantExp(f, 1)
		k--
	}
	z := a.lnNearOne(f)
	if k != 0 {
		z = a.add(z, a.mul(integer(int64(k)), ln2.bounds(a)))
	}
	return z.low, z.high
}

// lnNearOne improves y by y + 2 (f - e^y)/(f + e^y) until it has so many bits. For the last one
// the rest ln(f/e^y) is known by its bounds: it is less than 2 |f/e^y - 1|.
func (a *arithmetic) lnNearOne(f *big.Float) number {
	near, _ := f.Float64()
	y := big.NewFloat(math.Log(near))
	if y.Sign() == 0 {
		d := new(big.Float).SetPrec(a.prec).Sub(f, big.NewFloat(1))
		if d.Sign() == 0 {
			return number{low: new(big.Float), high: new(big.Float)}
		}
		y = d
	}
	for prec := uint(100); ; prec = min(3*prec, a.prec) {
		fine := &arithmetic{prec: prec + guard, work: a.work}
		e := fine.monotonic(number{low: y, high: y}, fine.expOf)
		x := number{low: f, high: f}
		step := fine.div(fine.sub(x, e), fine.add(x, e))
		better := fine.add(number{low: y, high: y}, fine.add(step, step))
		if prec >= a.prec {
			d := fine.sub(fine.div(x, e), integer(1))
			rest := fine.abs(d).high
			// atanh(s) is within s^3 of s, and s, half of the step, is less than rest.
			cube := up(fine.prec).Mul(rest, up(fine.prec).Mul(rest, rest))
			return a.rounded(fine.widen(better, cube))
		}
		y = better.low
	}
}

// rounded returns x with the precision of a.
func (a *arithmetic) rounded(x number) number {
	return number{low: down(a.prec).Set(x.low), high: up(a.prec).Set(x.high)}
}

func (a *arithmetic) ln(x number) number {
	a.positive(x, "the logarithm of a number that is not positive")
	if x.exact != nil && x.exact.Num().IsInt64() && x.exact.Num().Int64() == 1 && x.exact.IsInt() {
		return integer(0)
	}
	return a.monotonic(x, a.lnOf)
}

// positive fails unless x is positive.
func (a *arithmetic) positive(x number, why string) {
	sign, decided := x.sign()
	switch {
	case decided && sign <= 0 || !decided && x.high.Sign() <= 0:
		panic(fault(why))
	case !decided:
		panic(undecided{})
	}
}

func (a *arithmetic) log10(x number) number {
	return a.div(a.ln(x), a.ln(integer(10)))
}

// sinCos returns both, of the middle of x, with its radius as a further error.
func (a *arithmetic) sinCos(x number) (sin, cos number) {
	if x.exact != nil && x.exact.Sign() == 0 {
		return integer(0), integer(1)
	}
	low, high := x.bounds(a.prec)
	size := max(low.MantExp(nil), high.MantExp(nil), 0)
	if size > 1<<12 {
		panic(undecided{})
	}
	fine := &arithmetic{prec: a.prec + uint(size) + guard, work: a.work}
	// x is turns*pi/2 + r, with |r| below 2.
	half := fine.mul(pi.bounds(fine), exactly(big.NewRat(1, 2)))
	turns, _ := new(big.Float).SetPrec(fine.prec).Quo(low, half.low).Int(nil)
	r := fine.sub(x, fine.mul(exactly(new(big.Rat).SetInt(turns)), half))
	middle := new(big.Float).SetPrec(fine.prec).Add(r.low, r.high)
	middle.SetMantExp(middle, -1)
	radius := up(fine.prec).Sub(r.high, r.low)
	if radius.Cmp(big.NewFloat(1)) > 0 {
		panic(undecided{})
	}
	s, c := fine.sinSeries(middle, radius, 1), fine.sinSeries(middle, radius, 0)
	switch quarter := new(big.Int).And(turns, big.NewInt(3)).Int64(); quarter {
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
// at most 2, so that no term is larger than 2.
func (a *arithmetic) sinSeries(r, radius *big.Float, from int64) number {
	term, sum := one(a.prec), new(big.Float).SetPrec(a.prec)
	if from == 1 {
		term.Set(r)
	}
	square := new(big.Float).SetPrec(a.prec).Mul(r, r)
	n := 0
	for k := from; term.Sign() != 0 && term.MantExp(nil) > -int(a.prec); k, n = k+2, n+1 {
		sum.Add(sum, term)
		term.Mul(term, square).Quo(term, new(big.Float).SetInt64(-(k+1)*(k+2)))
	}
	a.work.series(a.prec, n)
	e := up(a.prec).SetMantExp(big.NewFloat(1), guard/2-int(a.prec))
	return a.widen(number{low: sum, high: sum}, e.Add(e, radius))
}

// atanOf halves the angle m times by atan(x) = 2 atan(x/(1 + sqrt(1 + x^2))).
func (a *arithmetic) atanOf(x *big.Float) (low, high *big.Float) {
	if x.Sign() == 0 {
		return x, x
	}
	m := int(math.Sqrt(float64(a.prec)))/2 + 2
	fine := &arithmetic{prec: a.prec + uint(m) + guard, work: a.work}
	y := new(big.Float).SetPrec(fine.prec).Set(x)
	unit := one(fine.prec)
	square := new(big.Float).SetPrec(fine.prec)
	for range m {
		square.Mul(y, y).Add(square, unit)
		square.Sqrt(square).Add(square, unit)
		y.Quo(y, square)
	}
	sum, power := new(big.Float).SetPrec(fine.prec).Set(y), new(big.Float).SetPrec(fine.prec).Set(y)
	square.Mul(y, y).Neg(square)
	n := 0
	for k := int64(3); power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-int(fine.prec); k, n = k+2, n+1 {
		power.Mul(power, square)
		sum.Add(sum, new(big.Float).SetPrec(fine.prec).Quo(power, new(big.Float).SetInt64(k)))
	}
	a.work.series(fine.prec, n+4*m)
	sum.SetMantExp(sum, m)
	// Each halving is off by less than 4 units of the last bit, and each term by 2.
	return a.around(sum, guard-4)
}

func (a *arithmetic) atan(x number) number {
	if x.exact != nil && x.exact.Sign() == 0 {
		return integer(0)
	}
	return a.monotonic(x, a.atanOf)
}

// atan2 is the angle of the point (x, y), from -pi to pi. That of the origin is 0.
func (a *arithmetic) atan2(y, x number) number {
	sx, xKnown := x.sign()
	sy, yKnown := y.sign()
	half := a.mul(pi.bounds(a), exactly(big.NewRat(1, 2)))
	switch {
	case xKnown && sx > 0:
		return a.atan(a.div(y, x))
	case yKnown && sy > 0:
		return a.sub(half, a.atan(a.div(x, y)))
	case yKnown && sy < 0:
		return a.sub(a.neg(half), a.atan(a.div(x, y)))
	case !xKnown || !yKnown:
		panic(undecided{})
	case sx < 0:
		return pi.bounds(a)
	}
	return integer(0)
}

// within fails unless |x| <= 1.
func (a *arithmetic) within(x number, why string) {
	one := integer(1)
	order, decided := compare(a.abs(x), one, a.prec)
	switch {
	case decided && order > 0:
		panic(fault(why))
	case !decided:
		panic(undecided{})
	}
}

func (a *arithmetic) acos(x number) number {
	a.within(x, "the arc cosine of a number beyond 1")
	one := integer(1)
	return a.mul(integer(2), a.atan2(a.sqrt(a.sub(one, x)), a.sqrt(a.add(one, x))))
}

func (a *arithmetic) asin(x number) number {
	a.within(x, "the arc sine of a number beyond 1")
	one := integer(1)
	return a.atan2(x, a.sqrt(a.mul(a.sub(one, x), a.add(one, x))))
}

// hyperbolic returns (e^x + sign e^-x)/2.
func (a *arithmetic) hyperbolic(x number, sign int64) number {
	grown := a.exp(x)
	sum := a.add(grown, a.mul(integer(sign), a.div(integer(1), grown)))
	return a.mul(sum, exactly(big.NewRat(1, 2)))
}

func (a *arithmetic) tanh(x number) number {
	grown := a.exp(a.mul(integer(2), x))
	one := integer(1)
	return a.div(a.sub(grown, one), a.add(grown, one))
}
