package sdk_test

import (
	"context"
	"fmt"
	"math"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// An engine is one typed function. The tags of two structs describe its inputs and outputs.
func ExampleNew() {
	type input struct {
		Radius float64 `name:"radius" unit:"m" symbol:"r" range:"(0,)" doc:"Radius of the disc."`
	}
	type output struct {
		Area float64 `name:"area" unit:"m2" symbol:"A" doc:"Area of one side."`
	}
	engine := sdk.New(sdk.Spec{
		Capability: "geometry.areas.disc", Version: "1.0.0", Tool: "disc", Group: "areas",
		Title: "Disc", Summary: "Area of a disc.",
		Definition: "A = pi*r^2", Formulas: []sdk.Formula{{ID: "disc_v1"}},
	}, func(_ context.Context, in input) (output, error) {
		return output{Area: math.Pi * in.Radius * in.Radius}, nil
	})

	o, err := engine.Calculate(context.Background(), value.Values{value.NumberOf(2)})
	fmt.Println(o.Result[0].Number(), err)
	_, err = engine.Calculate(context.Background(), value.Values{value.NumberOf(-2)})
	fmt.Println(err)
	// Output:
	// 12.566370614359172 <nil>
	// RADIUS_MUST_BE_POSITIVE (radius): radius is -2: it must be greater than 0
}

// Rigidity has inputs that several engines share.
type Rigidity struct {
	ElasticModulus float64 `name:"elastic_modulus" unit:"Pa" range:"(0,)"`
	SecondMoment   float64 `name:"second_moment" unit:"m4" range:"(0,)"`
}

// An embedded struct contributes its fields to the inputs.
func ExampleNew_embedded() {
	type input struct {
		Rigidity
		Length float64 `name:"length" unit:"m" range:"(0,)"`
	}
	type output struct {
		Stiffness float64 `name:"stiffness" unit:"N/m"`
	}
	engine := sdk.New(sdk.Spec{
		Capability: "mechanical.statics.cantilever_stiffness", Version: "1.0.0", Tool: "cantilever-stiffness", Group: "statics",
		Title: "Stiffness of a cantilever", Summary: "Load at the tip for each metre of deflection.",
	}, func(_ context.Context, in input) (output, error) {
		return output{3 * in.ElasticModulus * in.SecondMoment / math.Pow(in.Length, 3)}, nil
	})
	for _, f := range engine.Spec().Inputs {
		fmt.Println(f.Name, f.Unit)
	}
	o, err := engine.Calculate(context.Background(), value.Values{value.NumberOf(2e11), value.NumberOf(1e-6), value.NumberOf(2)})
	fmt.Println(o.Result[0].Number(), err)
	// Output:
	// elastic_modulus Pa
	// second_moment m4
	// length m
	// 75000 <nil>
}

// The fields of structs in a list have ranges of their own. A range can end at another field
// of the same struct.
func ExampleNew_ranges() {
	type ring struct {
		InnerRadius float64 `name:"inner_radius" unit:"m" range:"[0,)"`
		OuterRadius float64 `name:"outer_radius" unit:"m" range:"(inner_radius,)"`
	}
	type input struct {
		Rings []ring `name:"rings"`
	}
	type output struct {
		Area float64 `name:"area" unit:"m2"`
	}
	engine := sdk.New(sdk.Spec{
		Capability: "geometry.areas.rings", Version: "1.0.0", Tool: "rings", Group: "areas", Title: "Rings", Summary: "Area of rings.",
	}, func(_ context.Context, in input) (out output, err error) {
		for _, r := range in.Rings {
			out.Area += math.Pi * (r.OuterRadius - r.InnerRadius) * (r.OuterRadius + r.InnerRadius)
		}
		return out, nil
	})
	rings := value.ListOf(
		value.RecordOf(value.NumberOf(0), value.NumberOf(1)),
		value.RecordOf(value.NumberOf(2), value.NumberOf(2)),
	)
	_, err := engine.Calculate(context.Background(), value.Values{rings})
	fmt.Println(err)
	// Output:
	// OUTER_RADIUS_OUT_OF_RANGE (rings): rings.1.outer_radius is 2: it must be greater than inner_radius, and inner_radius is 2
}

// A difference of temperatures is converted without an offset. An author can use a coherent
// unit that is not in the table of units, and mark the main result.
func ExampleNew_units() {
	type input struct {
		Warming float64 `name:"warming" unit:"K" difference:"true"`
	}
	type output struct {
		Strain float64 `name:"strain"`
		Rate   float64 `name:"rate" unit:"kg/(m s K(1/2))" headline:"true"`
	}
	engine := sdk.New(sdk.Spec{
		Capability: "mechanical.materials.warming", Version: "1.0.0", Tool: "warming", Group: "materials", Title: "Warming", Summary: "What warmth does.",
	}, func(_ context.Context, in input) (output, error) {
		return output{1.2e-5 * in.Warming, 1.458e-6 * math.Sqrt(in.Warming)}, nil
	})
	spec := engine.Spec()
	fmt.Println(spec.Inputs[0].Difference, spec.Outputs[1].Unit, spec.Outputs[1].Headline)
	// Output:
	// true kg/(m s K(1/2)) true
}

// The unit of a number can depend on a choice. At returns the units of the fields for it.
func ExampleSpec_At() {
	type input struct {
		Dir     string  `name:"dir" enum:"kva_to_amps,amps_to_kva" default:"kva_to_amps"`
		Primary float64 `name:"primary" unit_by:"dir:kva_to_amps=kVA,amps_to_kva=A"`
	}
	type output struct {
		Other float64 `name:"other" unit_by:"dir:kva_to_amps=A,amps_to_kva=kVA"`
	}
	spec := sdk.New(sdk.Spec{
		Capability: "electrical.convert.at_230_volts", Version: "1.0.0", Tool: "at-230-volts", Group: "convert", Title: "At 230 V", Summary: "Power and current at 230 V.",
	}, func(_ context.Context, in input) (output, error) {
		if in.Dir == "kva_to_amps" {
			return output{1000 * in.Primary / 230}, nil
		}
		return output{230 * in.Primary / 1000}, nil
	}).Spec()
	for _, dir := range spec.Inputs[0].Enum {
		at := spec.At(value.Values{value.TextOf(dir), value.NumberOf(1)})
		fmt.Println(dir, at.Inputs[1].Unit, at.Outputs[0].Unit)
	}
	// Output:
	// kva_to_amps kVA A
	// amps_to_kva A kVA
}

// resonator is drawn over decades of frequency.
type resonator struct {
	Frequency float64 `name:"frequency" unit:"Hz" range:"(0,)"`
}

// Draw implements [sdk.Drawer].
func (in *resonator) Draw(context.Context, string) (*sdk.Figure, error) {
	c := sdk.Curve{Label: "response"}
	for k := -20; k <= 20; k++ {
		r := math.Pow(10, float64(k)/10)
		c.X, c.Y = append(c.X, r*in.Frequency), append(c.Y, 1/math.Hypot(1-r*r, r/10))
	}
	return &sdk.Figure{Curves: []sdk.Curve{c}}, nil
}

// An axis may be logarithmic.
func ExampleAxis() {
	type output struct {
		Period float64 `name:"period" unit:"s"`
	}
	engine := sdk.New(sdk.Spec{
		Capability: "mechanical.vibration.response", Version: "1.0.0", Tool: "response", Group: "vibration", Title: "Response", Summary: "Response of a resonator.",
		Plots: []sdk.Plot{{
			ID: "response", Title: "Response",
			X: sdk.Axis{Label: "frequency", Unit: "Hz", Log: true}, Y: sdk.Axis{Label: "response", Log: true},
		}},
	}, func(_ context.Context, in resonator) (output, error) { return output{1 / in.Frequency}, nil })

	f, err := engine.(sdk.Plotter).Draw(context.Background(), "response", value.Values{value.NumberOf(50)})
	fmt.Println(len(f.Curves[0].X), err)
	_, err = engine.(sdk.Plotter).Draw(context.Background(), "response", value.Values{value.NumberOf(1e307)})
	fmt.Println(err)
	// Output:
	// 41 <nil>
	// NON_FINITE_RESULT: the plot response has a number beyond the range of binary64 numbers for these inputs
}
