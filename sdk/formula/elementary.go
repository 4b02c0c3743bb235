package formula

import (
	"math"
	"math/big"
	"sync"
)

// The functions of this file return proven bounds. Each comment states the largest error of
// the result, in units of the last bit. The functions compute with enough additional bits that
// the bounds are close.
//
// Sums have less than 2^12 terms: each term gives at least two bits, and the precision is at
// most 20,480 bits.

// guard is the number of additional bits in a computation.
const guard = 32

// constant is a number with bits that are computed once for each of a few precisions. Earlier
// requests do not change the result, so verdicts are always the same.
type constant struct {
	mu     sync.Mutex
	values map[uint]*big.Float
	sum    func(scale *big.Int) *big.Int // the constant times scale, with an error of less than 2^18
}

// bounds returns bounds of the constant.
func (c *constant) bounds(a *arithmetic) number {
	prec := uint(320)
	for prec < a.prec {
		prec *= 2
	}
	a.work.rounded(a.prec)
	low, high := a.around(c.value(prec), 18)
	return number{low: low, high: high}
}

// value returns the constant with a precision. The constant is more than 1/2, so a unit of the
// sum is at most one of the last bit.
func (c *constant) value(prec uint) *big.Float {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.values[prec]
	if v == nil {
		v = new(big.Float).SetPrec(prec + guard).SetInt(c.sum(new(big.Int).Lsh(big.NewInt(1), prec+guard)))
		v.SetMantExp(v, -int(prec+guard))
		if c.values == nil {
			c.values = map[uint]*big.Float{}
		}
		c.values[prec] = v
	}
	return v
}

// pi is 16 atan(1/5) - 4 atan(1/239), ln2 is 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749).
var (
	pi = constant{sum: func(scale *big.Int) *big.Int {
		return machin(scale, -1, [2]int64{16, 5}, [2]int64{-4, 239})
	}}
	ln2 = constant{sum: func(scale *big.Int) *big.Int {
		return machin(scale, 1, [2]int64{18, 26}, [2]int64{-2, 4801}, [2]int64{8, 8749}) // J. C. Adams
	}}
)

// machin returns scale times the sum of c*atanh(1/n), or with alternating signs of
// c*atan(1/n). Each power has an error of less than 1.1, each term of less than 2.1, and the
// omitted terms of less than 1. There are at most 4,500 terms, for 16 atan(1/5), so the whole
// error is less than 2^18.
func machin(scale *big.Int, sign int64, parts ...[2]int64) *big.Int {
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

func float(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }

// reductions returns how often an argument is made smaller, so that a series has few terms.
func (a *arithmetic) reductions() int { return int(math.Sqrt(float64(a.prec)))/2 + 2 }

// maxExponential is the exponent of the largest argument of exp.
const maxExponential = 28

// expOf computes exp of one number. It halves the number m times, adds up the series, and
// squares m times.
func (a *arithmetic) expOf(x *big.Float) (low, high *big.Float) {
	size := x.MantExp(nil) // |x| < 2^size
	switch {
	case x.Sign() == 0:
		return float(a.prec).SetInt64(1), float(a.prec).SetInt64(1)
	case size > maxExponential && x.Sign() > 0:
		huge := new(big.Float).SetMantExp(big.NewFloat(1), 2*maxExponent)
		return huge, huge
	case size > maxExponential:
		return new(big.Float), new(big.Float).SetMantExp(big.NewFloat(1), -maxExponent)
	case size < -int(a.prec): // |e^x - 1| < 2 |x|
		return a.around(float(a.prec).SetInt64(1), 1)
	}
	m := a.reductions() + max(0, size)
	prec := a.prec + uint(m) + guard
	r := float(prec).SetMantExp(x, -m)
	sum, term := float(prec).SetInt64(1), float(prec).SetInt64(1)
	k := int64(1)
	for ; term.MantExp(nil) > -int(prec); k++ {
		term.Mul(term, r).Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	a.work.series(prec, int(k)+m)
	for range m {
		sum.Mul(sum, sum)
	}
	// The terms and the omitted terms have errors of 8 units together, and each sum adds 1
	// unit. That is less than 2^14 for a sum of more than 1/2. Each square doubles the error,
	// and adds 1 unit.
	return a.around(sum, m+16)
}

func (a *arithmetic) exp(x number) number {
	if x.exact != nil && x.exact.Sign() == 0 {
		return integer(1)
	}
	return a.monotonic(x, a.expOf)
}

// lnOf computes ln(f) + k ln(2), with f between 3/4 and 3/2.
func (a *arithmetic) lnOf(x *big.Float) (low, high *big.Float) {
	f := new(big.Float)
	k := x.MantExp(f)
	if f.Cmp(big.NewFloat(0.75)) < 0 {
		f.SetMantExp(f, 1)
		k--
	}
	low, high = a.lnNearOne(f)
	if k == 0 {
		return low, high
	}
	z := a.add(number{low: low, high: high}, a.mul(integer(int64(k)), ln2.bounds(a)))
	return z.low, z.high
}

// lnNearOne takes roots of f until they are near 1: ln(f) is 2^n ln(y) for the nth, which is
// 2^(n+1) atanh((y - 1)/(y + 1)).
func (a *arithmetic) lnNearOne(f *big.Float) (low, high *big.Float) {
	m := a.reductions()
	fine := &arithmetic{prec: max(a.prec, f.Prec()) + uint(m) + guard, work: a.work}
	unit := float(fine.prec).SetInt64(1)
	y := float(fine.prec).Set(f)
	d := float(fine.prec).Sub(y, unit)
	n := 0
	for ; d.Sign() != 0 && d.MantExp(nil) > -m; n++ {
		y.Sqrt(y)
		d.Sub(y, unit)
	}
	fine.work.series(fine.prec, 4*n+4)
	sum := fine.odd(d.Quo(d, y.Add(y, unit)), 1)
	sum.SetMantExp(sum, n+1)
	// Roots halve the error, so y has an error of at most 2 units. d is at least 2^-(m+2), and
	// has an error of at most 2^(m+4). Without a root, d is exact up to its last bit.
	return a.around(sum, m+16)
}

// odd returns y + sign y^3/3 + y^5/5 + ..., which is atanh(y), or atan(y) for the sign -1. Its
// error is less than 2^13 units of its last bit, if |y| < 1/2.
func (a *arithmetic) odd(y *big.Float, sign int64) *big.Float {
	sum, power, square := float(a.prec).Set(y), float(a.prec).Set(y), float(a.prec).Mul(y, y)
	term := float(a.prec)
	if sign < 0 {
		square.Neg(square)
	}
	k := int64(1)
	for y.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-int(a.prec) {
		k += 2
		power.Mul(power, square)
		if power.MantExp(nil) < sum.MantExp(nil)-2*int(a.prec) {
			break // the term changes nothing, and shifting it would be expensive
		}
		sum.Add(sum, term.Quo(power, new(big.Float).SetInt64(k)))
	}
	a.work.series(a.prec, int(k))
	return sum
}

func (a *arithmetic) ln(x number) number {
	if x.exact != nil && x.exact.IsInt() && x.exact.Num().IsInt64() && x.exact.Num().Int64() == 1 {
		return integer(0)
	}
	low, high := x.bounds(a.prec)
	switch {
	case high.Sign() < 0 || x.exact != nil && x.exact.Sign() == 0:
		panic(fault{why: "the logarithm of a number that is not positive"})
	case low.Sign() <= 0:
		panic(undecided{why: "the bounds of a number in a logarithm have 0 between them"})
	}
	return a.monotonic(x, a.lnOf)
}

func (a *arithmetic) log10(x number) number {
	return a.div(a.ln(x), a.ln(integer(10)))
}

// sinh and cosh are (e^x - e^-x)/2 and (e^x + e^-x)/2.
func (a *arithmetic) sinh(x number) number { return a.hyperbolic(x, -1) }
func (a *arithmetic) cosh(x number) number { return a.hyperbolic(x, 1) }

func (a *arithmetic) hyperbolic(x number, sign int64) number {
	sum := a.add(a.exp(x), a.mul(integer(sign), a.exp(a.neg(x))))
	return a.mul(sum, exactly(big.NewRat(1, 2)))
}

// tanh is (1 - e^-2x)/(1 + e^-2x), which is never too large for x > 0.
func (a *arithmetic) tanh(x number) number {
	if x.exact != nil && x.exact.Sign() == 0 {
		return x
	}
	return a.monotonic(x, func(x *big.Float) (low, high *big.Float) {
		small := a.exp(a.mul(integer(-2), point(new(big.Float).Abs(x))))
		z := a.div(a.sub(integer(1), small), a.add(integer(1), small))
		if x.Sign() < 0 {
			z = a.neg(z)
		}
		return z.bounds(a.prec)
	})
}
