// Package exact computes with dyadic rationals, the numbers m * 2^e with integers m and
// e. Use it to test a formula, or where all bits of a result must be right. [Of] makes a
// [Num] of a binary64. Sums and products of these numbers are such numbers again, so a
// formula of sums and products is evaluated without any rounding. A division is the last
// step: a result is a quotient of two Nums. It is rounded to binary64 once, correctly, to
// nearest with ties to even.
//
// So the result of an engine does not depend on the compiler, the processor or the
// order of evaluation. Any exact method must agree with it to the last bit. Package
// adaptive is faster where a bound decides the rounding.
package exact

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// Num is a dyadic rational. It is immutable; the zero value is 0.
type Num struct {
	m *big.Int // odd; nil for zero
	e int
}

// Of returns the value of f, which must be finite.
func Of(f float64) Num {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		panic(fmt.Sprintf("exact: %v is not a number to compute with", f))
	}
	m, e := split(f)
	if m == 0 {
		return Num{}
	}
	return Num{big.NewInt(m), e}
}

// split returns the odd m and the e with f = m * 2^e, and 0, 0 for zero. f must be finite.
func split(f float64) (m int64, e int) {
	fraction, e := math.Frexp(f)
	if m = int64(fraction * (1 << 53)); m == 0 {
		return 0, 0
	}
	z := bits.TrailingZeros64(uint64(m))
	return m >> z, e - 53 + z
}

// Int returns i.
func Int(i int64) Num {
	if -small <= i && i <= small {
		return ints[i+small]
	}
	return canonical(big.NewInt(i), 0)
}

// ints are the coefficients that formulas are written with, made once.
const small = 128

var ints = func() (nums [2*small + 1]Num) {
	for i := range nums {
		nums[i] = canonical(big.NewInt(int64(i-small)), 0)
	}
	return nums
}()

// canonical takes over m.
func canonical(m *big.Int, e int) Num {
	if m.Sign() == 0 {
		return Num{}
	}
	if z := m.TrailingZeroBits(); z > 0 {
		m.Rsh(m, z)
		e += int(z)
	}
	return Num{m, e}
}

// Add returns x + y.
func (x Num) Add(y Num) Num {
	switch {
	case x.m == nil:
		return y
	case y.m == nil:
		return x
	case x.e < y.e:
		x, y = y, x
	}
	sum := new(big.Int).Lsh(x.m, uint(x.e-y.e))
	return canonical(sum.Add(sum, y.m), y.e)
}

// Sub returns x - y.
func (x Num) Sub(y Num) Num {
	switch {
	case x.m == nil:
		return y.Neg()
	case y.m == nil:
		return x
	case x.e < y.e:
		difference := new(big.Int).Lsh(y.m, uint(y.e-x.e))
		return canonical(difference.Sub(x.m, difference), x.e)
	}
	difference := new(big.Int).Lsh(x.m, uint(x.e-y.e))
	return canonical(difference.Sub(difference, y.m), y.e)
}

// Neg returns -x.
func (x Num) Neg() Num {
	if x.m == nil {
		return x
	}
	return Num{new(big.Int).Neg(x.m), x.e}
}

// Abs returns the magnitude of x.
func (x Num) Abs() Num {
	if x.Sign() < 0 {
		return x.Neg()
	}
	return x
}

// Mul returns the product of x and all ys.
func (x Num) Mul(ys ...Num) Num {
	for _, y := range ys {
		switch {
		case x.m == nil || y.m == nil:
			return Num{}
		case y.isPowerOfTwo():
			x = Num{x.m, x.e + y.e}
		case x.isPowerOfTwo():
			x = Num{y.m, x.e + y.e}
		default:
			x = Num{new(big.Int).Mul(x.m, y.m), x.e + y.e}
		}
	}
	return x
}

func (x Num) isPowerOfTwo() bool { return x.m.BitLen() == 1 && x.m.Sign() > 0 }

// Pow returns x to the power n, which must not be negative.
func (x Num) Pow(n int) Num {
	if n < 0 {
		panic("exact: a negative power divides: use Quo")
	}
	result := Int(1)
	for n > 0 {
		if n&1 == 1 {
			result = result.Mul(x)
		}
		if n >>= 1; n > 0 {
			x = x.Mul(x)
		}
	}
	return result
}

// Sign returns -1, 0 or 1.
func (x Num) Sign() int {
	if x.m == nil {
		return 0
	}
	return x.m.Sign()
}

// Cmp returns -1, 0 or 1 as x is less than, equal to or greater than y.
func (x Num) Cmp(y Num) int { return x.Sub(y).Sign() }

// Quo returns n/d rounded to binary64, infinite beyond its range. Zero is never
// negative. It panics if d is zero.
func Quo(n, d Num) float64 {
	if d.m == nil {
		panic("exact: division by zero")
	}
	if n.m == nil {
		return 0
	}
	q, e, inexact := quotient(n, d)
	return round(q.Uint64(), e, inexact, n.Sign()*d.Sign() < 0)
}

// quotient returns q of 63 or 64 bits and e with q <= |n/d| / 2^e < q+1,
// and whether q is not all of it. Digits of n that cannot matter are not divided.
func quotient(n, d Num) (q *big.Int, e int, inexact bool) {
	const width = 64
	shift := width - 1 + d.m.BitLen() - n.m.BitLen()
	q = new(big.Int).Abs(n.m)
	if shift >= 0 {
		q.Lsh(q, uint(shift))
	} else {
		q.Rsh(q, uint(-shift))
		inexact = true // n.m is odd, so some bit was lost
	}
	divisor := d.m
	if divisor.Sign() < 0 {
		divisor = new(big.Int).Neg(divisor)
	}
	_, rest := q.QuoRem(q, divisor, new(big.Int))
	return q, n.e - d.e - shift, inexact || rest.Sign() != 0
}

// round returns (m + r) * 2^e, or its negative, rounded to nearest, ties to even. m
// has at least 55 bits; r is 0, or something between 0 and 1 if inexact.
func round(m uint64, e int, inexact, negative bool) float64 {
	if inexact {
		m |= 1 // the last bit is far below any tie, so it can stand for r
	}
	ulp := max(e+bits.Len64(m)-53, -1074) // exponent of the last bit that stays
	lost := uint(ulp - e)
	if lost > 64 {
		return 0
	}
	kept, half := uint64(0), uint64(1)<<(lost-1)
	if lost < 64 {
		kept = m >> lost
	}
	rest := m - kept<<lost
	if rest > half || rest == half && kept&1 == 1 {
		kept++
	}
	f := math.Ldexp(float64(kept), ulp)
	if negative && f != 0 {
		return -f
	}
	return f
}
