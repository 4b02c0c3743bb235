// Package doubled computes with numbers of twice the precision of binary64, each with a proved
// bound of its error. Use it to round a formula correctly, much faster than with exact fractions.
// Start with [Of] or [OfRat], compute with the methods of [Ball], and end with [Ball.Round]. Round
// reports whether the bound decides the nearest binary64.
//
// A number that cannot be used further is unknown, and so is each result that it leads to. The
// caller then computes the number exactly, in a slower way. No operation allocates memory.
package doubled

import "math"

// Ball is a real number: it is within the error of hi + lo. The zero value is 0. These hold for each Ball:
//
//	(1) hi is hi + lo rounded to binary64, so |lo| <= u|hi|;
//	(2) the number is within 2 err of hi + lo;
//	(3) err is 0 for an exact number, or at least u^2 |hi| and at least 2^-1000;
//	(4) an unknown number is NaN, and an absent number has a negative err.
//
// u is 2^-53, the rounding error of binary64. The operations compute err itself with rounding errors of a few u, and
// take hi for hi + lo in it. The factor 2 in (2) has space for 2^45 of them.
//
// Factors, divisors and radicands are between 2^-500 and 2^500 or 0, and others give unknown numbers. So products
// and their errors are exact in binary64 to the last bit that counts, and no err underflows. By induction an exact
// number has bits from 2^499 to 2^-660 only. A rational of these bits is exact in the exact evaluator too.
//
// Products are converted explicitly before they are added, so that no compiler fuses them.
type Ball struct{ hi, lo, err float64 }

const (
	u2        = 0x1p-106 // u^2
	least     = 0x1p-500
	greatest  = 0x1p500
	underflow = 0x1p-1000
)

// Unknown is a number that is not known.
var Unknown = Ball{math.NaN(), math.NaN(), math.NaN()}

// None is an absent number.
var None = Ball{err: -1}

// inRange reports whether the magnitude of f is at least least and below greatest.
func inRange(f float64) bool {
	const from, to = 1023 - 500, 1023 + 500 // as binary64 writes exponents
	return math.Float64bits(f)>>52&0x7ff-from < to-from
}

// Of returns the value of f. It is unknown beyond the range.
func Of(f float64) Ball {
	if f == 0 || inRange(f) {
		return Ball{hi: f + 0}
	}
	return Unknown
}

// OfInt returns the value of i.
func OfInt(i int64) Ball {
	if uint64(i)+1<<53 <= 1<<54 {
		return Ball{hi: float64(i)}
	}
	high, low := i>>32, i&math.MaxUint32 // each a binary64
	hi, lo := twoSum(float64(float64(high)*0x1p32), float64(low))
	return Ball{hi: hi, lo: lo}
}

// IsKnown reports whether a is a number or absent.
func (a Ball) IsKnown() bool { return a.err == a.err }

// IsNone reports whether a is absent.
func (a Ball) IsNone() bool { return a.err < 0 }

// IsZero reports whether a is exactly 0.
func (a Ball) IsZero() bool { return a.hi == 0 && a.err == 0 }

// Parts returns the two numbers of a and its bound: a is within bound of hi + lo.
func (a Ball) Parts() (hi, lo, bound float64) { return a.hi, a.lo, 2 * a.err }

// Float returns a binary64 number near a.
func (a Ball) Float() float64 { return a.hi }

// Near returns the number of these parts.
func Near(hi, lo, bound float64) Ball {
	hi, lo = twoSum(hi, lo)
	return bounded(hi, lo, bound+float64(u2*math.Abs(hi)))
}

// Integer returns a as an integer, if it is exactly one below 2^53.
func (a Ball) Integer() (int64, bool) {
	if a.err != 0 || a.lo != 0 || !(math.Abs(a.hi) < 1<<53) {
		return 0, false
	}
	i := int64(a.hi)
	return i, float64(i) == a.hi
}

// bounded returns the number of these parts, unless it is too large or not known. The err is not 0.
func bounded(hi, lo, err float64) Ball {
	if math.Abs(hi) < greatest && err < greatest {
		return Ball{hi, lo, float64(err) + underflow}
	}
	return Unknown
}

// Widen returns a with an additional error.
func (a Ball) Widen(err float64) Ball {
	return bounded(a.hi, a.lo, a.err+err+float64(u2*math.Abs(a.hi)))
}

// Neg returns -a.
func (a Ball) Neg() Ball { return Ball{0 - a.hi, 0 - a.lo, a.err} }

// Sub returns a - b.
func (a Ball) Sub(b Ball) Ball { return a.Add(Ball{-b.hi, -b.lo, b.err}) }

// twoSum returns a + b as its rounded value and the error of that (Knuth, The Art of Computer Programming, 4.2.2).
func twoSum(a, b float64) (s, e float64) {
	a, b = float64(a), float64(b) // products that are rounded, also where the call is inlined
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// fastTwoSum is twoSum for |a| >= |b| (Dekker 1971).
func fastTwoSum(a, b float64) (s, e float64) {
	s = a + b
	return s, b - (s - a)
}

// Add returns a + b. It is algorithm 6 of Joldes, Muller and Popescu (Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic, ACM TOMS 44(2), 2017). They prove an error of less than 3u^2/(1 - 4u)
// of the sum, also if the terms cancel.
func (a Ball) Add(b Ball) Ball {
	s, e := twoSum(a.hi, b.hi)
	t, f := twoSum(a.lo, b.lo)
	if a.err == 0 && b.err == 0 {
		return addExact(s, e, t, f)
	}
	v, w := fastTwoSum(s, e+t)
	hi, lo := fastTwoSum(v, f+w)
	return bounded(hi, lo, a.err+b.err+float64(4*u2*math.Abs(hi)))
}

// addExact returns s + e + t + f, which is exact if two numbers can hold it: hi + lo is all of it but f and g.
func addExact(s, e, t, f float64) Ball {
	w, g := twoSum(e, t)
	hi, lo := twoSum(s, w)
	if f == 0 && g == 0 && math.Abs(hi) < greatest {
		return Ball{hi: hi, lo: lo}
	}
	return bounded(hi, lo, math.Abs(f)+math.Abs(g)+float64(u2*math.Abs(hi)))
}

// Mul returns a b.
//
// With P = |a.hi b.hi|, p + e is a.hi b.hi exactly. The sum d is a.hi b.lo + a.lo b.hi, with |d| < 2.01uP. These are
// the errors relative to P:
//
//	a.lo b.lo, which is left out:    1     u^2
//	rounding of c:                   1     u^2
//	rounding of d:                   2.01  u^2
//	rounding of e + d:               3.02  u^2
//
// Underflow adds far less. The sum is less than 7.1u^2.
func (a Ball) Mul(b Ball) Ball {
	p := float64(a.hi * b.hi)
	if !inRange(p) || !inRange(a.hi) || !inRange(b.hi) {
		return a.mulZero(b)
	}
	e := math.FMA(a.hi, b.hi, -p)
	if a.err == 0 && b.err == 0 {
		if a.lo == 0 && b.lo == 0 {
			return Ball{hi: p, lo: e}
		}
		if product, ok := exactProduct(p, e, a, b); ok {
			return product
		}
	}
	c := float64(a.hi * b.lo)
	d := math.FMA(a.lo, b.hi, c)
	hi, lo := fastTwoSum(p, e+d)
	inherited := float64(math.Abs(a.hi)*b.err) + float64(math.Abs(b.hi)*a.err) + float64(2*a.err*b.err)
	return bounded(hi, lo, inherited+float64(8*u2*math.Abs(p)))
}

// mulZero returns a b where a factor or the product is 0 or out of range. A factor of 0 makes the product 0, also
// in the exact evaluator. A factor near 0 is only an error.
func (a Ball) mulZero(b Ball) Ball {
	switch {
	case !a.IsKnown() || !b.IsKnown():
		return Unknown
	case a.IsZero() || b.IsZero():
		return Ball{}
	case a.hi != 0 && b.hi != 0:
		return Unknown
	}
	return bounded(0, 0, float64(math.Abs(a.hi)*b.err)+float64(math.Abs(b.hi)*a.err)+float64(2*a.err*b.err))
}

// exactProduct returns a b if two numbers can hold it and a or b is a single number. The sum p + e is a.hi b.hi.
func exactProduct(p, e float64, a, b Ball) (Ball, bool) {
	if a.lo == 0 {
		a, b = b, a
	}
	c := float64(a.lo * b.hi)
	f := math.FMA(a.lo, b.hi, -c)
	w, g := twoSum(e, c)
	if b.lo != 0 || f != 0 || g != 0 || !inRange(c) {
		return Ball{}, false
	}
	hi, lo := fastTwoSum(p, w)
	return Ball{hi: hi, lo: lo}, true
}

// AddProducts returns a b + c d. If the factors are exact, and the products cancel to the last bits of two numbers, it
// adds the parts of the products without rounding. So the sign is known, also of a sum that is 0.
func AddProducts(a, b, c, d Ball) Ball {
	sum := a.Mul(b).Add(c.Mul(d))
	if a.err != 0 || b.err != 0 || c.err != 0 || d.err != 0 || !(math.Abs(sum.hi) <= 2*sum.err) || sum.IsZero() {
		return sum
	}
	var e expansion
	if !e.add(a, b) {
		return sum
	}
	if n := c.Neg(); a == n && b == d || a == d && b == n {
		return Ball{}
	}
	if !e.add(c, d) {
		return sum
	}
	return e.ball()
}

// expansion is the exact sum of some numbers, in parts (Shewchuk, Adaptive precision floating-point arithmetic, 1997).
type expansion struct {
	parts [16]float64 // the parts of two products of balls
	n     int
}

// add adds a b. It is false if a part of the product is out of range.
func (e *expansion) add(a, b Ball) bool {
	for _, x := range [2]float64{a.hi, a.lo} {
		for _, y := range [2]float64{b.hi, b.lo} {
			if x == 0 || y == 0 {
				continue
			}
			p := float64(x * y)
			if !inRange(p) {
				return false
			}
			e.grow(math.FMA(x, y, -p))
			e.grow(p)
		}
	}
	return true
}

// grow adds f.
func (e *expansion) grow(f float64) {
	n := 0
	for _, part := range e.parts[:e.n] {
		var rest float64
		f, rest = twoSum(f, part)
		if rest != 0 {
			e.parts[n] = rest
			n++
		}
	}
	if f != 0 {
		e.parts[n] = f
		n++
	}
	e.n = n
}

// ball returns the sum, which is exact if two numbers can hold it.
func (e *expansion) ball() Ball {
	var hi, lo, left float64
	for i := e.n - 1; i >= 0; i-- {
		var rest float64
		hi, rest = twoSum(hi, e.parts[i])
		lo, rest = twoSum(lo, rest)
		left += math.Abs(rest)
	}
	hi, lo = twoSum(hi, lo)
	if left == 0 && (hi == 0 || inRange(hi)) {
		return Ball{hi: hi, lo: lo}
	}
	return bounded(hi, lo, left+float64(u2*math.Abs(hi)))
}

// Div returns a/b. It is unknown if b may be 0.
//
// With A = |a.hi|, the remainder a.hi - q b.hi is r exactly, and |r| <= 1.01uA. Then d is a.lo - q b.lo with
// |d| < 2.02uA, and w = r + d is a - q b with |w| < 3.05uA. These are the errors relative to q:
//
//	rounding of d:                   2.02  u^2
//	rounding of w:                   3.05  u^2
//	rounding of c = w/b.hi:          3.06  u^2
//	difference of c and w/b:         3.06  u^2
//
// The sum is less than 11.3u^2.
//
// An error of x in a and of y in b is one of (x + |a/b| y)/(|b| - y) in the quotient.
func (a Ball) Div(b Ball) Ball {
	divisor := math.Abs(b.hi)
	if !inRange(b.hi) || !(4*b.err < divisor) {
		return Unknown
	}
	q := a.hi / b.hi
	if !inRange(q) || !inRange(a.hi) {
		return a.divZero(b)
	}
	r := math.FMA(-q, b.hi, a.hi)
	if a.err == 0 && b.err == 0 && b.lo == 0 {
		if quotient, ok := exactQuotient(q, r, a, b.hi); ok {
			return quotient
		}
	}
	d := math.FMA(-q, b.lo, a.lo)
	c := (r + d) / b.hi
	hi, lo := fastTwoSum(q, c)
	err := float64(12 * u2 * math.Abs(q))
	if a.err != 0 || b.err != 0 {
		err += (a.err + float64(math.Abs(q)*b.err)) / (divisor - 2*b.err)
	}
	return bounded(hi, lo, err)
}

// divZero returns a/b where a or the quotient is 0 or out of range.
func (a Ball) divZero(b Ball) Ball {
	switch {
	case !a.IsKnown() || a.hi != 0:
		return Unknown
	case a.err == 0:
		return Ball{}
	}
	return bounded(0, 0, a.err/(math.Abs(b.hi)-2*b.err))
}

// exactQuotient returns a/b, where r is a.hi - q b, if two numbers can hold it.
func exactQuotient(q, r float64, a Ball, b float64) (Ball, bool) {
	w, g := twoSum(r, a.lo)
	c := w / b
	if g != 0 || w != 0 && (!inRange(w) || !inRange(c) || math.FMA(-c, b, w) != 0) {
		return Ball{}, false
	}
	hi, lo := fastTwoSum(q, c)
	return Ball{hi: hi, lo: lo}, true
}

// Pow returns a to the power n, and 1 for n = 0.
func (a Ball) Pow(n int) Ball {
	switch {
	case !a.IsKnown():
		return Unknown
	case n < 0:
		return Ball{hi: 1}.Div(a.Pow(-n))
	case n == 0:
		return Ball{hi: 1}
	}
	for n&1 == 0 {
		a = a.Mul(a)
		n >>= 1
	}
	result := a
	for n >>= 1; n > 0; n >>= 1 {
		a = a.Mul(a)
		if n&1 == 1 {
			result = result.Mul(a)
		}
	}
	return result
}

// Sqrt returns the square root of a. It is unknown if a may be negative.
//
// With s the rounded root of hi, hi - s^2 is r exactly, and sqrt(hi + lo) = s sqrt(1 + y) for y = (r + lo)/s^2,
// |y| < 3.01u. The series 1 + y/2 leaves out y^2/8 < 1.2u^2. Rounding w is 1.51u^2 s, and rounding c is as much.
// An error of x in a is one of less than x/sqrt(a) in the root.
func (a Ball) Sqrt() Ball {
	if a.IsZero() {
		return a
	}
	if !(a.hi > 4*a.err) || !inRange(a.hi) {
		return Unknown
	}
	s := math.Sqrt(a.hi)
	w := math.FMA(-s, s, a.hi) + a.lo
	if w == 0 && a.err == 0 {
		return Ball{hi: s} // the remainder is exactly -lo, and s^2 is a
	}
	hi, lo := fastTwoSum(s, w/(2*s))
	return bounded(hi, lo, a.err/s+float64(5*u2*s))
}

// Hypot returns the square root of a^2 + b^2. It changes by no more than both changes of a and b.
func Hypot(a, b Ball) Ball {
	switch {
	case !a.IsKnown() || !b.IsKnown():
		return Unknown
	case a.IsZero():
		return b.Abs()
	case b.IsZero():
		return a.Abs()
	}
	root := AddProducts(a, a, b, b).Sqrt()
	if root.IsKnown() || a.err == 0 && b.err == 0 {
		return root
	}
	root = Hypot(a.Exactly(), b.Exactly())
	return root.Widen(a.err + b.err)
}

// Abs returns the magnitude of a.
func (a Ball) Abs() Ball {
	if a.hi < 0 {
		a = a.Neg()
	}
	return a // if a may be negative, its magnitude is as near to hi + lo as a is
}

// Min returns the smaller of a and b.
func (a Ball) Min(b Ball) Ball { return a.Neg().Max(b.Neg()).Neg() }

// Max returns the larger of a and b. If the bounds do not decide it, the larger one is within the bounds of both.
func (a Ball) Max(b Ball) Ball {
	d := a.Sub(b)
	sign, known := d.Sign()
	switch {
	case a == b || known && sign >= 0:
		return a
	case known:
		return b
	case !a.IsKnown() || !b.IsKnown():
		return Unknown
	}
	return a.Widen(2*math.Abs(d.hi) + 2*d.err + b.err) // the distance of b from a is less
}

// Sign returns the sign of a, and whether it is known.
func (a Ball) Sign() (sign int, known bool) {
	switch {
	case a.hi > 2*a.err:
		return 1, true
	case a.hi < -2*a.err:
		return -1, true
	}
	return 0, a.IsZero()
}

// Round returns the binary64 number nearest to a, and whether it is known. If both ends of an interval that holds
// the number round to one binary64, so does the number. The bound is twice err. The third err covers the rounding of lo
// and margin, which is little more than u|lo| <= u^2 |hi|.
func (a Ball) Round() (f float64, known bool) {
	if a.err == 0 {
		return a.hi + 0, true
	}
	margin := float64(3 * a.err)
	low, high := a.hi+(a.lo-margin), a.hi+(a.lo+margin)
	return low + 0, low == high
}

// Order returns the sign of a - b, and whether it is known.
func (a Ball) Order(b Ball) (order int, known bool) { return a.Sub(b).Sign() }

// OrderRounded returns the sign of the difference of a and b after both are rounded to 53 bits, and whether it is
// known. Numbers that differ by more than 2^-51 of the larger one are different after it.
func (a Ball) OrderRounded(b Ball) (order int, known bool) {
	d := a.hi - b.hi
	if apart := float64(0x1p-50*max(math.Abs(a.hi), math.Abs(b.hi))) + float64(4*(a.err+b.err)); d > apart {
		return 1, true
	} else if d < -apart {
		return -1, true
	}
	x, ok := a.Round()
	y, ok2 := b.Round()
	switch {
	case !ok || !ok2:
		return 0, false
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, x == y
}

// Exactly returns the number hi + lo, without an error.
func (a Ball) Exactly() Ball { return Ball{a.hi, a.lo, a.err - a.err} }
