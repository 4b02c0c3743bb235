package sdk_test

import (
	"context"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// BenchmarkCalculate measures the cost of the SDK per call of an author's function.
func BenchmarkCalculate(b *testing.B) {
	type in struct {
		A float64  `name:"a" unit:"m"`
		B float64  `name:"b" unit:"m" range:"(0,)"`
		C *float64 `name:"c" unit:"m"`
		D string   `name:"d" default:"x"`
	}
	type out struct {
		W float64 `name:"w" unit:"m"`
		X float64 `name:"x" unit:"m"`
	}
	e := sdk.New(sdk.Spec{Capability: "test.bench.four", Version: "1.0.0", Tool: "four", Group: "bench", Title: "Four", Summary: "Adds."},
		func(_ context.Context, v in) (out, error) { return out{v.A + v.B, v.A / v.B}, nil })
	values := value.Values{value.NumberOf(1), value.NumberOf(2), value.NumberOf(3), value.TextOf("x")}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Calculate(context.Background(), values); err != nil {
			b.Fatal(err)
		}
	}
}
