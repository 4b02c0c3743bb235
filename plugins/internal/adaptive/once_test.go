package adaptive_test

import (
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// TestOnce has two formulas of a sum that cancels: the first one needs exact numbers, the
// second finds them.
func TestOnce(t *testing.T) {
	fast, slow := 0, 0
	shared := adaptive.Once(func(x *adaptive.X) []adaptive.Num {
		if fast++; x.IsExact() {
			fast, slow = fast-1, slow+1
		}
		third := x.Int(1).Div(x.Int(3))
		return []adaptive.Num{third.Sub(x.Int(2).Div(x.Int(6))), third}
	})
	for _, c := range []struct {
		f    func(x *adaptive.X) adaptive.Num
		want float64
		slow int
	}{
		{func(x *adaptive.X) adaptive.Num { return shared(x)[1] }, 1.0 / 3, 0},
		{func(x *adaptive.X) adaptive.Num { return shared(x)[0] }, 0, 1},
		{func(x *adaptive.X) adaptive.Num { return shared(x)[0].Add(shared(x)[1]) }, 1.0 / 3, 1},
		{func(x *adaptive.X) adaptive.Num { return shared(x)[0].Times(shared(x)[1]) }, 0, 1},
	} {
		if got := adaptive.Round(t.Context(), "x", c.f); got != c.want || fast != 1 || slow != c.slow {
			t.Errorf("%v, made %d times fast and %d times exactly, want %v, 1 and %d", got, fast, slow, c.want, c.slow)
		}
	}
}
