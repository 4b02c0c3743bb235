package formula

import "math/big"

// maxPower is the largest integer exponent.
const maxPower = 1 << 30

// power returns x^y. 0^0 is 1. For halves such as 1.5 it is the power of a root, which can be
// exact.
func (a *arithmetic) power(x, y number) number {
	if n, half, ok := halves(y); ok {
		if half {
			x = a.sqrt(x)
		}
		return a.integerPower(x, n)
	}
	sign, decided := x.sign()
	toward, known := y.sign()
	switch {
	case decided && sign < 0 && y.exact != nil && !y.exact.IsInt():
		panic(fault{why: "a power of a negative number, with an exponent that is not an integer"})
	case !decided || !known:
		panic(undecided{why: "the bounds of a base or an exponent have 0 between them"})
	case sign < 0:
		panic(undecided{why: "a power of a negative number, with an exponent that is possibly not an integer"})
	case sign == 0 && toward < 0:
		panic(fault{why: "a division by zero: 0 to a negative power"})
	case sign == 0:
		return integer(0)
	}
	return a.exp(a.mul(y, a.ln(x)))
}

// halves returns n for an exponent n, and for an exponent n/2 with half, if n is not too
// large.
func halves(y number) (n int64, half, ok bool) {
	if y.exact == nil || !y.exact.Num().IsInt64() || !y.exact.Denom().IsInt64() || y.exact.Denom().Int64() > 2 {
		return 0, false, false
	}
	n = y.exact.Num().Int64()
	return n, !y.exact.IsInt(), -maxPower <= n && n <= maxPower
}

// integerPower multiplies.
func (a *arithmetic) integerPower(x number, n int64) number {
	if n < 0 {
		return a.div(integer(1), a.integerPower(x, -n))
	}
	result := integer(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			result = a.mul(result, x)
		}
		if n > 1 {
			x = a.square(x)
		}
	}
	return result
}

// square returns x*x, which is not negative. The product of two different numbers with these
// bounds can be negative.
func (a *arithmetic) square(x number) number {
	x = a.abs(x)
	if z, ok := a.exact(x, x, (*big.Rat).Mul); ok {
		return z
	}
	low, high, _, _ := a.operands(x, x)
	z := between(down(a.prec).Mul(low, low), up(a.prec).Mul(high, high))
	return z.being(a.multipleOf(x, x, 2*x.power, (*big.Rat).Mul), 2*x.power)
}
