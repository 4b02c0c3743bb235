package beamtest

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

func (c *Case) nearest(t *rapid.T) {
	in := c.numbers(t)
	s, got := c.solve(in), ask.For(t, c.Engine, in).Number
	if len(got) != 1+len(c.Outputs) {
		t.Fatalf("%d outputs, want %d", len(got), 1+len(c.Outputs))
	}
	for name, value := range c.Outputs {
		if want := Nearest(value(s)); got[name] != want {
			t.Fatalf("%s = %v, want %v", name, got[name], want)
		}
	}
	if want := Nearest(s.Deflection(Rat(in["position"].(float64)))); got["delta"] != want {
		t.Fatalf("delta = %v, want %v", got["delta"], want)
	}
}

func (c *Case) supports(t *rapid.T) {
	in := c.numbers(t)
	for end, place := range map[sdk.SupportKind]float64{c.Left: 0, c.Right: in["length"].(float64)} {
		if d := delta(t, c, with(in, ask.In{"position": place})); end != "" && d != 0 {
			t.Fatalf("delta = %v at the support %s", d, end)
		}
	}
}

func (c *Case) proportional(t *rapid.T) {
	in := c.eighths(t)
	load, want := in[c.Load].(float64), delta(t, c, in)
	for _, k := range []float64{-1, 2, -0.25, 0} {
		if got := delta(t, c, with(in, ask.In{c.Load: k * load})); got != k*want {
			t.Fatalf("%v times the load: %v, want %v", k, got, k*want)
		}
	}
	more := float64(rapid.IntRange(-1000, 1000).Draw(t, "more")) / 8
	other := delta(t, c, with(in, ask.In{c.Load: more}))
	both := delta(t, c, with(in, ask.In{c.Load: load + more}))
	if math.Abs(both-(want+other)) > 3e-16*(math.Abs(want)+math.Abs(other)) {
		t.Fatalf("%v and %v alone, %v together", want, other, both)
	}
}

func (c *Case) stiffer(t *rapid.T) {
	in := c.eighths(t)
	want, rigidity := delta(t, c, in), in["flexural_rigidity"].(float64)
	if got := delta(t, c, with(in, ask.In{"flexural_rigidity": nil, "elastic_modulus": 0.5, "second_moment_of_area": 2 * rigidity})); got != want {
		t.Fatalf("E and I in place of EI: %v, want %v", got, want)
	}
	for name, more := range map[string]ask.In{
		"EI": {"flexural_rigidity": rapid.Float64Range(1, 2).Draw(t, "factor") * rigidity},
		"E":  {"flexural_rigidity": nil, "elastic_modulus": math.Nextafter(0.5, 1), "second_moment_of_area": 2 * rigidity},
		"I":  {"flexural_rigidity": nil, "elastic_modulus": 0.5, "second_moment_of_area": math.Nextafter(2*rigidity, math.Inf(1))},
	} {
		if got := delta(t, c, with(in, more)); got < 0 || got > want {
			t.Fatalf("more %s: %v, not between 0 and %v", name, got, want)
		}
	}
	if got := delta(t, c, with(in, ask.In{"flexural_rigidity": 4 * rigidity})); got != want/4 {
		t.Fatalf("four times as stiff: %v, want %v", got, want/4)
	}
}

// largest compares the largest deflection with that at any place. Where the engine does
// not answer it, its figure marks it.
func (c *Case) largest(t *rapid.T) {
	in := c.eighths(t)
	a := ask.For(t, c.Engine, in).Number
	most, answered := a["delta_max"]
	points := c.figure(t, "deflection", in).Points
	marked := points[0]
	if !answered {
		most = marked.Y
	}
	if a["delta"] < 0 || a["delta"] > most {
		t.Fatalf("delta = %v, delta_max = %v", a["delta"], most)
	}
	place := marked.X
	if x, ok := a["position_of_delta_max"]; ok {
		place = x
	}
	if at := delta(t, c, with(in, ask.In{"position": place})); place != marked.X || math.Abs(at-most) > 4e-16*most || math.Abs(marked.Y-most) > 4e-16*most {
		t.Fatalf("delta = %v at %v, delta_max = %v, marked %v", at, place, most, marked)
	}
	length := in["length"].(float64)
	for _, x := range []float64{place - 1e-4*length, place + 1e-4*length} {
		if x > length {
			continue // the tip of a cantilever
		}
		if d := delta(t, c, with(in, ask.In{"position": x})); d >= most {
			t.Fatalf("delta = %v at %v, delta_max = %v at %v", d, x, most, place)
		}
	}
}

// warns scales the load to a largest deflection next to the limits, and elsewhere.
func (c *Case) warns(t *rapid.T) {
	in := with(c.numbers(t), ask.In{c.Load: 1.0})
	s := c.solve(in)
	largest := s.Deflection(s.Length)
	if c.Right != "" {
		largest = s.Largest()
	}
	ratio := rapid.SampledFrom([]float64{0.1, -0.1, 0.3, -0.3}).Draw(t, "limit") *
		rapid.OneOf(rapid.SampledFrom([]float64{1 - 1e-12, 1 + 1e-12}), rapid.Float64Range(0, 0.999), rapid.Float64Range(1.001, 4)).Draw(t, "of it")
	in[c.Load] = Nearest(new(big.Rat).Quo(mul(Rat(ratio), s.Length), largest))
	want := map[string]sdk.Severity{}
	switch {
	case in[c.Load] == 0.0:
		want["NO_LOAD_APPLIED"] = sdk.Info
	case math.Abs(ratio) > 0.3:
		want["LARGE_DEFLECTION"] = sdk.Critical
	case math.Abs(ratio) > 0.1:
		want["LARGE_DEFLECTION"] = sdk.Caution
	}
	got := ask.For(t, c.Engine, in).Warnings
	delete(got, sdk.WarnResultUnderflow) // of loads that are next to nothing
	delete(got, sdk.WarnResultSubnormal)
	if !maps.Equal(got, want) {
		t.Fatalf("%v of the length: %v, want %v", ratio, got, want)
	}
}

// figures compares each curve with the solution at a seventh of its points and where it
// bends.
func (c *Case) figures(t *rapid.T) {
	in := c.numbers(t)
	s, force, first := c.solve(in), math.NaN(), rapid.IntRange(0, 6).Draw(t, "first point")
	if c.Load == PointLoad {
		force = in["load_position"].(float64)
	}
	for plot, value := range map[string]func(x *big.Rat) *big.Rat{"deflection": s.Deflection, "shear": s.Shear, "moment": s.Moment} {
		curve := c.figure(t, plot, in).Curves[0]
		if !slices.IsSorted(curve.X) || curve.X[0] != 0 || curve.X[len(curve.X)-1] != in["length"] || len(curve.X) < 101 {
			t.Fatalf("%s: drawn at %v", plot, curve.X)
		}
		for i, x := range curve.X {
			if plot == "shear" && (x == in["length"] || x == force && curve.X[i-1] != force) {
				continue // just before what acts there
			}
			if i%7 != first && x != force && x != in["position"] {
				continue
			}
			if want := Nearest(value(Rat(x))); curve.Y[i] != want {
				t.Fatalf("%s at %v: %v, want %v", plot, x, curve.Y[i], want)
			}
		}
		switch {
		case plot == "shear":
			c.steps(t, curve, s, force)
		case plot == "moment" && c.Load != PointLoad:
			want := math.Abs(Nearest(s.Moment(s.Zero(s.Shear)))) // where the beam sags most, if the load acts downwards
			if got := max(slices.Max(curve.Y), 0); in[c.Load].(float64) > 0 && math.Abs(got-want) > 1e-15*want {
				t.Fatalf("the bending moment is drawn up to %v, want %v", got, want)
			}
		}
	}
	c.sketch(t, in, force)
}

// steps checks the shear force on both sides of a force, and at the right end.
func (c *Case) steps(t *rapid.T, curve sdk.Curve, s *Solution, force float64) {
	if got, want := curve.Y[len(curve.Y)-1], Nearest(neg(s.Right())); got != want {
		t.Fatalf("shear at the right end: %v, want %v", got, want)
	}
	if i := slices.Index(curve.X, force); i >= 0 {
		if curve.X[i+1] != force || curve.Y[i] != Nearest(s.Left()) || curve.Y[i+1] != Nearest(neg(s.Right())) {
			t.Fatalf("shear at the force from %v to %v, want from %v to %v", curve.Y[i], curve.Y[i+1], Nearest(s.Left()), Nearest(neg(s.Right())))
		}
	}
}

func (c *Case) sketch(t *rapid.T, in ask.In, force float64) {
	f := c.figure(t, "sketch", in)
	if len(f.Shapes) != 1 {
		t.Fatalf("%d shapes, want that of the bent beam", len(f.Shapes))
	}
	at := rapid.IntRange(0, len(f.Shapes[0].X)-1).Draw(t, "place of the shape")
	if x := f.Shapes[0].X[at]; f.Shapes[0].Y[at] != 0-delta(t, c, with(in, ask.In{"position": x})) {
		t.Fatalf("the beam is drawn bent by %v at %v, downwards negative", f.Shapes[0].Y[at], x)
	}
	load := in[c.Load].(float64)
	switch {
	case load == 0:
		if len(f.Arrows) != 0 || len(f.Curves) != 1 {
			t.Fatalf("a load of zero is drawn: %+v", f)
		}
	case c.Load == PointLoad:
		if len(f.Arrows) != 1 || f.Arrows[0].X != force || f.Arrows[0].ToX != force || f.Arrows[0].Y != load || f.Arrows[0].ToY != 0 {
			t.Fatalf("arrows %+v, want one from %v to 0 at %v", f.Arrows, load, force)
		}
	default:
		from := 0.0
		if c.Load == UniformLoad {
			from = load
		}
		curve := f.Curves[len(f.Curves)-1]
		if curve.Style != sdk.Load || !slices.Equal(curve.X, []float64{0, in["length"].(float64)}) || !slices.Equal(curve.Y, []float64{from, load}) {
			t.Fatalf("load %+v, want from %v to %v", curve, from, load)
		}
	}
	var kinds []sdk.SupportKind
	for _, s := range f.Supports {
		kinds = append(kinds, s.Kind)
	}
	want := slices.DeleteFunc([]sdk.SupportKind{c.Left, c.Right}, func(k sdk.SupportKind) bool { return k == "" })
	if !slices.Equal(kinds, want) {
		t.Fatalf("supports %v, want %v", kinds, want)
	}
}

func (c *Case) mirror(t *rapid.T) {
	in := c.eighths(t)
	length := in["length"].(float64)
	other := with(in, ask.In{"position": length - in["position"].(float64)})
	if a, ok := in["load_position"].(float64); ok {
		other["load_position"] = length - a
	}
	left, right := ask.For(t, c.Engine, in).Number, ask.For(t, c.Engine, other).Number
	for _, pair := range [][2]string{{"delta", "delta"}, {"delta_max", "delta_max"}, {"moment_max", "moment_max"}, {"moment_at_load", "moment_at_load"},
		{"reaction_left", "reaction_right"}, {"reaction_right", "reaction_left"}, {"moment_left", "moment_right"}} {
		if left[pair[0]] != right[pair[1]] {
			t.Fatalf("%s = %v, of the mirror image %s = %v", pair[0], left[pair[0]], pair[1], right[pair[1]])
		}
	}
}

func (c *Case) reciprocal(t *rapid.T) {
	in := c.numbers(t)
	x := in["length"].(float64) * rapid.Float64Range(1e-6, 1-1e-6).Draw(t, "other place/L")
	a := in["load_position"]
	there := delta(t, c, with(in, ask.In{"position": x}))
	if back := delta(t, c, with(in, ask.In{"position": a, "load_position": x})); back != there {
		t.Fatalf("load at %v, deflection at %v: %v; the other way round %v", a, x, there, back)
	}
}

// parts adds up the deflections under the point loads that a distributed load is made
// of. They are cubic in the place of the load on either side of the position, so Boole's
// rule has no error.
func (c *Case) parts(t *rapid.T) {
	in := c.numbers(t)
	s, x := c.solve(in), Rat(in["position"].(float64))
	under := func(a *big.Rat) *big.Rat {
		intensity := add(s.load.Start, new(big.Rat).Quo(mul(a, add(s.load.End, neg(s.load.Start))), s.Length))
		return Solve(c.Left, c.Right, s.Length, s.Rigidity, Loading{Force: intensity, At: a}).Deflection(x)
	}
	sum := new(big.Rat)
	for _, piece := range [][2]*big.Rat{{new(big.Rat), x}, {x, s.Length}} {
		width := add(piece[1], neg(piece[0]))
		for i, weight := range []int64{7, 32, 12, 32, 7} {
			sum = add(sum, mul(big.NewRat(weight, 90), width, under(add(piece[0], mul(big.NewRat(int64(i), 4), width)))))
		}
	}
	if got, want := delta(t, c, in), Nearest(sum); got != want {
		t.Fatalf("delta = %v, the point loads together give %v", got, want)
	}
}

func (c *Case) fades(t *rapid.T) {
	in := c.numbers(t)
	length := in["length"].(float64)
	middle := math.Abs(delta(t, c, with(in, ask.In{"load_position": length / 2})))
	for end, place := range map[sdk.SupportKind]float64{c.Left: 1e-8 * length, c.Right: length - 1e-8*length} {
		if d := math.Abs(delta(t, c, with(in, ask.In{"load_position": place}))); end != "" && d > max(1e-6*middle, math.SmallestNonzeroFloat64) {
			t.Fatalf("load at %v: %v, at midspan %v", place, d, middle)
		}
	}
}
