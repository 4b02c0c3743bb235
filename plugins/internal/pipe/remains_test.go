package pipe

import (
	"math"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
)

// TestRemainsIsABound: what a step of Newton leaves over is within the bound, and the bound is not
// far above it; nothing is known after a step from far away.
func TestRemainsIsABound(t *testing.T) {
	for _, reynolds := range []float64{1, 100, 2300, 1e5, 1e8} {
		for _, roughness := range []float64{0, 1e-6, 0.05} {
			a, b := elementary.Of(roughness).Div(rough), smooth.Div(elementary.Of(reynolds))
			root := elementary.Of(ApproximateRoot(reynolds, roughness))
			for range 4 {
				root, _, _ = newton(root, a, b)
			}
			for _, beside := range []float64{1 + 1e-6, 1 - 1e-6} {
				x, residue, slope := newton(root.Mul(elementary.Of(beside)), a, b)
				off := math.Abs(x.Sub(root).Div(root).Float())
				s := slope.Float()
				if bound := remains(x.About(), residue.About(), s); off > bound || bound > 2*s*s*s*off {
					t.Errorf("Re = %v, roughness %v: %v remains, and the bound is %v", reynolds, roughness, off, bound)
				}
			}
		}
	}
	if got := remains(1, 0.01, 1.2); !math.IsInf(got, 1) {
		t.Errorf("after a step from far away %v remains at most", got)
	}
	if got := remains(4, 1e-5, 21); math.Abs(got-1e-8) > 1e-15 {
		t.Errorf("%v remains at most, want 1e-8", got)
	}
}
