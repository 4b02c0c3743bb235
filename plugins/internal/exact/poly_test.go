package exact_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/exact"
)

// times returns p * (c + x).
func times(p exact.Poly, c exact.Num) exact.Poly {
	return append(exact.Poly{{}}, p...).Add(p.Scale(c))
}

// TestSignsOfKnownRoots builds polynomials from their roots, multiple ones and ones
// at the ends of the interval included, and from factors without any root.
func TestSignsOfKnownRoots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := exact.Of(rapid.SampledFrom([]float64{1, 0.1, 1e-200, 1e200, 3}).Draw(t, "scale"))
		at := func(i int) exact.Num { return exact.Int(int64(i)).Mul(scale) }
		lead := rapid.SampledFrom([]int64{1, -1, 7, -3}).Draw(t, "lead")
		p, wantFirst := exact.Poly{exact.Int(lead)}, exact.Int(lead).Sign()
		lo := rapid.IntRange(-5, 4).Draw(t, "lo")
		hi := rapid.IntRange(lo+1, 6).Draw(t, "hi")
		multiplicity := map[int]int{}
		for _, r := range rapid.SliceOfN(rapid.IntRange(-6, 7), 0, 6).Draw(t, "roots") {
			p = times(p, at(-r))
			multiplicity[r]++
			if r > lo {
				wantFirst = -wantFirst
			}
		}
		for _, c := range rapid.SliceOfN(rapid.IntRange(1, 9), 0, 1).Draw(t, "no roots") {
			p = append(exact.Poly{{}, {}}, p...).Add(p.Scale(at(c).Mul(at(c)))) // x^2 + c^2
		}
		want := 0
		for r, m := range multiplicity {
			if r > lo && r < hi && m%2 == 1 {
				want++
			}
		}
		if first, got := p.Signs(at(lo), at(hi)); got != want || first != wantFirst {
			t.Fatalf("%d sign changes after %d, want %d after %d", got, first, want, wantFirst)
		}
	})
}

// TestSignsOfNearlyDoubleRoots distinguishes cases that look equal after rounding:
// a parabola that touches the axis, misses it, or cuts it twice.
func TestSignsOfNearlyDoubleRoots(t *testing.T) {
	hair := exact.Of(0x1p-1000).Pow(3)
	third, square := exact.Of(1.0/3), exact.Of(1.0/3).Pow(2)
	for name, c := range map[string]struct {
		constant exact.Num
		want     int
	}{"touches": {square, 0}, "misses": {square.Add(hair), 0}, "cuts": {square.Sub(hair), 2}} {
		p := exact.Poly{c.constant, third.Mul(exact.Int(-2)), exact.Int(1)}
		if first, got := p.Signs(exact.Num{}, exact.Int(1)); first != 1 || got != c.want {
			t.Errorf("%s: %d changes after %d, want %d after 1", name, got, first, c.want)
		}
	}
}

func TestSignsOfConstants(t *testing.T) {
	for c, want := range map[int64]int{-2: -1, 0: 0, 5: 1} {
		p := exact.Poly{exact.Int(c), {}, {}}
		if first, changes := p.Signs(exact.Int(0), exact.Int(1)); first != want || changes != 0 {
			t.Errorf("%d: %d, %d, want %d, 0", c, first, changes, want)
		}
	}
	if first, changes := (exact.Poly)(nil).Signs(exact.Int(0), exact.Int(1)); first != 0 || changes != 0 {
		t.Errorf("empty: %d, %d", first, changes)
	}
}
