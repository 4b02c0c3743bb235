package beamtest

import (
	"context"
	"maps"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// The inputs that are loads.
const (
	PointLoad    = "point_load"
	UniformLoad  = "uniform_load"
	TrianglePeak = "triangle_peak_load"
)

// Case is an engine of a beam under one load, and what it must answer.
type Case struct {
	Engine      sdk.Engine
	Left, Right sdk.SupportKind // "" for a free end
	Load        string          // input: PointLoad, UniformLoad or TrianglePeak

	// Outputs are the true values of those beside delta.
	Outputs map[string]func(*Solution) *big.Rat
}

// Run holds the engine of c against its solution and against what physics says of any
// beam.
func Run(t *testing.T, c Case) {
	point := c.Load == PointLoad
	for _, law := range []struct {
		name  string
		holds bool // for such a beam
		check func(*rapid.T)
	}{
		{"outputs are the nearest numbers", true, c.nearest},
		{"supported ends stay where they are", true, c.supports},
		{"proportional to the load", true, c.proportional},
		{"a stiffer beam bends less", true, c.stiffer},
		{"nowhere more than the largest deflection", true, c.largest},
		{"warned of where it is large", true, c.warns},
		{"figures show the solution", true, c.figures},
		{"the mirror image of a beam", prescribed(c.Left) == prescribed(c.Right) && c.Load != TrianglePeak, c.mirror},
		{"reciprocal after Maxwell and Betti", point, c.reciprocal},
		{"a load near a support fades", point, c.fades},
		{"a load is the sum of its parts", !point, c.parts},
	} {
		if law.holds {
			t.Run(law.name, func(t *testing.T) { rapid.Check(t, law.check) })
		}
	}
}

// with returns in with more inputs, a nil one taken out.
func with(in ask.In, more ask.In) ask.In {
	out := maps.Clone(in)
	maps.Copy(out, more)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

func delta(t ask.Tester, c *Case, in ask.In) float64 {
	t.Helper()
	return ask.For(t, c.Engine, in).Number["delta"]
}

// numbers draws a beam of any numbers.
func (c *Case) numbers(t *rapid.T) ask.In {
	length := rapid.Float64Range(0.01, 1000).Draw(t, "length")
	in := ask.In{
		"length":                length,
		"elastic_modulus":       rapid.Float64Range(1e9, 4e11).Draw(t, "E"),
		"second_moment_of_area": rapid.Float64Range(1e-10, 1).Draw(t, "I"),
		"position":              length * rapid.Float64Range(0, 1).Draw(t, "x/L"),
		c.Load:                  rapid.Float64Range(-1e6, 1e6).Filter(func(load float64) bool { return load != 0 }).Draw(t, "load"),
	}
	if c.Load == PointLoad {
		in["load_position"] = length * rapid.Float64Range(1e-6, 1-1e-6).Draw(t, "a/L")
	}
	return in
}

// eighths draws a beam under a load that is positive. Its numbers keep sums and small
// products exact in binary64, so that properties hold to the last bit.
func (c *Case) eighths(t *rapid.T) ask.In {
	draw := func(name string, low, high int) float64 { return float64(rapid.IntRange(low, high).Draw(t, name)) / 8 }
	n := rapid.IntRange(2, 80).Draw(t, "8L")
	in := ask.In{"length": float64(n) / 8, "flexural_rigidity": draw("8EI", 1, 1000), "position": draw("8x", 0, n), c.Load: draw("load", 1, 1000)}
	if c.Load == PointLoad {
		in["load_position"] = draw("8a", 1, n-1)
	}
	return in
}

// solve returns the solution for inputs that name every number.
func (c *Case) solve(in ask.In) *Solution {
	rigidity := big.NewRat(1, 1)
	for _, name := range []string{"elastic_modulus", "second_moment_of_area", "flexural_rigidity"} {
		if f, ok := in[name].(float64); ok {
			rigidity = mul(rigidity, Rat(f))
		}
	}
	var load Loading
	switch size := Rat(in[c.Load].(float64)); c.Load {
	case PointLoad:
		load = Loading{Force: size, At: Rat(in["load_position"].(float64))}
	case UniformLoad:
		load = Loading{Start: size, End: size}
	default:
		load = Loading{End: size}
	}
	return Solve(c.Left, c.Right, Rat(in["length"].(float64)), rigidity, load)
}

// figure asks the engine for a plot.
func (c *Case) figure(t ask.Tester, plot string, in ask.In) *sdk.Figure {
	t.Helper()
	f, err := Draw(t.Context(), c.Engine, plot, in)
	if err != nil {
		t.Fatalf("%s of %v: %v", plot, in, err)
	}
	return f
}

// Draw asks an engine for a plot of the inputs, by their canonical names.
func Draw(ctx context.Context, engine sdk.Engine, plot string, in ask.In) (*sdk.Figure, error) {
	spec := engine.Spec()
	values := make(value.Values, len(spec.Inputs))
	for i := range spec.Inputs {
		values[i], _ = spec.Inputs[i].DefaultValue()
	}
	for name, sent := range in {
		switch at := spec.Input(name); v := sent.(type) {
		case float64:
			values[at] = value.NumberOf(v)
		case string:
			values[at] = value.TextOf(v)
		}
	}
	return engine.(sdk.Plotter).Draw(ctx, plot, values)
}
