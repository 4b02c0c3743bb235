package adaptive_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// roots returns the piece from 0 to 1 of a polynomial with these roots, and how often it
// was made.
func roots(sign float64, at ...float64) (func(x *adaptive.X, _ int) adaptive.Piece, *int) {
	made := new(int)
	return func(x *adaptive.X, _ int) adaptive.Piece {
		*made++
		p := adaptive.Poly{x.Of(sign)}
		for _, root := range at {
			shifted := adaptive.Poly{}
			copy(shifted[1:], p[:])
			p = shifted.Add(p.Scale(x.Of(root).Neg()))
		}
		return adaptive.Piece{From: x.Int(0), To: x.Int(1), Terms: [3]adaptive.Poly{p}}
	}, made
}

// TestReversesAtRoots builds polynomials from their roots. A polynomial reverses its sign
// between the ends if an odd number of roots is at one place there.
func TestReversesAtRoots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.SampledFrom([]float64{8, 3}).Draw(t, "grid") // thirds are rounded: no root is met exactly
		at := rapid.SliceOfN(rapid.Map(rapid.IntRange(-2, 10), func(i int) float64 { return float64(i) / grid }), 0, 5).Draw(t, "roots")
		sign := rapid.SampledFrom([]float64{1, -1, 1e-200, -1e200}).Draw(t, "sign")
		count := map[float64]int{}
		for _, root := range at {
			count[root]++
		}
		want := false
		for root, n := range count {
			want = want || root > 0 && root < 1 && n%2 == 1
		}
		piece, _ := roots(sign, at...)
		if got := adaptive.Reverses(1, piece); got != want {
			t.Fatalf("with roots at %v: reverses %t, want %t", at, got, want)
		}
	})
}

// TestReversalsThatAreDecidedAtOnce checks that the bounds are useful. Only a function that
// comes nearer to zero than the bounds is made again in exact numbers.
func TestReversalsThatAreDecidedAtOnce(t *testing.T) {
	near := 0.6 + 1e-6
	for name, c := range map[string]struct {
		at   []float64
		want bool
		made int
	}{
		"no root":              {nil, false, 1},
		"one":                  {[]float64{0.3}, true, 1},
		"two":                  {[]float64{0.3, 0.7}, true, 1},
		"two that are close":   {[]float64{0.6, near, 2}, true, 1},
		"at both ends":         {[]float64{0, 1}, false, 1},
		"touching in a half":   {[]float64{0.5, 0.5}, false, 1},
		"touching anywhere":    {[]float64{0.3, 0.3}, false, 2},
		"beyond the ends":      {[]float64{-0.1, 1.1, 3}, false, 1},
		"touching and another": {[]float64{0.3, 0.3, 0.7}, true, 1},
	} {
		piece, made := roots(1, c.at...)
		if got := adaptive.Reverses(1, piece); got != c.want || *made != c.made {
			t.Errorf("%s: reverses %t, made %d times, want %t, %d", name, got, *made, c.want, c.made)
		}
	}
}

func TestPiecesTogether(t *testing.T) {
	constant := func(values ...float64) func(x *adaptive.X, i int) adaptive.Piece {
		return func(x *adaptive.X, i int) adaptive.Piece {
			return adaptive.Piece{From: x.Int(int64(i)), To: x.Int(int64(min(i+1, 3))), Terms: [3]adaptive.Poly{{x.Of(values[i])}}}
		}
	}
	for _, c := range []struct {
		values []float64
		want   bool
	}{
		{nil, false}, {[]float64{1, 0, 2}, false}, {[]float64{1, 0, -2}, true}, {[]float64{0, 0, 0}, false},
		{[]float64{-1, -1, -1, 1}, false}, // the last piece is empty
	} {
		if got := adaptive.Reverses(len(c.values), constant(c.values...)); got != c.want {
			t.Errorf("%v: reverses %t, want %t", c.values, got, c.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a piece that was divided is taken")
		}
	}()
	adaptive.Reverses(1, func(x *adaptive.X, _ int) adaptive.Piece {
		return adaptive.Piece{To: x.Int(1), Terms: [3]adaptive.Poly{{hiddenZero(x)}}}
	})
}
