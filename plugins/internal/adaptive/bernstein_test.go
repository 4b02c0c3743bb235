package adaptive

import (
	"math"
	"testing"
)

// TestBernsteinHasTheValuesOfThePolynomial at both ends and in the middle, up to one factor.
func TestBernsteinHasTheValuesOfThePolynomial(t *testing.T) {
	x := fast
	coefficients := []float64{-3, 2, 0.5, -1.25, 0, 0.0625}
	for _, interval := range [][2]float64{{0, 1}, {2, 5}, {-3, 0.5}, {100, 1000}} {
		from, to := interval[0], interval[1]
		p := Piece{From: x.Of(from), To: x.Of(to)}
		for i, c := range coefficients { // in two parts
			p.Terms[0][i], p.Terms[2][i] = x.Of(c/2), x.Of(c/2)
		}
		b := p.bernstein()
		at := func(z float64) (v float64) {
			for i := len(coefficients) - 1; i >= 0; i-- {
				v = v*z + coefficients[i]
			}
			return v
		}
		value := func(k int) float64 {
			v, known := b[k].Round()
			if !known {
				t.Fatalf("%v: b[%d] is not known", interval, k)
			}
			return v
		}
		middle := (value(0) + 5*value(1) + 10*value(2) + 10*value(3) + 5*value(4) + value(5)) / 32
		factor := value(5) / at(to)
		if got, want := value(0), at(from)*factor; factor <= 0 || math.Abs(got-want) > 1e-12*math.Abs(value(5)) {
			t.Errorf("%v: %v at the beginning, want %v", interval, got, want)
		}
		if want := at((from+to)/2) * factor; math.Abs(middle-want) > 1e-12*math.Abs(value(5)) {
			t.Errorf("%v: %v in the middle, want %v", interval, middle, want)
		}
	}
}

// TestReversalsBetweenPieces: where a piece ends at a root, and over a piece that is zero.
func TestReversalsBetweenPieces(t *testing.T) {
	for name, c := range map[string]struct {
		pieces [][2]float64 // a + b z
		want   bool
	}{
		"from above":        {[][2]float64{{1, -1}, {1, -1}}, true},
		"from below":        {[][2]float64{{-1, 1}, {-1, 1}}, true},
		"touching":          {[][2]float64{{1, -1}, {-1, 1}}, false},
		"touching below":    {[][2]float64{{-1, 1}, {1, -1}}, false},
		"zero in between":   {[][2]float64{{1, -1}, {0, 0}, {2, -1}}, true},
		"and the other way": {[][2]float64{{-1, 1}, {0, 0}, {-2, 1}}, true},
		"back again":        {[][2]float64{{1, -1}, {0, 0}, {-2, 1}}, false},
	} {
		piece := func(x *X, i int) Piece {
			p := Piece{From: x.Of(float64(i)), To: x.Of(float64(i + 1))}
			p.Terms[1][0], p.Terms[1][1] = x.Of(c.pieces[i][0]), x.Of(c.pieces[i][1])
			return p
		}
		if got := reversesExactly(len(c.pieces), piece); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		if got := Reverses(len(c.pieces), piece); got != c.want {
			t.Errorf("%s: %t, quickly", name, got)
		}
	}
}
