package main

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/exact"
)

// anyBeam draws a beam of any numbers.
func anyBeam(t *rapid.T) *Input {
	positive := func(name string) float64 {
		return rapid.OneOf(
			rapid.Float64Range(0.1, 100), rapid.Float64Range(1e-300, 1e300),
			rapid.Map(rapid.IntRange(-1074, 1023), func(e int) float64 { return math.Ldexp(1, e) }),
		).Draw(t, name)
	}
	load := func(name string) float64 {
		return rapid.SampledFrom([]float64{0, 1, 1, -1}).Draw(t, name+", sign") * positive(name)
	}
	length := positive("L")
	within := func(name string) float64 { return length * rapid.Float64Range(0, 1).Draw(t, name) }
	in := &Input{
		Length: length, TriangleLength: new(max(within("b"), math.SmallestNonzeroFloat64)), Position: new(within("x")), OuterStart: new(within("a")),
		TrianglePeakLoad: load("w0"), OuterUniformLoad: load("w"), TipMoment: load("M0"), Model: eulerBernoulli,
	}
	switch rapid.IntRange(0, 3).Draw(t, "place") {
	case 0:
		in.Position = new(length)
	case 1:
		in.TriangleLength = new(length)
	case 2:
		in.OuterLength = new(length - *in.OuterStart)
	}
	if rapid.Bool().Draw(t, "EI") {
		in.FlexuralRigidity = new(positive("EI"))
	} else {
		in.ElasticModulus, in.SecondMomentOfArea = new(positive("E")), new(positive("I"))
	}
	if rapid.Bool().Draw(t, "timoshenko") {
		in.Model, in.ShearRigidity = timoshenko, new(positive("kAG"))
	}
	return in
}

// polynomial is the deflection at a place as the polynomials of spanOf give it: a
// second statement of the formulas, in exact arithmetic.
func polynomial(in *Input, at float64) (n, d exact.Num) {
	s, x := spanOf(in), exact.Of(at)
	rigidity := exact.Int(1)
	for _, factor := range []*float64{in.FlexuralRigidity, in.ElasticModulus, in.SecondMomentOfArea} {
		if factor != nil {
			rigidity = rigidity.Mul(exact.Of(*factor))
		}
	}
	piece := s.piece(x)
	for i := len(piece) - 1; i >= 0; i-- {
		n = n.Mul(x).Add(piece[i])
	}
	return n, exact.Int(120).Mul(s.b, rigidity, s.bending)
}

func TestDeflectionIsThatOfThePolynomials(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyBeam(t)
		got, want := in.deflection(t.Context()), exact.Quo(polynomial(in, *in.Position))
		if got != want {
			t.Fatalf("delta = %v, want %v", got, want)
		}
	})
}

// TestLargeDeflectionIsDecidedExactly compares the decision, with its short cut, and
// demands that the short cut is taken where the beam is stiff.
func TestLargeDeflectionIsDecidedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyBeam(t)
		n, d := polynomial(in, in.Length)
		n, d = n.Abs().Mul(exact.Int(10)), d.Mul(exact.Of(in.Length))
		if got, want := in.isLarge(), n.Cmp(d) > 0; got != want {
			t.Fatalf("large: %t, want %t", got, want)
		}
	})
	for name, in := range ordinaryBeams {
		if bound := in.boundOfTip(); !(bound < 0.09) {
			t.Errorf("%s: the tip's bound is %v of the length", name, bound)
		}
	}
}

var ordinaryBeams = func() map[string]Input {
	one := Input{
		Length: 3, ElasticModulus: new(210e9), SecondMomentOfArea: new(8.356e-5), TrianglePeakLoad: 12000,
		TriangleLength: new(3.0), Position: new(3.0), Model: eulerBernoulli,
	}
	three := one
	three.OuterUniformLoad, three.OuterStart, three.TipMoment = 5000, new(1.3), 700
	opposed := three
	opposed.OuterUniformLoad, opposed.Position = -9000, new(1.7)
	elsewhere := three
	elsewhere.TriangleLength, elsewhere.Position = new(2.2), new(1.7)
	shear := elsewhere
	shear.Model, shear.ShearRigidity = timoshenko, new(8e7)
	return map[string]Input{"one load": one, "three loads": three, "loads of both signs": opposed, "three loads, elsewhere": elsewhere, "three loads, timoshenko": shear}
}()

// evaluate is all that calculate computes.
func evaluate(ctx context.Context, in *Input) {
	in.warnOfLoads(ctx, in.deflection(ctx))
	in.warnOfTheory(ctx)
}

func TestEvaluationAllocatesNothing(t *testing.T) {
	for name, in := range ordinaryBeams {
		if n := testing.AllocsPerRun(100, func() { evaluate(t.Context(), &in) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

// BenchmarkEvaluate is what a deflection and the decisions about its warnings cost,
// without the SDK.
func BenchmarkEvaluate(b *testing.B) {
	for name, in := range ordinaryBeams {
		b.Run(name, func(b *testing.B) {
			ctx := b.Context()
			for b.Loop() {
				evaluate(ctx, &in)
			}
		})
	}
}

// TestBoundOfTheTip checks that each load alone on the whole length reaches the bound. There is
// no bound if products of its parts would underflow or overflow.
func TestBoundOfTheTip(t *testing.T) {
	whole := func(in Input) *Input {
		in.Length, in.TriangleLength, in.OuterStart = 7, new(7.0), new(0.0)
		if in.FlexuralRigidity == nil {
			in.FlexuralRigidity = new(13.0)
		}
		return &in
	}
	for name, in := range map[string]*Input{
		"triangle":        whole(Input{TrianglePeakLoad: -3, Model: eulerBernoulli}),
		"uniform":         whole(Input{OuterUniformLoad: 3, Model: eulerBernoulli}),
		"couple":          whole(Input{TipMoment: -3, Model: eulerBernoulli}),
		"triangle, shear": whole(Input{TrianglePeakLoad: 3, Model: timoshenko, ShearRigidity: new(11.0)}),
		"uniform, shear":  whole(Input{OuterUniformLoad: -3, Model: timoshenko, ShearRigidity: new(11.0)}),
	} {
		n, d := polynomial(in, in.Length)
		want := exact.Quo(n.Abs(), d.Mul(exact.Of(in.Length)))
		if got := in.boundOfTip(); math.Abs(got-want) > 1e-14*want {
			t.Errorf("%s: the bound is %v, the tip deflects by %v", name, got, want)
		}
		if got := in.tipRatio(t.Context()); got != want {
			t.Errorf("%s: the ratio is %v, want %v", name, got, want)
		}
	}
	for name, in := range map[string]Input{
		"long":          {Length: 1e100, TrianglePeakLoad: 5e-324, FlexuralRigidity: new(1e-26), Model: eulerBernoulli},
		"limp":          {Length: 1e-20, TipMoment: 1e-300, FlexuralRigidity: new(1e-320), Model: eulerBernoulli},
		"stiff":         {Length: 1, TipMoment: 1.7e308, ElasticModulus: new(1.9e300), SecondMomentOfArea: new(1e8), Model: eulerBernoulli},
		"limp in shear": {Length: 1e-20, OuterUniformLoad: 3e-304, FlexuralRigidity: new(1e200), Model: timoshenko, ShearRigidity: new(1e-323)},
	} {
		in.TriangleLength, in.OuterStart = &in.Length, new(0.0)
		if !in.isLarge() {
			t.Errorf("%s: the tip deflects by %v of the length, which is not called large", name, in.tipRatio(t.Context()))
		}
	}
}

// TestConditionNumberAtItsLimit has deflections with parts t, u and m that cancel except for a
// part d. Then the condition number is 2/d.
func TestConditionNumberAtItsLimit(t *testing.T) {
	for _, share := range [][2]float64{{1, 3}, {3, 1}, {1, -3}, {-3, 1}, {3, -1}, {-1, 3}} {
		for k, want := range map[float64]bool{1e6 - 0.25: false, 1e6 + 0.5: true, 1e7: true} {
			in := &Input{
				Length: 100, TriangleLength: new(100.0), OuterStart: new(0.0), Position: new(50.0),
				FlexuralRigidity: new(1e9), Model: eulerBernoulli,
				TrianglePeakLoad: 1, OuterUniformLoad: 1, TipMoment: 1,
			}
			of := func(load func(terms) adaptive.Num) float64 {
				return adaptive.Round(t.Context(), "", func(x *adaptive.X) adaptive.Num { return load(in.terms(x, 50)) })
			}
			triangle, outer, moment := of(func(s terms) adaptive.Num { return s.triangle }), of(func(s terms) adaptive.Num { return s.outer }), of(func(s terms) adaptive.Num { return s.moment })
			positive, negative := max(share[0], 0)+max(share[1], 0), min(share[0], 0)+min(share[1], 0)
			in.TrianglePeakLoad, in.OuterUniformLoad = share[0]/triangle, share[1]/outer
			if sum := positive + negative; sum > 0 { // the couple makes the sum (positive - negative')/k
				in.TipMoment = -(positive*(k-1)/(k+1) + negative) / moment
			} else {
				in.TipMoment = -(negative*(k-1)/(k+1) + positive) / moment
			}
			if got := in.cancels(in.deflection(t.Context())); got != want {
				t.Errorf("shares %v, K = %v: cancels %t", share, k, got)
			}
			if got, ok := in.condition(t.Context()); !ok || math.Abs(got-k) > 1e-6*k {
				t.Errorf("shares %v: K = %v, want %v", share, got, k)
			}
		}
	}
}
