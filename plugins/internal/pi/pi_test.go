package pi_test

import (
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/pi"
)

// arctan returns the arc tangent of 1/n, by its series to a relative error of 1e-70.
func arctan(x *adaptive.X, n int64) adaptive.Num {
	inverse, sum := x.Int(1).Div(x.Int(n)), x.Int(0)
	for k := 50; k >= 0; k-- {
		sum = x.Int(1).Div(x.Int(int64(2*k + 1))).Sub(inverse.Pow(2).Mul(sum))
	}
	return inverse.Mul(sum)
}

// TestOf compares with Machin's formula, pi = 16 arctan(1/5) - 4 arctan(1/239).
func TestOf(t *testing.T) {
	off := adaptive.Round(t.Context(), "", func(x *adaptive.X) adaptive.Num {
		machin := arctan(x, 5).Mul(x.Int(16)).Sub(arctan(x, 239).Mul(x.Int(4)))
		return pi.Of(x).Div(machin).Sub(x.Int(1)).Abs()
	})
	if off < 1e-67 || off > 2e-66 {
		t.Errorf("pi is off by %v of its size, want 1.8e-66", off)
	}
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		adaptive.Round(b.Context(), "", pi.Of)
	}
}
