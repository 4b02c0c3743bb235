package principal_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/principal"
)

func values(t interface{ Context() context.Context }, xx, yy, xy float64) (greater, lesser float64) {
	return tensor(xx, yy, xy).Values(t.Context(), principal.Components{XX: xx, YY: yy, XY: xy}, "a", "b")
}

func tensor(xx, yy, xy float64) principal.Tensor {
	of := func(f float64) principal.Formula { return func(x *adaptive.X) adaptive.Num { return x.Of(f) } }
	return principal.Tensor{XX: of(xx), YY: of(yy), XY: of(xy)}
}

// widely computes the principal values with 4000 bits, enough for any cancellation of
// binary64 numbers of moderate size.
func widely(xx, yy, xy float64) (greater, lesser float64) {
	wide := func(f float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(f) }
	two := wide(2)
	mean, half := wide(0).Add(wide(xx), wide(yy)), wide(0).Sub(wide(xx), wide(yy))
	mean.Quo(mean, two)
	half.Quo(half, two)
	square := half.Mul(half, half)
	square.Add(square, wide(0).Mul(wide(xy), wide(xy)))
	radius := square.Sqrt(square)
	greater, _ = wide(0).Add(mean, radius).Float64()
	lesser, _ = wide(0).Sub(mean, radius).Float64()
	return greater, lesser
}

func TestValuesAreTheNearest(t *testing.T) {
	component := rapid.OneOf(
		rapid.Float64Range(-1, 1),
		rapid.Float64Range(-1e100, 1e100),
		rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-20, 20).Draw(t, "n")) }),
		rapid.Custom(func(t *rapid.T) float64 { return 1 + float64(rapid.IntRange(-9, 9).Draw(t, "ulps"))*0x1p-52 }),
	)
	rapid.Check(t, func(t *rapid.T) {
		xx, yy, xy := component.Draw(t, "xx"), component.Draw(t, "yy"), component.Draw(t, "xy")
		greater, lesser := values(t, xx, yy, xy)
		if wantGreater, wantLesser := widely(xx, yy, xy); greater != wantGreater || lesser != wantLesser {
			t.Fatalf("principal values %v, %v, want %v, %v", greater, lesser, wantGreater, wantLesser)
		}
	})
}

func TestValuesAtTheEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ xx, yy, xy, greater, lesser float64 }{
		{0, 0, 0, 0, 0},
		{7, 7, 0, 7, 7},
		{-7, -7, 0, -7, -7},
		{0, 5, 0, 5, 0},
		{-5, 0, 0, 0, -5},
		{4, 1, 2, 5, 0},    // singular: the lesser value is exactly zero
		{-4, -1, 2, 0, -5}, // and the greater
		{0, 0, 3, 3, -3},   // pure shear
		{100, 20, 30, 110, 10},
		{1e200, 1e200, 1e200, 2e200, 0}, // squares beyond the range of binary64
		{1e-200, 1e-200, -1e-200, 2e-200, 0},
		{1e300, 1e-300, 0, 1e300, 1e-300},
		{1, 1, 0x1p-53, 1, 1 - 0x1p-53}, // half way between two numbers, of which 1 is even
		{1 + 0x1p-52, 1 + 0x1p-52, 0x1p-53, 1 + 0x1p-51, 1},
		{math.MaxFloat64, math.MaxFloat64, 1, math.MaxFloat64, math.MaxFloat64},
		{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, inf, inf},
		{-math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, -inf, -inf},
	} {
		greater, lesser := values(t, c.xx, c.yy, c.xy)
		if greater != c.greater || lesser != c.lesser {
			t.Errorf("[%v %v; %v]: %v, %v, want %v, %v", c.xx, c.yy, c.xy, greater, lesser, c.greater, c.lesser)
		}
	}
}

// TestGuessDoesNotMatter begins the search a few steps away, on both sides, also where the
// value lies half way between two numbers.
func TestGuessDoesNotMatter(t *testing.T) {
	for _, c := range [][3]float64{{1, 1, 0x1p-53}, {1 + 0x1p-52, 1 + 0x1p-52, 0x1p-53}, {4, 1, 2}, {0.3, 0.1, -0.7}, {-5, -2, 0.1}} {
		greater, lesser := values(t, c[0], c[1], c[2])
		for _, off := range []float64{-0x1p-50, 0x1p-50} {
			guess := principal.Components{XX: c[0] + off, YY: c[1] + off, XY: c[2] + off}
			if a, b := tensor(c[0], c[1], c[2]).Values(t.Context(), guess, "a", "b"); a != greater || b != lesser {
				t.Errorf("%v from %v: %v, %v, want %v, %v", c, guess, a, b, greater, lesser)
			}
		}
	}
}

func TestComponentsBeyondTheRange(t *testing.T) {
	huge := func(x *adaptive.X) adaptive.Num { return x.Of(1e300).Pow(2) }
	one := func(x *adaptive.X) adaptive.Num { return x.Int(1) }
	greater, lesser := principal.Tensor{XX: one, YY: huge, XY: one}.Values(t.Context(), principal.Components{XX: 1, YY: math.Inf(1), XY: 1}, "a", "b")
	if !math.IsInf(greater, 1) || !math.IsInf(lesser, 1) {
		t.Errorf("%v, %v, want infinity", greater, lesser)
	}
}

func TestRadiusIsHalfTheDifference(t *testing.T) {
	if got := tensor(100, 20, 30).Radius(t.Context(), "r"); got != 50 {
		t.Errorf("radius %v, want 50", got)
	}
}

// TestScale: components may be sent as multiples of a number.
func TestScale(t *testing.T) {
	for _, c := range []struct{ xx, yy, xy, want float64 }{{6, 2, 0, 1}, {2, 2, 8, 4}, {14, 2, 8, 5}} {
		scaled := tensor(c.xx, c.yy, c.xy)
		scaled.Scale = func(x *adaptive.X) adaptive.Num { return x.Int(2) }
		if got := scaled.Radius(t.Context(), "r"); got != c.want {
			t.Errorf("%+v: radius %v", c, got)
		}
	}
}
