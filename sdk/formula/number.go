package formula

import "math/big"

// number is a real number: exact, or between two bounds. Rational numbers stay exact while
// they are short, so that zeros and ties are decided. Rational multiples of powers of pi have
// bounds and their factor, so that pi cancels exactly.
type number struct {
	exact     *big.Rat // nil if only the bounds are known
	low, high *big.Float
	factor    *big.Rat // the number is factor*pi^power; nil if exact is not, and if this is not known
	power     int      // not 0 if there is a factor
}

const (
	// maxExactBits bounds the length of numerator and denominator of two exact operands
	// together.
	maxExactBits = 4608 // enough for sums of squares of the smallest binary64 numbers
	// maxPiPower bounds the powers of pi that are followed.
	maxPiPower = 64
	// maxExponent is the exponent of the largest bound. Then products and quotients of two
	// bounds are within the numbers of math/big, which have exponents of 32 bits.
	maxExponent = 1 << 29
)

func exactly(x *big.Rat) number { return number{exact: x} }

func integer(n int64) number { return exactly(new(big.Rat).SetInt64(n)) }

// point returns a number with equal bounds.
func point(x *big.Float) number { return number{low: x, high: x} }

// multiple returns the factor and the power of pi that x is. The factor is nil if they are not known.
func (x number) multiple() (factor *big.Rat, power int) {
	if x.exact != nil {
		return x.exact, 0
	}
	return x.factor, x.power
}

// pi returns pi, which is 1*pi^1.
func (a *arithmetic) pi() number { return pi.bounds(a).being(big.NewRat(1, 1), 1) }

// multipleOf returns an operation on the factors of two multiples of powers of pi, if it is short. The power of
// the result is given.
func (a *arithmetic) multipleOf(x, y number, power int, op func(z, x, y *big.Rat) *big.Rat) *big.Rat {
	p, _ := x.multiple()
	q, _ := y.multiple()
	if p == nil || q == nil || power < -maxPiPower || power > maxPiPower || bits(p)+bits(q) > maxExactBits {
		return nil
	}
	a.work.exact(bits(p) + bits(q))
	return op(new(big.Rat), p, q)
}

func bits(x *big.Rat) int { return x.Num().BitLen() + x.Denom().BitLen() }

// bounds returns the bounds of x, with a precision in bits if it is exact.
func (x number) bounds(prec uint) (low, high *big.Float) {
	if x.exact == nil {
		return x.low, x.high
	}
	return down(prec).SetRat(x.exact), up(prec).SetRat(x.exact)
}

func down(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf) }
func up(prec uint) *big.Float   { return new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf) }

// plus sets z to x + y, rounded as z is. math/big shifts by the difference of the exponents,
// which takes unlimited memory. If y is less than a quarter of every last bit here, plus uses
// another number of the same sign. It is nearer to x, and rounds the same.
func plus(z, x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return z.Add(x, y)
	}
	ex, ey := x.MantExp(nil), y.MantExp(nil)
	if ex < ey {
		x, y, ex, ey = y, x, ey, ex
	}
	if least := ex - int(max(z.Prec(), x.Prec())) - 4; ey < least {
		tiny := new(big.Float).SetMantExp(big.NewFloat(float64(y.Sign())), least)
		return z.Add(x, tiny)
	}
	return z.Add(x, y)
}

// sign returns the sign of x, if the bounds decide it.
func (x number) sign() (sign int, decided bool) {
	if x.exact != nil {
		return x.exact.Sign(), true
	}
	low, high := x.low.Sign(), x.high.Sign()
	return low, low == high
}

// compare returns the sign of x - y, if the bounds decide it.
func compare(x, y number, prec uint) (sign int, decided bool) {
	if x.exact != nil && y.exact != nil {
		return x.exact.Cmp(y.exact), true
	}
	if x.factor != nil && y.factor != nil && x.power == y.power {
		return x.factor.Cmp(y.factor), true
	}
	xl, xh := x.bounds(prec)
	yl, yh := y.bounds(prec)
	switch {
	case xh.Cmp(yl) < 0:
		return -1, true
	case xl.Cmp(yh) > 0:
		return 1, true
	}
	return 0, xl.Cmp(xh) == 0 && yl.Cmp(yh) == 0 // only then are all four equal
}

// arithmetic computes with a precision, in bits, if numbers are not exact.
type arithmetic struct {
	prec uint
	work *work
}

// between returns the number between two bounds. A bound that is too small is replaced by one
// between it and 0. A number that is too large is undecided.
func between(low, high *big.Float) number {
	least, most := low.MantExp(nil), high.MantExp(nil)
	switch {
	case least > maxExponent || most > maxExponent:
		panic(undecided{
			why:   "a number is beyond 2^536870912",
			final: least > maxExponent && low.Sign() > 0 || most > maxExponent && high.Sign() < 0,
		})
	case least < -maxExponent && low.Sign() > 0:
		low = new(big.Float)
	case least < -maxExponent:
		low = new(big.Float).SetMantExp(big.NewFloat(-1), -maxExponent)
	}
	switch {
	case most >= -maxExponent:
	case high.Sign() < 0:
		high = new(big.Float)
	default:
		high = new(big.Float).SetMantExp(big.NewFloat(1), -maxExponent)
	}
	return number{low: low, high: high}
}

// rounded returns x with the precision of a.
func (a *arithmetic) rounded(x number) number {
	low, high := x.bounds(a.prec)
	return between(down(a.prec).Set(low), up(a.prec).Set(high))
}

func (a *arithmetic) neg(x number) number {
	if x.exact != nil {
		return exactly(new(big.Rat).Neg(x.exact))
	}
	z := number{low: down(a.prec).Neg(x.high), high: up(a.prec).Neg(x.low)}
	if x.factor != nil {
		z.factor, z.power = new(big.Rat).Neg(x.factor), x.power
	}
	return z
}

// exact returns the exact result of an operation on two exact numbers, if it is short.
func (a *arithmetic) exact(x, y number, op func(z, x, y *big.Rat) *big.Rat) (number, bool) {
	if x.exact == nil || y.exact == nil {
		return number{}, false
	}
	n := bits(x.exact) + bits(y.exact)
	if n > maxExactBits {
		return number{}, false
	}
	a.work.exact(n)
	return exactly(op(new(big.Rat), x.exact, y.exact)), true
}

// operands returns the bounds of both operands of an operation.
func (a *arithmetic) operands(x, y number) (xl, xh, yl, yh *big.Float) {
	a.work.rounded(a.prec)
	xl, xh = x.bounds(a.prec)
	yl, yh = y.bounds(a.prec)
	return xl, xh, yl, yh
}

func (a *arithmetic) add(x, y number) number {
	if z, ok := a.exact(x, y, (*big.Rat).Add); ok {
		return z
	}
	xl, xh, yl, yh := a.operands(x, y)
	z := between(plus(down(a.prec), xl, yl), plus(up(a.prec), xh, yh))
	if x.factor != nil && y.factor != nil && x.power == y.power {
		return z.being(a.multipleOf(x, y, x.power, (*big.Rat).Add), x.power)
	}
	return z
}

// being returns x with the factor and the power of pi that it is, if a factor is given.
func (x number) being(factor *big.Rat, power int) number {
	if factor == nil {
		return x
	}
	if power == 0 || factor.Sign() == 0 {
		return exactly(factor)
	}
	x.factor, x.power = factor, power
	return x
}

func (a *arithmetic) sub(x, y number) number { return a.add(x, a.neg(y)) }

// isZero reports whether x is exactly 0. Then a product is 0, even if the other factor has bounds.
func (x number) isZero() bool { return x.exact != nil && x.exact.Sign() == 0 }

func (a *arithmetic) mul(x, y number) number {
	if z, ok := a.exact(x, y, (*big.Rat).Mul); ok {
		return z
	}
	if x.isZero() || y.isZero() {
		return integer(0)
	}
	power := x.power + y.power
	return a.boundsOfProduct(x, y).being(a.multipleOf(x, y, power, (*big.Rat).Mul), power)
}

func (a *arithmetic) boundsOfProduct(x, y number) number {
	xl, xh, yl, yh := a.operands(x, y)
	if xl.Sign() >= 0 && yl.Sign() >= 0 {
		return between(down(a.prec).Mul(xl, yl), up(a.prec).Mul(xh, yh))
	}
	var low, high *big.Float
	for _, x := range []*big.Float{xl, xh} {
		for _, y := range []*big.Float{yl, yh} {
			if z := down(a.prec).Mul(x, y); low == nil || z.Cmp(low) < 0 {
				low = z
			}
			if z := up(a.prec).Mul(x, y); high == nil || z.Cmp(high) > 0 {
				high = z
			}
		}
	}
	return between(low, high)
}

// div fails if y is zero, and is undecided if y may be zero.
func (a *arithmetic) div(x, y number) number {
	sign, decided := y.sign()
	switch {
	case !decided:
		panic(undecided{why: "the bounds of a divisor have 0 between them"})
	case sign == 0:
		panic(fault{why: "a division by zero"})
	}
	if z, ok := a.exact(x, y, (*big.Rat).Quo); ok {
		return z
	}
	if x.isZero() {
		return x
	}
	if sign < 0 {
		x, y = a.neg(x), a.neg(y)
	}
	power := x.power - y.power
	return a.boundsOfQuotient(x, y).being(a.multipleOf(x, y, power, (*big.Rat).Quo), power)
}

// boundsOfQuotient returns the bounds of x/y for a positive y.
func (a *arithmetic) boundsOfQuotient(x, y number) number {
	xl, xh, yl, yh := a.operands(x, y)
	least, most := yh, yl // the divisors for the least and the largest quotient, if x is positive
	if xl.Sign() < 0 {
		least = yl
	}
	if xh.Sign() < 0 {
		most = yh
	}
	return between(down(a.prec).Quo(xl, least), up(a.prec).Quo(xh, most))
}

// monotonic returns the bounds of an increasing function, from its values at the bounds of x.
func (a *arithmetic) monotonic(x number, f func(*big.Float) (low, high *big.Float)) number {
	xl, xh := x.bounds(a.prec)
	low, high := f(xl)
	if xl.Cmp(xh) != 0 {
		_, high = f(xh)
	}
	return between(low, high)
}

func (a *arithmetic) sqrt(x number) number {
	if x.exact != nil && x.exact.Sign() >= 0 {
		if root, ok := a.exactRoot(x.exact); ok {
			return exactly(root)
		}
	}
	low, high := x.bounds(a.prec)
	switch {
	case high.Sign() < 0:
		panic(fault{why: "the square root of a negative number"})
	case low.Sign() < 0:
		panic(undecided{why: "the bounds of a number under a root have 0 between them"})
	}
	return a.monotonic(number{low: low, high: high}, a.root)
}

// exactRoot returns the root of x if it is rational, so that it can be compared exactly.
func (a *arithmetic) exactRoot(x *big.Rat) (*big.Rat, bool) {
	a.work.exact(bits(x))
	num, den := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
	if new(big.Int).Mul(num, num).Cmp(x.Num()) != 0 || new(big.Int).Mul(den, den).Cmp(x.Denom()) != 0 {
		return nil, false
	}
	return new(big.Rat).SetFrac(num, den), true
}

// root returns the square root of one number, not negative. math/big rounds it to one of the
// two nearest numbers; four bits are enough for that.
func (a *arithmetic) root(x *big.Float) (low, high *big.Float) {
	a.work.series(a.prec, 4)
	return a.around(new(big.Float).SetPrec(a.prec+8).Sqrt(x), 4)
}

// around returns bounds for a number that differs from y by at most 2^bits units of its last
// bit.
func (a *arithmetic) around(y *big.Float, bits int) (low, high *big.Float) {
	if y.Sign() == 0 {
		return y, y
	}
	e := new(big.Float).SetMantExp(big.NewFloat(1), y.MantExp(nil)+bits-int(y.Prec()))
	return down(a.prec).Sub(y, e), up(a.prec).Add(y, e)
}

// widen returns x with an error of e on both sides.
func (a *arithmetic) widen(x number, e *big.Float) number {
	low, high := x.bounds(a.prec)
	return between(plus(down(a.prec), low, new(big.Float).Neg(e)), plus(up(a.prec), high, e))
}

// least returns the smaller of two numbers for the sign 1, the larger for -1.
func (a *arithmetic) least(x, y number, sign int) number {
	a.work.exact(64)
	if order, decided := compare(x, y, a.prec); decided {
		if order*sign <= 0 {
			return x
		}
		return y
	}
	xl, xh, yl, yh := a.operands(x, y)
	if xl.Cmp(yl)*sign > 0 {
		xl = yl
	}
	if xh.Cmp(yh)*sign > 0 {
		xh = yh
	}
	return number{low: xl, high: xh}
}

func (a *arithmetic) abs(x number) number {
	sign, decided := x.sign()
	switch {
	case decided && sign >= 0 || x.exact == nil && x.low.Sign() == 0:
		return x
	case decided || x.high.Sign() == 0:
		return a.neg(x)
	}
	low, high := up(a.prec).Neg(x.low), x.high
	if low.Cmp(high) > 0 {
		high = low
	}
	return number{low: new(big.Float), high: high}
}
