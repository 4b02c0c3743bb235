package doubled

import "math"

// pair is hi + lo, with hi the rounded sum. Its operations are from Joldes, Muller and Popescu, who prove their bounds.
// Algorithm 6 adds with an error of 3u^2/(1 - 4u) of the result. Algorithm 11 multiplies with 5u^2 of the result.
//
// The functions here state their errors in units of u^2. Guesses of package math can be any number: a guess that is
// too far away gives an unknown number.
type pair struct{ hi, lo float64 }

func (a pair) add(b pair) pair {
	s, e := twoSum(a.hi, b.hi)
	t, f := twoSum(a.lo, b.lo)
	v, w := fastTwoSum(s, e+t)
	hi, lo := fastTwoSum(v, f+w)
	return pair{hi, lo}
}

func (a pair) mul(b pair) pair {
	p := float64(a.hi * b.hi)
	e := math.FMA(a.hi, b.hi, -p)
	hi, lo := fastTwoSum(p, e+math.FMA(a.lo, b.hi, float64(a.hi*b.lo)))
	return pair{hi, lo}
}

func (a pair) neg() pair               { return pair{-a.hi, -a.lo} }
func (a pair) times(f float64) pair    { return pair{a.hi * f, a.lo * f} } // for powers of two
func (a Ball) pair() pair              { return pair{a.hi, a.lo} }
func (a pair) within(err float64) Ball { return bounded(a.hi, a.lo, err) }

// product returns a b exactly.
func product(a, b float64) pair {
	p := float64(a * b)
	return pair{p, math.FMA(a, b, -p)}
}

// Constants in parts, each the rounded rest. More digits would add less than 2^-107 of ln2 and ln10, and less than
// 2^-160 of pi/2.
var (
	ln2        = pair{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	ln10       = Ball{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53, 0x1p-105}
	halfPi     = pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}
	halfPiLow  = -0x1.f1976b7ed8fbcp-110
	rightAngle = Ball{halfPi.hi, halfPi.lo, 0x1p-105}
)

// Pi is the ratio of a circle's circumference to its diameter.
var Pi = Ball{2 * halfPi.hi, 2 * halfPi.lo, 0x1p-104}

// reciprocals are 1/0!, 1/1! to 1/29!: the first as pairs with an error of 12, since 22! is a binary64.
var reciprocals, approximations = func() (pairs [17]pair, singles [30]float64) {
	factorial := 1.0
	for n := range singles {
		if n > 0 {
			factorial *= float64(n)
		}
		singles[n] = 1 / factorial
		if n < len(pairs) {
			pairs[n] = Ball{hi: 1}.Div(Ball{hi: factorial}).pair()
		}
	}
	return pairs, singles
}()

// plus returns c + h*x, with the product rounded on every processor.
func plus(c, h, x float64) float64 { return c + float64(h*x) }

// expm1 returns e^a - 1 for |a| < 0.36, with an error of 128 of it.
//
// A sixty-fourth of a is x, |x| < 2^-7.4. The series is x (1 + x/2! + x^2/3! ...). From x^6/7! it is computed in
// binary64, with an error of less than 2^-44-12-50 of 1. The terms from x^11/12! are left out, less than 2^-110. So
// the sum has an error of 3 + 1, and x times it one of 9. Each of 6 doublings adds 8, and together they enlarge an
// error to at most 1.25 of it.
func expm1(a pair) pair {
	x := a.times(1.0 / 64)
	c := &approximations
	h := x.hi
	tail := plus(c[7], h, plus(c[8], h, plus(c[9], h, plus(c[10], h, c[11]))))
	sum := pair{tail, 0}
	for n := 6; n >= 1; n-- {
		sum = sum.mul(x).add(reciprocals[n])
	}
	m := sum.mul(x)
	for range 6 { // e^2y - 1 = (e^y - 1)(e^y + 1)
		m = m.mul(m.add(pair{2, 0}))
	}
	return m
}

const (
	mostExp  = 345     // e^345 < 2^500
	mostErr  = 0x1p-20 // of an argument of a function that grows
	mostTurn = 0x1p40  // of an angle
)

// Exp returns e^a.
//
// The rest r of a is at most ln2/2 and has an error of |k|/2 for ln2 and 6|r| for two sums. So 1 + m has an error
// of 128|m| + 3 + 2(|k|/2 + 3), where |m| < 0.42: less than 64 + |k|, relative to at least 0.7.
func (a Ball) Exp() Ball {
	switch {
	case a.IsZero():
		return Ball{hi: 1}
	case a.hi <= -mostExp && a.err < mostErr: // between 0 and 2^-497
		return bounded(0, 0, 0x1p-498)
	case !(math.Abs(a.hi) < mostExp && a.err < mostErr):
		return Unknown
	}
	k := math.RoundToEven(a.hi / math.Ln2)
	r := a.pair()
	if k != 0 {
		r = r.add(product(-k, ln2.hi)).add(product(-k, ln2.lo))
	}
	m := expm1(r).add(pair{1, 0}).times(math.Float64frombits(uint64(int(k)+1023) << 52))
	return m.within(m.hi * (float64(1.01*a.err) + float64(u2*(128+float64(2*math.Abs(k))))))
}

// log returns ln(1 + a) for a between -0.3 and 0.42, with an error of 256 of it.
//
// With a guess y it is y + ln(1 + t) for t = (1 + a) e^-y - 1, where |a| < 1.25|y|. The error of t is 160|y| for
// e^-y - 1, and 6|y| for its sums and products. As |t| < 2^-48 |y|, rounding t is an error of 2^-100 |y|, which is 64.
// The series t - t^2/2 leaves out less than 2^-140 |y|.
func log(a pair) (pair, bool) {
	y := math.Log1p(a.hi) // a guess
	if a.hi == 0 {
		return pair{}, true
	}
	if !(math.Abs(y) < 0.36) {
		return pair{}, false
	}
	m := expm1(pair{-y, 0})
	t := a.add(m).add(a.mul(m)).hi
	hi, lo := fastTwoSum(y, t-float64(t*t/2))
	return pair{hi, lo}, math.Abs(t) <= 0x1p-48*math.Abs(y)
}

// Log returns the natural logarithm of a. It is unknown if a may not be positive.
//
// With f between 0.7 and 1.42, f - 1 is exact. The logarithm is ln(f) + e ln2: 256 of the first, 6 of the second,
// and 3 of the sum.
func (a Ball) Log() Ball {
	if !(a.hi > 4*a.err) || !inRange(a.hi) {
		return Unknown
	}
	if a == (Ball{hi: 1}) {
		return Ball{}
	}
	bits := math.Float64bits(a.hi)
	e := int(bits>>52) - 1023
	if a.hi*math.Float64frombits(uint64(1023-e)<<52) > math.Sqrt2 {
		e++
	}
	scale := math.Float64frombits(uint64(1023-e) << 52)
	hi, lo := twoSum(float64(a.hi*scale)-1, float64(a.lo*scale))
	y, ok := log(pair{hi, lo})
	if !ok {
		return Unknown
	}
	err := float64(256*u2*math.Abs(y.hi)) + a.err/(a.hi-2*a.err)
	if e != 0 {
		k := float64(e)
		y = y.add(product(k, ln2.hi).add(product(k, ln2.lo)))
		err += float64(u2 * (float64(8*math.Abs(k)) + float64(4*math.Abs(y.hi))))
	}
	return y.within(err)
}

// Log10 returns the decimal logarithm of a.
func (a Ball) Log10() Ball { return a.Log().Div(ln10) }

// PowBall returns a to the power b by logarithms, for a > 0. 0 to a positive power is 0. It is unknown if the sign of
// b is.
func (a Ball) PowBall(b Ball) Ball {
	sign, known := b.Sign()
	switch {
	case !known:
		return Unknown
	case a.IsZero() && sign > 0:
		return a
	}
	return b.Mul(a.Log()).Exp()
}

// sinCos returns the sine and the cosine of a. The error of the rest is err. The sine of the rest adds 32 of it, and the
// cosine of the rest adds 32.
//
// The rest is a - k pi/2, at most 0.786. It is exact for k = 0. Otherwise three sums add errors of 3 of their
// results, which are the rest and at most |k| 2^-53. What pi/2 leaves out is far less.
func sinCos(a pair) (sin, cos pair, err float64) {
	k := math.RoundToEven(a.hi * (2 / math.Pi))
	r := a
	if k != 0 {
		r = a.add(product(-k, halfPi.hi)).add(product(-k, halfPi.lo)).add(pair{-k * halfPiLow, 0})
		err = 10 * u2 * (math.Abs(r.hi) + float64(math.Abs(k)*0x1p-53))
	}
	s, c := sines(r)
	switch int64(k) & 3 {
	case 1:
		return c, s.neg(), err
	case 2:
		return s.neg(), c.neg(), err
	case 3:
		return c.neg(), s, err
	}
	return s, c, err
}

// sines returns the sine of r with an error of 32 of it, and the cosine with one of 32, for |r| < 0.79.
//
// With z = r^2 < 0.62 the series are r (1 - z/3! + z^2/5! ...) and 1 - z/2! + z^2/4! ... From z^8/17! and z^9/18!
// they are computed in binary64, with errors of less than 2^-53-51 and 2^-58-51 of 1. Terms from z^14/29! and z^15/30!
// are left out, less than 2^-110. The sums have errors of 3 + 0.11*20 and 3 + 0.31*20, and r times it adds 5.
func sines(r pair) (sin, cos pair) {
	z := r.mul(r)
	c := &approximations
	h := z.hi
	s := pair{h * plus(c[17], -h, plus(c[19], -h, plus(c[21], -h, plus(c[23], -h, plus(c[25], -h, c[27]))))), 0}
	s = s.add(reciprocals[15].neg())
	for n := 13; n >= 1; n -= 2 {
		s = s.mul(z).add(signed(n))
	}
	t := pair{-h * plus(c[18], -h, plus(c[20], -h, plus(c[22], -h, plus(c[24], -h, plus(c[26], -h, c[28]))))), 0}
	t = t.add(reciprocals[16])
	for n := 14; n >= 0; n -= 2 {
		t = t.mul(z).add(signed(n))
	}
	return s.mul(r), t
}

// signed returns 1/n! with the sign that it has in the series of the sine or the cosine.
func signed(n int) pair {
	if n&2 != 0 {
		return reciprocals[n].neg()
	}
	return reciprocals[n]
}

// SinCos returns the sine and the cosine of a. The cosine of a rest is more than 0.7, so 32 is less than 64 of it.
func (a Ball) SinCos() (sin, cos Ball) {
	switch {
	case a.IsZero():
		return Ball{}, Ball{hi: 1}
	case !(math.Abs(a.hi) < mostTurn && a.err < mostErr):
		return Unknown, Unknown
	}
	s, c, err := sinCos(a.pair())
	err += a.err
	return s.within(err + float64(64*u2*math.Abs(s.hi))), c.within(err + float64(64*u2*math.Abs(c.hi)))
}

// Sin returns the sine of a.
func (a Ball) Sin() Ball { s, _ := a.SinCos(); return s }

// Cos returns the cosine of a.
func (a Ball) Cos() Ball { _, c := a.SinCos(); return c }

// Tan returns the tangent of a.
func (a Ball) Tan() Ball { s, c := a.SinCos(); return s.Div(c) }

// Atan returns the angle with the tangent a. Beyond 1 it is the rest of a right angle.
//
// With a guess y it is y + atan(t) for t = (a cos y - sin y)/(cos y + a sin y). The sine and the cosine have errors
// of at most 32/0.7 + 10 of them, so t has one of 128|y|. As |t| < 2^-48 |y|, rounding it adds 2^-100 |y|, which
// is 64, and t^3/3 is left out.
func (a Ball) Atan() Ball {
	switch {
	case a.IsZero():
		return a
	case a.hi > 1:
		return rightAngle.Sub(Ball{hi: 1}.Div(a).Atan())
	case a.hi < -1:
		return a.Neg().Atan().Neg()
	case a.hi == 0 || !a.IsKnown():
		return a
	}
	x, y := a.pair(), math.Atan(a.hi) // a guess
	s, c, _ := sinCos(pair{y, 0})
	t := x.mul(c).add(s.neg()).hi / (c.hi + float64(a.hi*s.hi))
	if !(math.Abs(t) <= 0x1p-48*math.Abs(y)) {
		return Unknown
	}
	hi, lo := fastTwoSum(y, t)
	return bounded(hi, lo, float64(256*u2*math.Abs(y))+a.err)
}

// Atan2 returns the angle of the point (x, y), from -pi to pi. For the origin it is 0.
func (y Ball) Atan2(x Ball) Ball {
	sx, xKnown := x.Sign()
	sy, yKnown := y.Sign()
	switch {
	case xKnown && sx > 0:
		return y.Div(x).Atan()
	case yKnown && sy != 0:
		return x.Div(y).Atan().Neg().Add(rightAngle.times(float64(sy)))
	case !xKnown || !yKnown:
		return Unknown
	case sx < 0:
		return Pi
	}
	return Ball{}
}

// times returns a times 1 or -1.
func (a Ball) times(sign float64) Ball { return Ball{sign * a.hi, sign * a.lo, a.err} }

var one = Ball{hi: 1}

// isInUnit reports whether |a| is known to be at most 1.
func (a Ball) isInUnit() bool {
	sign, known := one.Sub(a.Abs()).Sign()
	return known && sign >= 0
}

// Acos returns the angle with the cosine a. It is unknown if a may be beyond 1.
func (a Ball) Acos() Ball {
	if !a.isInUnit() {
		return Unknown
	}
	return Ball{hi: 2}.Mul(one.Sub(a).Sqrt().Atan2(one.Add(a).Sqrt()))
}

// Asin returns the angle with the sine a. It is unknown if a may be beyond 1.
func (a Ball) Asin() Ball {
	if !a.isInUnit() {
		return Unknown
	}
	return a.Atan2(one.Sub(a).Mul(one.Add(a)).Sqrt())
}

var half = Ball{hi: 0.5}

// Sinh returns the hyperbolic sine of a. Near 0 it is (m + m/(1 + m))/2 for m = e^a - 1, with 128 + 128 + 24 of it.
func (a Ball) Sinh() Ball {
	if !(math.Abs(a.hi) < 0.3 && a.err < mostErr) || a.hi == 0 {
		e := a.Exp()
		return e.Sub(one.Div(e)).Mul(half)
	}
	m := expm1(a.pair())
	b := Ball{m.hi, m.lo, 128 * u2 * math.Abs(m.hi)}
	return b.Add(b.Div(b.Add(one))).Mul(half).Widen(2 * a.err)
}

// Cosh returns the hyperbolic cosine of a.
func (a Ball) Cosh() Ball {
	e := a.Exp()
	return e.Add(one.Div(e)).Mul(half)
}

// Tanh returns the hyperbolic tangent of a: near 0 it is m/(m + 2) for m = e^2a - 1. Beyond 40 it differs from 1 by
// less than 2^-114.
func (a Ball) Tanh() Ball {
	switch size := math.Abs(a.hi); {
	case a.IsZero():
		return a
	case size > 40 && a.err < 1:
		return Ball{math.Copysign(1, a.hi), 0, u2}
	case size < 0.17 && a.hi != 0:
		m := expm1(a.pair().times(2))
		b := Ball{m.hi, m.lo, 128 * u2 * math.Abs(m.hi)}
		return b.Div(b.Add(Ball{hi: 2})).Widen(a.err)
	}
	e := a.Add(a).Exp()
	return one.Sub(Ball{hi: 2}.Div(e.Add(one)))
}
