package rational

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/sdk"
)

// Of returns the value of d, as far as two numbers tell it.
func Of(d sdk.Decimal) doubled.Num {
	if d.Literal == "" {
		return doubled.Of(d.Float)
	}
	return doubled.Decimal(d.Literal)
}

// Decide returns the binary64 nearest to a value of which fast is known, where that is enough,
// and warns as [Round] does. Where it is not, the value is computed exactly, and rounded,
// by exactly.
func Decide(ctx context.Context, name string, fast doubled.Num, exactly func() float64) float64 {
	f, ok := fast.Round()
	if !ok {
		return exactly()
	}
	if sign, _ := fast.Sign(); f == 0 && sign != 0 {
		sdk.WarnUnderflow(ctx, name)
	}
	return f
}

// Spread is a list of numbers less one of them, and sums of those, all in a unit. Sums of
// squares that are not far greater than their differences lose few digits when these are
// computed.
type Spread struct {
	Unit    int          // a power of two; 0 unless numbers are very large or all very small
	Origin  doubled.Ball // the number that is taken from all
	Beyond  []doubled.Ball
	Sum     doubled.Ball
	Squares doubled.Ball
}

// SpreadOf returns the numbers less the origin, which is exactly zero for those written
// alike. It reports whether all are known.
func SpreadOf(data []sdk.Decimal, origin sdk.Decimal) (s Spread, ok bool) {
	s.Unit, s.Beyond = unitOf(data), make([]doubled.Ball, len(data))
	from := Of(origin)
	s.Origin = from.Ball(-s.Unit)
	for i, d := range data {
		if d != origin {
			number := Of(d).Sub(from)
			if _, known := number.Exponent(); !known {
				return s, false
			}
			s.Beyond[i] = number.Ball(-s.Unit)
		}
		s.Sum = s.Sum.Add(s.Beyond[i])
		s.Squares = s.Squares.Add(s.Beyond[i].Mul(s.Beyond[i]))
	}
	return s, true
}

// unitOf returns a unit in which products of four of the numbers are neither too large nor too
// small to be computed.
func unitOf(data []sdk.Decimal) int {
	const ordinary = 100 // a power of two
	largest := 0.0
	for _, d := range data {
		largest = max(largest, math.Abs(d.Float))
	}
	_, e := math.Frexp(largest)
	if -ordinary <= e && e <= ordinary {
		return 0
	}
	return e
}

// Mean returns the mean of the n numbers.
func (s *Spread) Mean(n doubled.Ball) doubled.Num {
	return n.Mul(s.Origin).Add(s.Sum).Num().TimesPower(s.Unit).Div(n.Num())
}

// Centered returns n sum(x y) - sum(x) sum(y), which is n times the sum of the products of what
// both are beyond their means.
func Centered(n, products, sumX, sumY doubled.Ball) doubled.Ball {
	return n.Mul(products).Sub(sumX.Mul(sumY))
}

// Products returns the sum of the products of xs and ys, which are equally many.
func Products(xs, ys []doubled.Ball) (sum doubled.Ball) {
	for i, x := range xs {
		sum = sum.Add(x.Mul(ys[i]))
	}
	return sum
}
