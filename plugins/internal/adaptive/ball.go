package adaptive

import "math"

// ball is a number of twice the precision with the absolute bound of its error: the value is
// within err of hi + lo, and hi is hi + lo rounded. Unlike the bound of a [Num] it survives
// sums that cancel.
//
// Sums and products say what they lost, exactly: bits that found no place in hi and lo. So
// an err of 0 says that there is none, as with short numbers. Bounds are added up with a
// rounding of 2^-53 each, and products of bounds with lo are left out, less than 2^-52 of
// what stands there; after less than 2^40 operations the sum is too small by less than
// its half, which [ball.sign] allows for.
//
// Values are at most about 2^20, by how they are made. What a product of less than 2^-900
// loses is less than 2^-900.
type ball struct{ hi, lo, err float64 }

const underflow = 0x1p-900

// exponent returns e with |a| < 2^e, and whether anything is known of a.
func exponent(a Num) (e int, known bool) {
	hi, _, rel, scale := a.fast.Parts()
	_, e = math.Frexp(hi)
	return e + 1 + scale, rel == rel // the value of hi + lo may be the next power of two
}

func (a Num) isZero() bool {
	hi, _, rel, _ := a.fast.Parts()
	return hi == 0 && rel == 0
}

// ballOf returns a times 2^by, less than 1.
func ballOf(a Num, by int) ball {
	if a.isZero() {
		return ball{}
	}
	hi, lo, rel, scale := a.fast.Parts()
	b := ball{hi: math.Ldexp(hi, scale+by), lo: math.Ldexp(lo, scale+by)}
	if b.err = float64(rel * math.Abs(b.hi)); math.Abs(b.hi) < underflow || lo != 0 && math.Abs(b.lo) < underflow {
		b.err += underflow
	}
	return b
}

func twoSum(a, b float64) (s, e float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// add returns a + b: hi and lo are the sum of a.hi, b.hi, a.lo and b.lo but for f and g.
func (a ball) add(b ball) ball {
	s, e := twoSum(a.hi, b.hi)
	t, f := twoSum(a.lo, b.lo)
	w, g := twoSum(e, t)
	hi, lo := twoSum(s, w)
	return ball{hi, lo, a.err + b.err + math.Abs(f) + math.Abs(g)}
}

// mul returns a b. Of the product of hi + lo of both it leaves out that of both lo, and what
// was lost in adding up the others.
func (a ball) mul(b ball) ball {
	if a == (ball{}) || b == (ball{}) {
		return ball{}
	}
	p, e, lost := product(a.hi, b.hi)
	c, f, lostC := product(a.hi, b.lo)
	d, g, lostD := product(a.lo, b.hi)
	t, h := twoSum(c, d)
	w, k := twoSum(e, t)
	hi, lo := twoSum(p, w)
	lost += lostC + lostD + math.Abs(f) + math.Abs(g) + math.Abs(h) + math.Abs(k) + math.Abs(float64(a.lo*b.lo))
	inherited := float64(math.Abs(a.hi)*b.err) + float64(math.Abs(b.hi)*a.err) + float64(a.err*b.err)
	return ball{hi, lo, inherited + lost}
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

// halved returns half of a, exactly unless it is next to nothing.
func (a ball) halved() ball {
	h := ball{a.hi / 2, a.lo / 2, a.err / 2}
	if a != (ball{}) && (math.Abs(h.hi) < underflow || a.lo != 0 && math.Abs(h.lo) < underflow) {
		h.err += underflow
	}
	return h
}

// sign returns the sign of a, and whether it is known.
func (a ball) sign() (sign int, known bool) {
	switch {
	case a.hi > 2*a.err:
		return 1, true
	case a.hi < -2*a.err:
		return -1, true
	}
	return 0, a.hi == 0 && a.err == 0
}
