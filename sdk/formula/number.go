package formula

import "math/big"

// number is a real number: exact, or between two bounds. Rational numbers stay exact as long
// as they are short, so that zeros and ties are decided.
type number struct {
	exact     *big.Rat // nil if only the bounds are known
	low, high *big.Float
}

// maxExactBits is how long numerator and denominator of an exact number may be together.
const maxExactBits = 4096

func exactly(x *big.Rat) number { return number{exact: x} }

func integer(n int64) number { return exactly(big.NewRat(n, 1)) }

func bits(x *big.Rat) int { return x.Num().BitLen() + x.Denom().BitLen() }

// bounds returns the bounds of x with a precision in bits.
func (x number) bounds(prec uint) (low, high *big.Float) {
	if x.exact == nil {
		return x.low, x.high
	}
	return down(prec).SetRat(x.exact), up(prec).SetRat(x.exact)
}

func down(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf) }
func up(prec uint) *big.Float   { return new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf) }

// sign returns the sign of x, if the bounds decide it.
func (x number) sign() (sign int, decided bool) {
	if x.exact != nil {
		return x.exact.Sign(), true
	}
	low, high := x.low.Sign(), x.high.Sign()
	return low, low == high && (low != 0 || x.low.Cmp(x.high) == 0)
}

// compare returns the sign of x - y, if the bounds decide it.
func compare(x, y number, prec uint) (sign int, decided bool) {
	if x.exact != nil && y.exact != nil {
		return x.exact.Cmp(y.exact), true
	}
	xl, xh := x.bounds(prec)
	yl, yh := y.bounds(prec)
	switch {
	case xh.Cmp(yl) < 0:
		return -1, true
	case xl.Cmp(yh) > 0:
		return 1, true
	}
	return 0, xl.Cmp(xh) == 0 && yl.Cmp(yh) == 0 // all four are equal then
}

// arithmetic computes with a precision, in bits, where numbers are not exact.
type arithmetic struct {
	prec uint
	work *work
}

func (a *arithmetic) neg(x number) number {
	if x.exact != nil {
		return exactly(new(big.Rat).Neg(x.exact))
	}
	return number{low: down(a.prec).Neg(x.high), high: up(a.prec).Neg(x.low)}
}

// exact returns the exact result of an operation on two exact numbers, if it is short.
func (a *arithmetic) exact(x, y number, op func(z, x, y *big.Rat) *big.Rat) (number, bool) {
	if x.exact == nil || y.exact == nil || bits(x.exact)+bits(y.exact) > maxExactBits {
		return number{}, false
	}
	a.work.exact(bits(x.exact) + bits(y.exact))
	return exactly(op(new(big.Rat), x.exact, y.exact)), true
}

func (a *arithmetic) add(x, y number) number {
	if z, ok := a.exact(x, y, (*big.Rat).Add); ok {
		return z
	}
	a.work.rounded(a.prec)
	xl, xh := x.bounds(a.prec)
	yl, yh := y.bounds(a.prec)
	return number{low: down(a.prec).Add(xl, yl), high: up(a.prec).Add(xh, yh)}
}

func (a *arithmetic) sub(x, y number) number { return a.add(x, a.neg(y)) }

func (a *arithmetic) mul(x, y number) number {
	if z, ok := a.exact(x, y, (*big.Rat).Mul); ok {
		return z
	}
	a.work.rounded(a.prec)
	xl, xh := x.bounds(a.prec)
	yl, yh := y.bounds(a.prec)
	return a.corners(xl, xh, yl, yh, (*big.Float).Mul)
}

// div fails where y is zero, and cannot tell where it may be.
func (a *arithmetic) div(x, y number) number {
	sign, decided := y.sign()
	switch {
	case !decided:
		panic(undecided{})
	case sign == 0:
		panic(fault("a division by zero"))
	}
	if z, ok := a.exact(x, y, (*big.Rat).Quo); ok {
		return z
	}
	a.work.rounded(a.prec)
	xl, xh := x.bounds(a.prec)
	yl, yh := y.bounds(a.prec)
	return a.corners(xl, xh, yl, yh, (*big.Float).Quo)
}

// corners returns the bounds of an operation that is monotonic in both operands.
func (a *arithmetic) corners(xl, xh, yl, yh *big.Float, op func(z, x, y *big.Float) *big.Float) number {
	var z number
	for _, x := range []*big.Float{xl, xh} {
		for _, y := range []*big.Float{yl, yh} {
			if low := op(down(a.prec), x, y); z.low == nil || low.Cmp(z.low) < 0 {
				z.low = low
			}
			if high := op(up(a.prec), x, y); z.high == nil || high.Cmp(z.high) > 0 {
				z.high = high
			}
		}
	}
	return a.finite(z)
}

// finite fails if a bound is beyond the numbers that math/big has, 2^(2^31).
func (a *arithmetic) finite(z number) number {
	if z.low.IsInf() || z.high.IsInf() {
		panic(fault("a number beyond 2^2147483646"))
	}
	return z
}

// monotonic returns the bounds of an increasing function, by those at the bounds of x.
func (a *arithmetic) monotonic(x number, f func(*big.Float) (low, high *big.Float)) number {
	xl, xh := x.bounds(a.prec)
	low, high := f(xl)
	if xl.Cmp(xh) != 0 {
		_, high = f(xh)
	}
	return a.finite(number{low: low, high: high})
}

func (a *arithmetic) sqrt(x number) number {
	sign, decided := x.sign()
	switch {
	case !decided:
		if x.high.Sign() < 0 {
			panic(fault("the square root of a negative number"))
		}
		panic(undecided{})
	case sign < 0:
		panic(fault("the square root of a negative number"))
	case sign == 0:
		return integer(0)
	}
	if x.exact != nil {
		if root, ok := exactRoot(x.exact); ok {
			return exactly(root)
		}
	}
	a.work.rounded(2 * a.prec)
	return a.monotonic(x, a.root)
}

// exactRoot returns the root of x if it is rational, so that it can be compared with others.
func exactRoot(x *big.Rat) (*big.Rat, bool) {
	num, den := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
	if new(big.Int).Mul(num, num).Cmp(x.Num()) != 0 || new(big.Int).Mul(den, den).Cmp(x.Denom()) != 0 {
		return nil, false
	}
	return new(big.Rat).SetFrac(num, den), true
}

// root is the square root of one positive number. math/big does not say in which direction it
// rounds a root, so that a bit is left on both sides.
func (a *arithmetic) root(x *big.Float) (low, high *big.Float) {
	y := new(big.Float).SetPrec(a.prec + 8).Sqrt(x)
	return a.around(y, 4)
}

// around returns the bounds of y with a relative error of at most 2^(ulps-bits) of y, where
// bits is the precision of y.
func (a *arithmetic) around(y *big.Float, ulps int) (low, high *big.Float) {
	if y.Sign() == 0 {
		return y, y
	}
	e := new(big.Float).SetMantExp(big.NewFloat(1), y.MantExp(nil)+ulps-int(y.Prec()))
	return down(a.prec).Sub(y, e), up(a.prec).Add(y, e)
}

// widen returns x with an error of e on both sides.
func (a *arithmetic) widen(x number, e *big.Float) number {
	low, high := x.bounds(a.prec)
	return number{low: down(a.prec).Sub(low, e), high: up(a.prec).Add(high, e)}
}

// power returns x^y.
func (a *arithmetic) power(x, y number) number {
	if y.exact != nil && y.exact.IsInt() && y.exact.Num().IsInt64() {
		if n := y.exact.Num().Int64(); -maxPower <= n && n <= maxPower {
			return a.integerPower(x, n)
		}
	}
	sign, decided := x.sign()
	toward, known := y.sign()
	switch {
	case !decided || !known:
		panic(undecided{})
	case sign < 0:
		panic(fault("a power of a negative number, with an exponent that is no integer"))
	case sign == 0 && toward > 0:
		return integer(0)
	case sign == 0:
		panic(fault("a division by zero: 0 to a negative power"))
	}
	return a.exp(a.mul(y, a.ln(x)))
}

// maxPower is the largest integer exponent.
const maxPower = 1 << 30

// integerPower multiplies. 0^0 is 1.
func (a *arithmetic) integerPower(x number, n int64) number {
	if n < 0 {
		return a.div(integer(1), a.integerPower(x, -n))
	}
	if sign, decided := x.sign(); n%2 == 0 && (!decided || sign < 0) {
		x = a.abs(x) // bounds of either sign would be those of the product of different numbers
	}
	result := integer(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			result = a.mul(result, x)
		}
		if n > 1 {
			x = a.mul(x, x)
		}
	}
	return result
}

func (a *arithmetic) abs(x number) number {
	sign, decided := x.sign()
	switch {
	case decided && sign >= 0:
		return x
	case decided:
		return a.neg(x)
	}
	low, high := up(a.prec).Neg(x.low), x.high
	if low.Cmp(high) > 0 {
		high = low
	}
	return number{low: new(big.Float).SetPrec(a.prec), high: high}
}

func (a *arithmetic) least(x, y number, sign int) number {
	if order, decided := compare(x, y, a.prec); decided {
		if order*sign <= 0 {
			return x
		}
		return y
	}
	xl, xh := x.bounds(a.prec)
	yl, yh := y.bounds(a.prec)
	if sign > 0 {
		return number{low: lesser(xl, yl), high: lesser(xh, yh)}
	}
	return number{low: greater(xl, yl), high: greater(xh, yh)}
}

func lesser(x, y *big.Float) *big.Float {
	if x.Cmp(y) <= 0 {
		return x
	}
	return y
}

func greater(x, y *big.Float) *big.Float {
	if x.Cmp(y) >= 0 {
		return x
	}
	return y
}
