package analysis

import "math"

// far is a power of two whose square, and the squares of numbers about as far from it as from 1, are
// within binary64.
const far = 0x1p540

// inRange returns a figure that is proportional to the numbers it comes from. Where squares of the numbers
// are beyond binary64, it computes the figure from numbers that are multiplied by a power of two. The
// figure is then beyond binary64 only if it is so itself.
func inRange(figure func(scale float64) float64) float64 {
	x := figure(1)
	switch {
	case !finite(x):
		return figure(1/far) * far
	case math.Abs(x) < 0x1p-480:
		if y := figure(far) / far; finite(y) {
			return y
		}
	}
	return x
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// product returns abr uv, of slopes a and b with uncertainties u and v. The order of the factors matters
// only where a part of the product is beyond binary64.
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

// between returns the number that lies a part t of the way from a to b.
func between(a, b, t float64) float64 {
	if d := b - a; finite(d) {
		return a + float64(t*d)
	}
	return float64(a*(1-t)) + float64(b*t)
}

// halfway returns the binary64 number with as many others between it and a as between it and b.
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
