package pipe_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/pipe"
)

func TestRegime(t *testing.T) {
	for re, want := range map[float64]string{
		0: pipe.Laminar, math.Nextafter(2300, 0): pipe.Laminar, 2300: pipe.Transitional,
		math.Nextafter(4000, 0): pipe.Transitional, 4000: pipe.Turbulent, 1e300: pipe.Turbulent,
	} {
		if got := pipe.Regime(re); got != want {
			t.Errorf("Regime(%v) = %s, want %s", re, got, want)
		}
	}
}

func flows(t *rapid.T) (re, roughness float64) {
	re = math.Pow(10, rapid.Float64Range(-10, 300).Draw(t, "log10 Re"))
	return re, rapid.Float64Range(0, pipe.MaxRelativeRoughness).Draw(t, "roughness")
}

// TestColebrookFactorSolvesTheEquation puts the factor back into the equation, with all
// the digits that it has.
func TestColebrookFactorSolvesTheEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		re, roughness := flows(t)
		f := pipe.ColebrookFactor(elementary.Of(re), elementary.Of(roughness))
		root := f.Sqrt()
		inside := elementary.Of(roughness).Div(elementary.Literal("3.7")).Add(elementary.Literal("2.51").Div(elementary.Of(re).Mul(root)))
		decades := inside.Log().Div(elementary.Int(10).Log())
		residue := elementary.Int(1).Add(elementary.Int(2).Mul(root, decades)) // of 1 = -2 sqrt f log10 inside
		if off := math.Abs(residue.Float()); off > 1e-40 {
			t.Fatalf("Re %v, roughness %v: f = %v leaves %v", re, roughness, f.Float(), off)
		}
	})
}

func TestApproximateRootIsNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		re, roughness := flows(t)
		got := pipe.ApproximateRoot(re, roughness)
		want := elementary.Int(1).Div(pipe.ColebrookFactor(elementary.Of(re), elementary.Of(roughness)).Sqrt()).Float()
		if math.Abs(got-want) > 1e-14*want {
			t.Fatalf("Re %v, roughness %v: %v, want %v", re, roughness, got, want)
		}
	})
}

func TestBeyondBinary64(t *testing.T) {
	if f := pipe.ColebrookFactor(elementary.Of(1e-200), elementary.Of(0)).Float(); !math.IsInf(f, 1) {
		t.Errorf("at a Reynolds number of 1e-200 f = %v, want what is beyond binary64", f)
	}
}
