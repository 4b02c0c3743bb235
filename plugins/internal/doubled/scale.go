package doubled

import "math"

// Beyond the range in which the bounds hold, and nowhere else, numbers have a scale: their hi
// is then between 1 and 2 in magnitude, and the value is (hi + lo) 2^scale. All operations
// on them bring the numbers near 1, where the bounds hold, and put the scale back.

// lowest and highest are the scales that the range has: those of its values need none.
const lowest, highest = -900, 1000

// wide returns a with its hi between 1 and 2 in magnitude. What is zero, infinite or unknown
// has no such form, and gives Unknown.
func (a Num) wide() Num {
	if a.scale != 0 {
		return a
	}
	if a.hi == 0 || a.hi-a.hi != 0 {
		return Unknown
	}
	_, e := math.Frexp(a.hi)
	return a.shifted(1 - e).at(e - 1)
}

// shifted returns the hi and lo of a times 2^by, without its scale. The hi must come near 1:
// then bits of lo that fall out below 2^-1074 count less than 2^-106.
func (a Num) shifted(by int) Num {
	hi, lo := math.Ldexp(a.hi, by), math.Ldexp(a.lo, by)
	rel := a.rel
	if math.Ldexp(lo, -by) != a.lo {
		rel += unit
	}
	return Num{hi: hi, lo: lo, rel: rel}
}

// at returns a, without its scale, with this one.
func (a Num) at(scale int) Num {
	a.scale = scale
	return a
}

// scaled returns a number near 1 times 2^by, with a scale only if it needs one.
func (a Num) scaled(by int) Num {
	if a.IsZero() {
		return a
	}
	w := a.wide()
	if !w.isKnown() {
		return Unknown
	}
	w.scale += by
	if w.scale < lowest || w.scale >= highest {
		return w
	}
	hi, lo := math.Ldexp(w.hi, w.scale), math.Ldexp(w.lo, w.scale)
	if math.Ldexp(lo, -w.scale) != w.lo { // what fell out is less than 2^-1074, and hi at least 2^-900
		w.rel += unit
	}
	return Num{hi: hi, lo: lo, rel: w.rel}
}

func (a Num) addScaled(b Num) Num {
	if a.IsZero() {
		return b
	}
	if b.IsZero() {
		return a
	}
	const apart = 400
	x, y := a.wide(), b.wide()
	if !x.isKnown() || !y.isKnown() {
		return Unknown
	}
	if x.scale < y.scale {
		x, y = y, x
	}
	by := x.scale - y.scale
	if by > apart { // less than 2^-398 of x
		return x.at(0).Widen(unit).scaled(x.scale)
	}
	return x.at(0).Add(y.at(0).shifted(-by)).scaled(x.scale)
}

func (a Num) mulScaled(b Num) Num {
	if a.IsZero() && !math.IsInf(b.hi, 0) || b.IsZero() && !math.IsInf(a.hi, 0) {
		return signedZero(a.hi, b.hi)
	}
	x, y := a.wide(), b.wide()
	if !x.isKnown() || !y.isKnown() {
		return Unknown
	}
	return x.at(0).Mul(y.at(0)).scaled(x.scale + y.scale)
}

// divScaled divides by b, which is not zero.
func (a Num) divScaled(b Num) Num {
	if a.IsZero() && b.isKnown() {
		return signedZero(a.hi, b.hi)
	}
	x, y := a.wide(), b.wide()
	if !x.isKnown() || !y.isKnown() {
		return Unknown
	}
	return x.at(0).Div(y.at(0)).scaled(x.scale - y.scale)
}

// signedZero returns the zero that the product of a and b is, and their quotient.
func signedZero(a, b float64) Num {
	if math.Signbit(a) != math.Signbit(b) {
		return Num{hi: math.Copysign(0, -1)}
	}
	return Num{}
}

// sqrtScaled takes the root of a positive number.
func (a Num) sqrtScaled() Num {
	x := a.wide()
	if !x.isKnown() {
		return Unknown
	}
	odd := x.scale & 1
	return x.at(0).shifted(odd).Sqrt().scaled((x.scale - odd) / 2)
}

// roundScaled is Round for numbers with a scale: the same, and then exact as long as all bits
// fit, or infinite.
func (a Num) roundScaled() (f float64, ok bool) {
	const smallest, mantissa = -1074, 53
	if a.scale < smallest+mantissa {
		return a.roundSubnormal(a.scale - smallest)
	}
	f, ok = a.at(0).round()
	return math.Ldexp(f, min(a.scale, math.MaxInt16)), ok
}

// roundSubnormal returns the nearest multiple of 2^-1074, where a is (hi + lo) 2^by of those.
// With n for hi rounded to a whole number, what is beyond n is hi - n, exactly, and lo. It
// is less than a half, or more than that, with a margin for the bound, three times as in
// Round, and for the rounding of the sum, which is at most 2^-53.
func (a Num) roundSubnormal(by int) (f float64, ok bool) {
	const least = -3
	if by < least { // below a quarter
		return 0, a.isKnown()
	}
	hi, lo := math.Ldexp(a.hi, by), math.Ldexp(a.lo, by)
	n := math.RoundToEven(hi)
	beyond := (hi - n) + lo
	margin := float64(3*a.rel*math.Abs(hi)) + 0x1p-50
	switch {
	case math.Abs(beyond) < 0.5-margin:
	case beyond > 0.5+margin:
		n++
	case beyond < -0.5-margin:
		n--
	default:
		return 0, false
	}
	return math.Ldexp(n, -1074) + 0, true
}
