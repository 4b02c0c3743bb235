// Package doubled computes with numbers of twice the precision of binary64, each with a
// proved bound of its error.
//
// A result whose bound is too wide to be of use is unknown, and so is all that is computed
// from it. Callers have a slower way for those.
//
// Nothing here allocates memory, and no result depends on the compiler or the processor.
package doubled

import "math"

// Num is a number. It is immutable; the zero value is 0.
type Num struct {
	// The value is hi + lo, where hi is hi + lo rounded, with an error of at most
	// rel*|hi|. A rel of 0 says that it has none.
	hi, lo, rel float64

	scale int // a power of two that all of it is multiplied by; see scale.go
}

// The arithmetic, and why its bounds hold.
//
// u = 2^-53 is the unit roundoff of binary64: an operation whose true result is v
// gives v(1+d) with |d| <= u, or in the subnormal range v+h with |h| <= 2^-1075, and
// sums have no h. Products are converted explicitly wherever they are added, so that
// no compiler may fuse them.
//
// Every Num here keeps four things:
//
//	(1) hi is hi + lo rounded, so |lo| <= u|hi|, and hi = 0 only with lo = 0;
//	(2) the value v has |v - (hi + lo)| <= rel |hi|;
//	(3) rel is 0, or at least 2^-106 = u^2 and at most 2^-30;
//	(4) if rel is not 0, then |hi| lies in [2^-900, 2^1000);
//	(5) scale is 0, but for values beyond that range.
//
// What cannot keep them is unknown: all NaN, which every comparison refuses. By (3)
// and (4) bounds never underflow, and hi has the sign of v.
//
// Bounds are themselves computed with rounding, and neglect products of bounds. Each
// operation may so make them too small by a factor of 1 + 2^-28, and 2^27 operations
// by less than 2. The decisions allow for that.
//
// The algorithms are known: TwoSum of Knuth (The Art of Computer Programming, vol. 2,
// 4.2.2) and Fast2Sum of Dekker (1971) give a rounded sum and its error, both exactly.
// The sum is Algorithm 5 of Joldes, Muller and Popescu (Tight and rigorous error bounds
// for basic building blocks of double-word arithmetic, ACM TOMS 44(2), 2017), which
// has no relative bound where signs differ. The product is their Algorithm 11, for
// which they prove 6u^2, and Muller and Rideau (ACM TOMS 48(1), 2022, Theorem 2.7)
// 5u^2. The coarser bounds here are proved in place; since a result needs 53 of 106
// bits, nothing is gained by better ones.
const (
	unit     = 0x1p-106 // u^2
	least    = 0x1p-900 // of |hi|
	greatest = 0x1p1000 // of |hi|
	wide     = 0x1p-90  // rel from which it is worth weighing
	useless  = 0x1p-30  // rel beyond which a number is unknown
)

// Unknown is a number of which nothing is known.
var Unknown = Num{hi: math.NaN(), lo: math.NaN(), rel: math.NaN()}

// inRange reports whether the magnitude of f is at least least and below greatest. The
// error of a product in range is a binary64, without underflow, and so is the remainder
// of a division in which dividend and quotient are in range.
func inRange(f float64) bool {
	const from, to = 1023 - 900, 1023 + 1000 // as binary64 writes exponents
	return math.Float64bits(f)>>52&0x7ff-from < to-from
}

// approximate returns the number of these parts, if it keeps (3) and (4).
func approximate(hi, lo, rel float64) Num {
	if rel <= useless && inRange(hi) {
		return Num{hi: hi, lo: lo, rel: rel}
	}
	return Unknown
}

// Widen returns a with a bound that is wider by rel, which is at least 2^-106. It is for
// what a series leaves out.
func (a Num) Widen(rel float64) Num {
	if !inRange(a.hi) {
		a = a.wide()
	}
	widened := approximate(a.hi, a.lo, a.rel+rel)
	widened.scale = a.scale
	return widened
}

func (a Num) isKnown() bool { return a.rel == a.rel }

// IsZero reports whether a is known to be zero.
func (a Num) IsZero() bool { return a.hi == 0 && a.rel == 0 }

// Of returns the value of f. What is computed from one that is not finite is unknown.
func Of(f float64) Num { return Num{hi: f} }

// Parts returns what is known of the value: it lies within rel*|hi| 2^scale of
// (hi + lo) 2^scale. The first three are NaN if nothing is known.
func (a Num) Parts() (hi, lo, rel float64, scale int) { return a.hi, a.lo, a.rel, a.scale }

// Exact returns the value as a sum of two numbers, and whether it has no error.
func (a Num) Exact() (hi, lo float64, ok bool) { return a.hi, a.lo, a.rel == 0 && a.scale == 0 }

// Neg returns -a.
func (a Num) Neg() Num { return Num{hi: -a.hi, lo: -a.lo, rel: a.rel, scale: a.scale} }

// Abs returns the magnitude of a.
func (a Num) Abs() Num {
	if a.hi < 0 { // so is the value: its error is far smaller than hi
		return a.Neg()
	}
	return a
}

// Sub returns a - b.
func (a Num) Sub(b Num) Num { return a.Add(b.Neg()) }

// twoSum returns a + b as its rounded value and the error of that. Both are exact, or
// overflow makes e NaN.
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// fastTwoSum is twoSum for |a| >= |b|.
func fastTwoSum(a, b float64) (s, e float64) {
	s = a + b
	return s, b - (s - a)
}

// Add returns a + b.
//
// Where both have one sign, with t for a.lo + b.lo, |t| <= 1.01u|s| and |w| <= 2.02u|s|.
// What is lost is their rounding, less than 3.1u^2 |s|, and |hi| is more than (1-3u)|s|.
// Relative to a + b, which do not cancel, the bounds of a and b do not grow. A wide bound,
// which may be that of the smaller one, is weighed as where they cancel.
func (a Num) Add(b Num) Num {
	s, e := twoSum(a.hi, b.hi)
	if !(math.Abs(s) < greatest) || a.scale|b.scale != 0 {
		return a.addScaled(b)
	}
	if a.rel == 0 && b.rel == 0 && a.lo == 0 && b.lo == 0 {
		return Num{hi: s, lo: e}
	}
	if rel := max(a.rel, b.rel); 0 < rel && rel < wide && (a.hi < 0) == (b.hi < 0) {
		w := e + (a.lo + b.lo)
		hi, lo := fastTwoSum(s, w)
		return approximate(hi, lo, rel+4*unit)
	}
	return addTracking(a, b, s, e)
}

// addTracking returns a + b, where s + e is a.hi + b.hi, and tracks what is lost: with t, f
// and w, g each a rounded sum and its error too, a.hi + a.lo + b.hi + b.lo is s + w + f +
// g exactly, and hi + lo is s + w. If nothing is lost, as with short inputs and whole
// numbers, the sum has no error.
func addTracking(a, b Num, s, e float64) Num {
	t, f := twoSum(a.lo, b.lo)
	w, g := twoSum(e, t)
	hi, lo := twoSum(s, w)
	if a.rel == 0 && b.rel == 0 && f == 0 && g == 0 && math.Abs(hi) < greatest {
		return Num{hi: hi, lo: lo}
	}
	lost := math.Abs(f) + math.Abs(g)
	inherited := float64(math.Abs(a.hi)*a.rel) + float64(math.Abs(b.hi)*b.rel)
	return approximate(hi, lo, (inherited+lost)/math.Abs(hi)+unit)
}

// Mul returns a*b.
//
// With P = |a.hi b.hi|, p + e is a.hi b.hi exactly, and d stands for
// a.hi b.lo + a.lo b.hi with |d| < 2.01uP. What is lost is a.lo b.lo, u^2 P; the
// rounding of c, u^2 P; of d, 2.01u^2 P; of w, 3.02u^2 P; and in the subnormal range
// 2 times 2^-1075, which is 2^-174 P at most. That is less than 7.1u^2 P, and |hi| is
// more than (1-5u)P.
func (a Num) Mul(b Num) Num {
	p := float64(a.hi * b.hi)
	if !inRange(p) || a.scale|b.scale != 0 {
		return a.mulScaled(b)
	}
	e := math.FMA(a.hi, b.hi, -p)
	if a.rel == 0 && b.rel == 0 {
		if a.lo == 0 && b.lo == 0 {
			return Num{hi: p, lo: e}
		}
		if product, ok := exactProduct(p, e, a, b); ok {
			return product
		}
	}
	c := float64(a.hi * b.lo)
	d := math.FMA(a.lo, b.hi, c)
	hi, lo := fastTwoSum(p, e+d)
	return approximate(hi, lo, a.rel+b.rel+8*unit)
}

// exactProduct returns a*b, where p + e is a.hi b.hi, if two numbers can hold it and one
// of a and b is a single number: short inputs and whole factors give such products.
func exactProduct(p, e float64, a, b Num) (Num, bool) {
	if a.lo == 0 {
		a, b = b, a
	}
	c := float64(a.lo * b.hi)
	f := math.FMA(a.lo, b.hi, -c)
	w, g := twoSum(e, c)
	if b.lo != 0 || f != 0 || g != 0 || !inRange(c) {
		return Num{}, false
	}
	hi, lo := fastTwoSum(p, w)
	return Num{hi: hi, lo: lo}, true
}

// Div returns a/b. It panics if b is zero.
//
// With A = |a.hi|, the remainder a.hi - q b.hi is r exactly, |r| <= 1.01uA, d stands for
// a.lo - q b.lo with |d| < 2.02uA, and w for a - q b with |w| < 3.05uA. What is lost is the
// rounding of d, 2.02u^2 A; of w, 3.05u^2 A; of c = w/b.hi, 3.06u^2 |q|; and since that is
// not w/b, 3.06u^2 |q|. That is less than 11.3u^2 |q|, underflow included, and |hi| is
// more than (1-5u)|q|.
func (a Num) Div(b Num) Num {
	if b.IsZero() {
		panic("doubled: division by zero")
	}
	q := a.hi / b.hi
	if !inRange(q) || !inRange(a.hi) || a.scale|b.scale != 0 {
		return a.divScaled(b)
	}
	r := math.FMA(-q, b.hi, a.hi)
	if a.rel == 0 && b.rel == 0 && b.lo == 0 {
		if quotient, ok := exactQuotient(q, r, a, b.hi); ok {
			return quotient
		}
	}
	d := math.FMA(-q, b.lo, a.lo)
	w := r + d
	c := w / b.hi
	hi, lo := fastTwoSum(q, c)
	return approximate(hi, lo, a.rel+b.rel+12*unit)
}

// exactQuotient returns a/b, where r is a.hi - q b, if two numbers can hold it.
func exactQuotient(q, r float64, a Num, b float64) (Num, bool) {
	w, g := twoSum(r, a.lo)
	c := w / b
	if g != 0 || w != 0 && (!inRange(w) || !inRange(c) || math.FMA(-c, b, w) != 0) {
		return Num{}, false
	}
	hi, lo := fastTwoSum(q, c)
	return Num{hi: hi, lo: lo}, true
}

// Pow returns a to the power k, which must not be negative.
func (a Num) Pow(k int) Num {
	if k == 0 {
		return Num{hi: 1}
	}
	for k&1 == 0 {
		a = a.Mul(a)
		k >>= 1
	}
	result := a
	for k >>= 1; k > 0; k >>= 1 {
		if a = a.Mul(a); k&1 == 1 {
			result = result.Mul(a)
		}
	}
	return result
}

// Sqrt returns the square root of a, which is unknown if a is negative.
//
// With s the rounded root of hi, hi - s^2 is r exactly, and
// sqrt(hi + lo) = s sqrt(1 + y) for y = (r + lo)/s^2, |y| < 3.01u. The series 1 + y/2
// is cut there at the cost of y^2/8 < 1.2u^2; the rounding of w costs 1.51u^2 s, that
// of c as much. An error of a is halved by the root.
func (a Num) Sqrt() Num {
	if a.IsZero() {
		return a
	}
	if a.hi < 0 {
		return Unknown
	}
	if !inRange(a.hi) || a.scale != 0 {
		return a.sqrtScaled()
	}
	s := math.Sqrt(a.hi)
	r := math.FMA(-s, s, a.hi)
	w := r + a.lo
	if w == 0 && a.rel == 0 {
		return Num{hi: s} // r is exactly -lo, and s^2 is a
	}
	c := w / (2 * s)
	hi, lo := fastTwoSum(s, c)
	return approximate(hi, lo, a.rel+5*unit)
}

// Round returns the binary64 nearest to a, and whether it is known. If both ends of an
// interval that holds the value round to one number, so does the value. Of the three
// times rel, up to two stand for the bound and one for the rounding of lo and margin,
// which is little more than u|lo| <= u^2 |hi|.
func (a Num) Round() (f float64, ok bool) {
	if a.scale != 0 {
		return a.roundScaled()
	}
	if a.rel == 0 {
		return a.hi + a.lo + 0, true // without the sign of zero
	}
	return a.round()
}

func (a Num) round() (f float64, ok bool) {
	margin := float64(3 * a.rel * math.Abs(a.hi))
	low, high := a.hi+(a.lo-margin), a.hi+(a.lo+margin)
	return low, low == high
}

// Sign returns the sign of a, and whether it is known: hi has it, unless it is NaN.
func (a Num) Sign() (s int, ok bool) {
	switch {
	case a.hi > 0:
		return 1, true
	case a.hi < 0:
		return -1, true
	}
	return 0, a.rel == 0
}
