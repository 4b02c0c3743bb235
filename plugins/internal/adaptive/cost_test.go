package adaptive_test

import (
	"context"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// beam is a formula as engines write them: a method that captures its inputs.
type beam struct{ load, length, modulus, inertia float64 }

func (b beam) deflection(ctx context.Context) float64 {
	return adaptive.Round(ctx, "delta", func(x *adaptive.X) adaptive.Num {
		square := x.Of(b.length).Times(x.Of(b.length))
		return x.Of(b.load).Times(square).Times(square).Div(x.Int(384).Times(x.Of(b.modulus)).Times(x.Of(b.inertia)))
	})
}

func (b beam) slender() bool {
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num { return x.Of(b.length).Sub(x.Of(b.load).Abs()) }) > 0
}

var common = beam{12000.1, 3.3, 210e9, 8.356e-5}

func TestNothingIsAllocated(t *testing.T) {
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		common.deflection(ctx)
		common.slender()
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkRound(b *testing.B) {
	subnormal := common
	subnormal.load = 1e-310
	for name, beam := range map[string]beam{"fast": common, "exact": subnormal} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				beam.deflection(b.Context())
			}
		})
	}
}

func BenchmarkOperations(b *testing.B) {
	load, length := 12000.1, 3.3
	for name, f := range map[string]func(x *adaptive.X) adaptive.Num{
		"of":  func(x *adaptive.X) adaptive.Num { return x.Of(load) },
		"add": func(x *adaptive.X) adaptive.Num { return x.Of(load).Add(x.Of(length)) },
		"mul": func(x *adaptive.X) adaptive.Num { return x.Of(load).Mul(x.Of(length)) },
		"div": func(x *adaptive.X) adaptive.Num { return x.Of(load).Div(x.Of(length)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				adaptive.Round(b.Context(), "x", f)
			}
		})
	}
}
