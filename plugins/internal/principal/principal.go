// Package principal finds the principal values of symmetric tensors of the plane, such
// as stresses and second moments of area.
package principal

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// Formula is a formula for package adaptive.
type Formula = func(x *adaptive.X) adaptive.Num

// Tensor is a symmetric tensor, as formulas of its components. All three may be multiplied by
// one positive number, the Scale, which is 1 if it is nil.
type Tensor struct{ XX, YY, XY, Scale Formula }

func (t Tensor) scale(x *adaptive.X) adaptive.Num {
	if t.Scale == nil {
		return x.Int(1)
	}
	return t.Scale(x)
}

// Components are the components of a tensor, rounded.
type Components struct{ XX, YY, XY float64 }

// radiusSquared returns the square of half the difference of the principal values.
func (t Tensor) radiusSquared(x *adaptive.X) adaptive.Num {
	twice := t.XX(x).Sub(t.YY(x)).Div(t.scale(x))
	return twice.Div(x.Int(2)).Pow(2).Add(t.XY(x).Div(t.scale(x)).Pow(2))
}

// Radius returns half the difference of the principal values, correctly rounded. The name
// is the output field's.
func (t Tensor) Radius(ctx context.Context, name string) float64 {
	return adaptive.RoundSqrt(ctx, name, t.radiusSquared)
}

// Values returns the greater and the lesser principal value under the names of their
// output fields, correctly rounded. It begins its search at the rounded components.
//
// The principal values are mean +- radius, where the radius is the root of a fraction. So
// a guess is compared with them by signs of fractions, and moved until it is the nearest.
func (t Tensor) Values(ctx context.Context, rounded Components, greater, lesser string) (first, second float64) {
	large, small := search{t, 1, greater}, search{t, -1, lesser}
	larger, apart := rounded.larger()
	if larger < 0 {
		large, small = small, large
	}
	larger = large.nearest(ctx, larger, apart)
	if larger == 0 || math.IsInf(larger, 0) {
		return larger, larger
	}
	determinant := func(x *adaptive.X) adaptive.Num { // the product of both values, scaled twice
		xx, yy, xy := t.XX(x), t.YY(x), t.XY(x)
		return xx.Times(yy).Sub(xy.Pow(2))
	}
	smaller := 0.0
	if adaptive.Sign(determinant) != 0 {
		guess := adaptive.Round(context.Background(), "", func(x *adaptive.X) adaptive.Num {
			return determinant(x).Div(t.scale(x).Pow(2).Times(x.Of(larger)))
		})
		smaller = small.nearest(ctx, guess, apart)
	}
	if large.side < 0 {
		return smaller, larger
	}
	return larger, smaller
}

// larger guesses the principal value of larger magnitude, and says whether both values
// are so far apart that nothing close to one of them can be on the other's side of the
// mean.
func (c Components) larger() (guess float64, apart bool) {
	largest := max(math.Abs(c.XX), math.Abs(c.YY), math.Abs(c.XY))
	if math.IsInf(largest, 0) {
		return largest, false
	}
	_, exponent := math.Frexp(largest)
	xx, yy, xy := math.Ldexp(c.XX, -exponent), math.Ldexp(c.YY, -exponent), math.Ldexp(c.XY, -exponent)
	mean, half := float64((xx+yy)/2), (xx-yy)/2
	radius := math.Sqrt(float64(half*half) + float64(xy*xy))
	return math.Ldexp(mean+math.Copysign(radius, mean), exponent), radius > 1e-9
}

// search looks for the principal value on one side of the mean.
type search struct {
	Tensor
	side int // 1 for the greater value, -1 for the lesser
	name string
}

// nearest returns the binary64 nearest to the value, ties to even, from a guess.
func (s search) nearest(ctx context.Context, guess float64, apart bool) float64 {
	f := guess
	for !math.IsInf(f, 0) {
		moved := f
		for _, toward := range []float64{math.Inf(1), math.Inf(-1)} {
			next := math.Nextafter(f, toward)
			if math.IsInf(next, 0) {
				continue
			}
			beyond := s.compare(f, next, apart)
			if toward < 0 {
				beyond = -beyond
			}
			if beyond > 0 || beyond == 0 && math.Float64bits(f)&1 == 1 {
				moved = next
				break
			}
		}
		if moved == f {
			break
		}
		f = moved
	}
	if f == 0 && s.compare(0, 0, false) != 0 {
		sdk.WarnUnderflow(ctx, s.name)
	}
	return f
}

// compare returns the sign of the value less the middle between a and b.
//
// With m for the middle, the square of the radius less that of what m is beyond the mean is
// xy^2 - (xx - m)(yy - m), which cancels less. All is scaled, and doubled.
func (s search) compare(a, b float64, apart bool) int {
	middle := func(x *adaptive.X) adaptive.Num { return x.Of(a).Add(x.Of(b)).Times(s.scale(x)) }
	if !apart {
		beyond := func(x *adaptive.X) adaptive.Num { return middle(x).Sub(s.XX(x)).Sub(s.YY(x)) } // the mean
		if sign := adaptive.Sign(beyond); sign == -s.side {
			return s.side
		}
	}
	return s.side * adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		m, two := middle(x), x.Int(2)
		across, xx, yy := s.XY(x).Times(two), s.XX(x).Times(two).Sub(m), s.YY(x).Times(two).Sub(m)
		return across.Pow(2).Sub(xx.Times(yy))
	})
}
