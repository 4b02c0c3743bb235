package main

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// kinds are ways to draw a number above 0, at most 1: with all digits, with few, and of any
// magnitude.
var kinds = []func(r *rand.Rand) float64{
	func(r *rand.Rand) float64 { return 1 - r.Float64() },
	func(r *rand.Rand) float64 { return float64(r.IntN(16)+1) / 16 },
	func(r *rand.Rand) float64 { return math.Ldexp(1-r.Float64(), -r.IntN(100)) },
}

// mixed draws a beam whose loads have both signs.
func mixed(r *rand.Rand, number func(*rand.Rand) float64) *Input {
	length := 10 * number(r)
	load := func() float64 {
		if r.IntN(8) == 0 {
			return 1
		}
		return float64(r.IntN(3)-1) * 1e4 * number(r)
	}
	in := &Input{
		Length: length, FlexuralRigidity: new(1e6 * number(r)), Model: eulerBernoulli, Position: new(length * number(r)),
		TriangleLength: new(length * number(r)), OuterStart: new(length * (1 - number(r))),
		TrianglePeakLoad: load(), OuterUniformLoad: load(), TipMoment: load(),
	}
	if r.IntN(2) == 0 {
		in.Model, in.ShearRigidity = timoshenko, new(1e6*number(r))
	}
	if r.IntN(4) == 0 {
		in.OuterStart, in.OuterLength = nil, new(length*number(r))
	}
	if r.IntN(8) == 0 {
		in.OuterUniformLoad, in.OuterStart, in.OuterLength = 0, nil, nil
	}
	if in.sameWay() {
		return mixed(r, number)
	}
	return in
}

// scaled changes the loads and the lengths by a power of two each, which changes no sign unless
// numbers get lost.
func scaled(in *Input, r *rand.Rand) *Input {
	loads, lengths := r.IntN(2000)-1000, r.IntN(1000)-500
	for _, load := range []*float64{&in.TrianglePeakLoad, &in.OuterUniformLoad} {
		*load = math.Ldexp(*load, max(min(loads-2*lengths, 1000), -1060))
	}
	in.TipMoment = math.Ldexp(in.TipMoment, loads)
	in.Length = math.Ldexp(in.Length, lengths)
	for _, length := range []*float64{in.TriangleLength, in.OuterStart, in.OuterLength} {
		if length != nil {
			*length = math.Ldexp(*length, lengths)
		}
	}
	if in.ShearRigidity != nil {
		in.ShearRigidity = new(math.Ldexp(*in.ShearRigidity, -lengths))
	}
	if in.sameWay() {
		return scaled(mixed(r, kinds[0]), r)
	}
	return in
}

// balanced changes the tip couple so that there is no deflection at the position, except
// for rounding. At the tip it then depends on the last digit whether the deflection
// reverses.
func balanced(in *Input, r *rand.Rand) *Input {
	if r.IntN(4) > 0 {
		in.Position = &in.Length
	}
	in.TipMoment = 1
	at := func(of func(terms) adaptive.Num) float64 {
		return adaptive.Round(context.Background(), "", func(x *adaptive.X) adaptive.Num { return of(in.terms(x, *in.Position)) })
	}
	couple := at(func(t terms) adaptive.Num { return t.moment })
	in.TipMoment = -at(func(t terms) adaptive.Num { return t.triangle.Add(t.outer) }) / couple
	return in
}

// TestReversalsAreDecidedExactly compares the judgement with that of exact arithmetic.
func TestReversalsAreDecidedExactly(t *testing.T) {
	trials := 20_000
	if testing.Short() {
		trials = 2000
	}
	for name, change := range map[string]func(*Input, *rand.Rand) *Input{
		"any":       func(in *Input, _ *rand.Rand) *Input { return in },
		"near zero": balanced,
		"any scale": scaled,
		"next to nothing": func(in *Input, r *rand.Rand) *Input { // products are subnormal then
			in = balanced(in, r)
			in.Model = eulerBernoulli
			for _, load := range []*float64{&in.TrianglePeakLoad, &in.OuterUniformLoad, &in.TipMoment} {
				*load = math.Ldexp(*load, -1060)
			}
			if in.sameWay() {
				return balanced(mixed(r, kinds[0]), r)
			}
			return in
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			reversed := 0
			for i := range trials {
				in := change(mixed(r, kinds[i%len(kinds)]), r)
				want := !in.sameWay() && in.reversesExactly()
				if want {
					reversed++
				}
				if got := in.reverses(); got != want {
					t.Fatalf("%+v: reverses %t, want %t", in, got, want)
				}
			}
			if reversed < trials/10 || reversed > trials*9/10 {
				t.Errorf("%d of %d beams reverse", reversed, trials)
			}
		})
	}
}

// TestUsualReversalsAreDecidedRoughly holds the rough bounds to their use.
func TestUsualReversalsAreDecidedRoughly(t *testing.T) {
	r, known, all := rand.New(rand.NewPCG(1, 2)), map[bool]int{}, map[bool]int{}
	const trials = 1000
	for range trials {
		in := mixed(r, kinds[0])
		in.Model = eulerBernoulli
		reverses, ok := in.reversesRoughly()
		if !ok {
			reverses = in.reversesExactly()
		} else {
			known[reverses]++
		}
		all[reverses]++
	}
	for reverses, n := range all {
		if n < trials/20 || known[reverses] < n*3/4 {
			t.Errorf("%d of %d beams with reversal %t are judged roughly", known[reverses], n, reverses)
		}
	}
}

// FuzzReversals is TestReversalsAreDecidedExactly for any numbers.
func FuzzReversals(f *testing.F) {
	f.Add(3.0, 1.0, 0.0, 0.0, 1000.0, -3000.0, 0.0)
	f.Add(2.0, 2.0, 1.0, 0.0, 12.0, -14.0, 0.0)
	f.Add(3.0, 2.2, 1.3, 12000.0, -5000.0, 700.0, 8e7)
	f.Fuzz(func(t *testing.T, length, b, a, w0, w, m, shear float64) {
		in := &Input{
			Length: length, TriangleLength: &b, OuterStart: &a, FlexuralRigidity: new(1e6), Model: eulerBernoulli,
			TrianglePeakLoad: w0, OuterUniformLoad: w, TipMoment: m,
		}
		if shear > 0 {
			in.Model, in.ShearRigidity = timoshenko, &shear
		}
		sum := length + b + a + w0 + w + m + shear
		if sum-sum != 0 || !(0 < b && b <= length && 0 <= a && a <= length) || in.sameWay() {
			t.Skip()
		}
		if got, want := in.reverses(), in.reversesExactly(); got != want {
			t.Fatalf("%+v: reverses %t, want %t", in, got, want)
		}
	})
}
