package show

import (
	"math"
	"math/big"
	"testing"
)

// relative returns the relative difference of two numbers: in full, and as on a page.
func relative(a, b float64) (full, shown string) {
	d, ok := DifferenceOf(a, b, Unit{}, 0)
	switch {
	case !ok:
		return "equal", ""
	case d.Relative == nil:
		return "none", ""
	}
	return d.Relative.Full, d.Relative.Number.Mantissa
}

// Differences are exact: the binary64 nearest to the true difference of two binary64 numbers.
func TestDifferences(t *testing.T) {
	for _, tt := range []struct{ a, b float64 }{
		{0.1, 0.3}, {0.3, 0.1}, {-0.1, 0.3}, {1, math.Nextafter(1, 2)}, {5e-324, 1e308}, {-1e308, 1e308}, {math.Pi, 355.0 / 113}, {3, -3},
	} {
		a, b := new(big.Rat).SetFloat64(tt.a), new(big.Rat).SetFloat64(tt.b)
		exact := new(big.Rat).Sub(b, a)
		want, _ := new(big.Rat).Quo(exact, new(big.Rat).Abs(a)).Float64()
		full, _ := relative(tt.a, tt.b)
		if got, _, err := big.ParseFloat(full, 10, 53, big.ToNearestEven); err != nil && !math.IsInf(want, 0) || err == nil && cmpFloat(got, want) != 0 {
			t.Errorf("%g from %g is %s, want %g", tt.b, tt.a, full, want)
		}
	}
	for _, same := range [][2]float64{{0, 0}, {0.1, 0.1}} {
		if full, _ := relative(same[0], same[1]); full != "equal" {
			t.Errorf("%g: %s", same, full)
		}
	}
	if full, shown := relative(0, 0.1); full != "none" || shown != "" {
		t.Errorf("there is no ratio to zero: %s %s", full, shown)
	}
}

func cmpFloat(got *big.Float, want float64) int {
	x, _ := got.Float64()
	return big.NewFloat(x).Cmp(big.NewFloat(want))
}
