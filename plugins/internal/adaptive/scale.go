package adaptive

import (
	"math"

	"github.com/slipstick/slipstick/sdk/doubled"
)

// Package doubled has numbers from 2^-500 to 2^500. Beyond 2^±128, so that products stay in that range, a [Num] is a
// number between 1/2 and 1 and a power of two.

// isNear reports whether the magnitude of f is at least 2^-128 and below 2^128.
func isNear(f float64) bool {
	const from, to = 1023 - 128, 1023 + 128 // as binary64 writes exponents
	return math.Float64bits(f)>>52&0x7ff-from < to-from
}

// scaledOf returns the value of f.
func scaledOf(f float64) Num {
	fraction, e := math.Frexp(f)
	return Num{fast: doubled.Of(fraction), scale: e}
}

// scaled returns b 2^scale.
func scaled(b doubled.Ball, scale int) Num {
	if f := b.Float(); !isNear(f) && f != 0 {
		_, e := math.Frexp(f)
		return Num{fast: shifted(b, -e), scale: scale + e}
	}
	return Num{fast: b, scale: scale}
}

// shifted returns b 2^by.
func shifted(b doubled.Ball, by int) doubled.Ball { return b.Mul(doubled.Of(math.Ldexp(1, by))) }

// exponent returns e with |a| < 2^e.
func (a Num) exponent() int {
	hi, _, bound := a.fast.Parts()
	_, e := math.Frexp(math.Abs(hi) + bound)
	return e + 1 + a.scale // rounding and the second half of a add less than a factor of 2
}

// addScaled returns a + b. Far below a, b is only an error.
func addScaled(a, b Num) Num {
	const far = 300
	if a.fast.IsZero() {
		return b
	}
	if b.fast.IsZero() {
		return a
	}
	e, f := a.exponent(), b.exponent()
	if e < f {
		a, b, e, f = b, a, f, e
	}
	x := shifted(a.fast, a.scale-e)
	if e-f > far {
		return scaled(x.Widen(math.Ldexp(1, -far)), e)
	}
	return scaled(x.Add(shifted(b.fast, b.scale-e)), e)
}

// round returns the binary64 nearest to a, and whether it is known.
func (a Num) round() (f float64, known bool) {
	const least = -1074 // exponent of the least number
	f, known = a.fast.Round()
	if a.scale == 0 || !known || f == 0 {
		return f, known
	}
	_, e := math.Frexp(f)
	switch e += a.scale; {
	case e > -1022:
		return math.Ldexp(f, a.scale), true
	case e < least-1:
		return 0, true
	case e < -1024: // multiples of the least number: with this sum they are the last bit
		const whole = 0x1.8p52
		f, known = shifted(a.fast, a.scale-least).Add(doubled.Of(whole)).Round()
		return math.Ldexp(f-whole, least), known
	}
	return 0, false
}
