package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// BenchmarkBeams asks for beams of steel under loads of both signs, whose numbers have 12 digits
// or more, as a program sends them.
func BenchmarkBeams(b *testing.B) {
	beams := make([]value.Values, 1024)
	for i := range beams {
		beams[i] = steel(b, rand.New(rand.NewPCG(uint64(i), 1)))
	}
	calculate, next := engine.(sdk.Repeater).Repeat(), 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := calculate(b.Context(), beams[next%len(beams)]); err != nil {
			b.Fatal(err)
		}
		next++
	}
}

// steel returns a beam with new digits.
func steel(tb testing.TB, r *rand.Rand) value.Values {
	digits := fmt.Sprintf("%011d", r.Uint64N(1e11))
	spec := engine.Spec()
	in := make(value.Values, len(spec.Inputs))
	in[spec.Input("model")] = value.TextOf(eulerBernoulli)
	for name, start := range map[string]string{
		"length": "4.", "elastic_modulus": "2", "second_moment_of_area": "0.0001", "triangle_peak_load": "4321.",
		"outer_uniform_load": "-2500.", "outer_start": "1.", "tip_moment": "150.", "position": "2.",
	} {
		f, err := strconv.ParseFloat(start+digits, 64)
		if err != nil {
			tb.Fatal(err)
		}
		in[spec.Input(name)] = value.NumberOf(f)
	}
	return in
}
