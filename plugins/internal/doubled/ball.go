package doubled

import "math"

// Ball is a number of twice the precision with the absolute bound of its error: the value is
// within err of hi + lo, and hi is hi + lo rounded. Unlike the bound of a [Num] it survives
// sums that cancel.
//
// Sums and products say what they lost, exactly: bits that found no place in hi and lo. So
// an err of 0 says that there is none, as with short numbers. Bounds are added up with a
// rounding of 2^-53 each, and products of bounds with lo are left out, less than 2^-52 of
// what stands there; after less than 2^40 operations the sum is too small by less than
// its half, which Sign and Num allow for.
//
// Whoever makes them keeps all values below 2^500, so that no product overflows. What a
// product of less than 2^-900 loses is less than 2^-900.
type Ball struct{ hi, lo, err float64 }

// BallOf returns the value of f.
func BallOf(f float64) Ball { return Ball{hi: f} }

// UnknownBall is a number of which nothing is known.
var UnknownBall = Ball{math.NaN(), math.NaN(), math.NaN()}

const underflow = 0x1p-900

// Exponent returns e with |a| < 2^e, and whether anything is known of a.
func (a Num) Exponent() (e int, known bool) {
	_, e = math.Frexp(a.hi)
	return e + 1 + a.scale, a.isKnown() // the value of hi + lo may be the next power of two
}

// Ball returns a times 2^by.
func (a Num) Ball(by int) Ball {
	if a.IsZero() {
		return Ball{}
	}
	b := Ball{hi: math.Ldexp(a.hi, a.scale+by), lo: math.Ldexp(a.lo, a.scale+by)}
	if b.err = float64(a.rel * math.Abs(b.hi)); math.Abs(b.hi) < underflow || a.lo != 0 && math.Abs(b.lo) < underflow {
		b.err += underflow
	}
	return b
}

// Num returns the number with a relative bound. It is unknown where that would be of no use.
func (a Ball) Num() Num {
	if a.err == 0 && math.Abs(a.hi) < greatest {
		return Num{hi: a.hi, lo: a.lo}
	}
	return approximate(a.hi, a.lo, 2*a.err/math.Abs(a.hi)+unit)
}

// Add returns a + b: hi and lo are the sum of a.hi, b.hi, a.lo and b.lo but for f and g.
func (a Ball) Add(b Ball) Ball {
	s, e := twoSum(a.hi, b.hi)
	t, f := twoSum(a.lo, b.lo)
	w, g := twoSum(e, t)
	hi, lo := twoSum(s, w)
	return Ball{hi, lo, a.err + b.err + math.Abs(f) + math.Abs(g)}
}

// Sub returns a - b.
func (a Ball) Sub(b Ball) Ball { return a.Add(Ball{-b.hi, -b.lo, b.err}) }

// Mul returns a b. Of the product of hi + lo of both it leaves out that of both lo, and what
// was lost in adding up the others.
func (a Ball) Mul(b Ball) Ball {
	if a == (Ball{}) || b == (Ball{}) {
		return Ball{}
	}
	p, e, lost := product(a.hi, b.hi)
	c, f, lostC := product(a.hi, b.lo)
	d, g, lostD := product(a.lo, b.hi)
	t, h := twoSum(c, d)
	w, k := twoSum(e, t)
	hi, lo := twoSum(p, w)
	lost += lostC + lostD + math.Abs(f) + math.Abs(g) + math.Abs(h) + math.Abs(k) + math.Abs(float64(a.lo*b.lo))
	inherited := float64(math.Abs(a.hi)*b.err) + float64(math.Abs(b.hi)*a.err) + float64(a.err*b.err)
	if inherited < underflow && (a.err != 0 || b.err != 0) {
		inherited += underflow // it may itself be less than the least number
	}
	return Ball{hi, lo, inherited + lost}
}

// product returns a b as its rounded value and the error of that, and what of it may have
// been lost below the least number.
func product(a, b float64) (p, e, lost float64) {
	p = float64(a * b)
	if math.Abs(p) < underflow && a != 0 && b != 0 {
		lost = underflow
	}
	return p, math.FMA(a, b, -p), lost
}

// Halved returns half of a, exactly unless it is next to nothing.
func (a Ball) Halved() Ball {
	h := Ball{a.hi / 2, a.lo / 2, float64(a.err / 2)}
	if a != (Ball{}) && (math.Abs(h.hi) < underflow || a.lo != 0 && math.Abs(h.lo) < underflow) {
		h.err += underflow
	}
	return h
}

// Sign returns the sign of a, and whether it is known.
func (a Ball) Sign() (sign int, known bool) {
	switch {
	case a.hi > 2*a.err:
		return 1, true
	case a.hi < -2*a.err:
		return -1, true
	}
	return 0, a.hi == 0 && a.err == 0
}
