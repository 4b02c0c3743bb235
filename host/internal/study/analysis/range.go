package analysis

import "math"

// far is a power of two with a square within binary64. Numbers about as far from far as from 1 also have such squares.
const far = 0x1p540

// inRange returns the value of a function that is proportional to its numbers. If squares of the numbers overflow or underflow,
// it multiplies the numbers by a power of two. The result then only overflows if the exact value does.
func inRange(f func(scale float64) float64) float64 {
	x := f(1)
	switch {
	case !finite(x):
		return f(1/far) * far
	case math.Abs(x) < 0x1p-480:
		if y := f(far) / far; finite(y) {
			return y
		}
	}
	return x
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// product returns abr uv, of slopes a and b with uncertainties u and v. It changes the order of the factors only if a part of
// the product overflows or underflows.
func product(a, b, r, u, v float64) float64 {
	x := float64(a * b * r * u * v)
	if usual(a*b, a, b) && usual(x, a*b*r, u*v) {
		return x
	}
	return float64(float64(a*u) * float64(b*v) * r)
}

// usual reports whether a product of two numbers has all its digits.
func usual(x, a, b float64) bool {
	return 0x1p-960 <= math.Abs(x) && math.Abs(x) <= 0x1p960 || a == 0 || b == 0
}

// between returns the number at a part t of the distance from a to b.
func between(a, b, t float64) float64 {
	if d := b - a; finite(d) {
		return a + float64(t*d)
	}
	return float64(a*(1-t)) + float64(b*t)
}

// halfway returns the middle of a and b in the order of binary64 numbers.
func halfway(a, b float64) float64 {
	place := func(x float64) int64 {
		n := int64(math.Float64bits(x))
		if n < 0 {
			n = math.MinInt64 - n
		}
		return n
	}
	p, q := place(a), place(b)
	n := p>>1 + q>>1 + p&q&1
	if n < 0 {
		n = math.MinInt64 - n
	}
	return math.Float64frombits(uint64(n))
}
