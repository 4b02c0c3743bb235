package powerfactor_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/powerfactor"
	"github.com/slipstick/slipstick/sdk"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 4e-16*max(math.Abs(a), math.Abs(b)) }

func TestTrigonometry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pf := rapid.Float64Range(0.01, 1).Draw(t, "pf")
		sin, tan, angle := powerfactor.Sin(pf).Float(), powerfactor.Tan(pf).Float(), powerfactor.Angle(pf).Float()
		if got := math.Hypot(sin, pf); !near(got, 1) {
			t.Fatalf("pf %v: sine %v", pf, sin)
		}
		if !near(tan*pf, sin) || math.Abs(math.Cos(angle)-pf) > 4e-16 {
			t.Fatalf("pf %v: sine %v, tangent %v, angle %v", pf, sin, tan, angle)
		}
	})
}

func TestEnds(t *testing.T) {
	if s, a := powerfactor.Sin(1), powerfactor.Angle(1); s.Sign() != 0 || a.Sign() != 0 {
		t.Errorf("pf 1: sine %v, angle %v", s.Float(), a.Float())
	}
	if s, a := powerfactor.Sin(0).Float(), powerfactor.Angle(0).Float(); s != 1 || a != math.Pi/2 {
		t.Errorf("pf 0: sine %v, angle %v", s, a)
	}
	last := math.Nextafter(1, 0) // 1 - 2^-53, whose sine is the root of 2^-52 - 2^-106
	if got, want := powerfactor.Sin(last).Float(), math.Ldexp(1, -26); !near(got, want) {
		t.Errorf("sine of the power factor next to 1: %v, want %v", got, want)
	}
	if got := powerfactor.Tan(1e-310).Sign(); got != 1 {
		t.Errorf("a tangent beyond binary64 has the sign %d", got)
	}
}

func TestArcEndsAtItsAngle(t *testing.T) {
	for _, angle := range []float64{0.3, -1.2, math.Pi / 2} {
		c := powerfactor.Arc("angle", 2, angle)
		for i := range c.X {
			if !near(math.Hypot(c.X[i], c.Y[i]), 2) {
				t.Errorf("(%v, %v) is not 2 from the corner", c.X[i], c.Y[i])
			}
		}
		if got := math.Atan2(c.Y[len(c.Y)-1], c.X[len(c.X)-1]); !near(got, angle) {
			t.Errorf("the arc ends at %v rad, want %v", got, angle)
		}
	}
	if c := powerfactor.Arc("angle", 1, math.Pi/4); c.Label != "angle = 45 degrees" || c.Style != sdk.Guide {
		t.Errorf("%q, %q", c.Label, c.Style)
	}
}

func TestDrawable(t *testing.T) {
	if err := powerfactor.Drawable(0, -1, math.MaxFloat64); err != nil {
		t.Error(err)
	}
	if rejection, ok := powerfactor.Drawable(0, math.Inf(-1)).(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult {
		t.Error("infinite powers are drawn")
	}
}
