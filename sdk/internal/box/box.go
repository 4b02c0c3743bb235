// Package box has the engine that tests of the SDK use. [Engine] returns it, and [Numbers] and [Values] make
// its inputs.
package box

import (
	"context"
	"errors"
	"math"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

type input struct {
	Width  float64      `name:"width" alias:"w,b" unit:"m" range:"(0,)" doc:"Clear width."`
	Height float64      `name:"height" unit:"m" range:"(0,)" code:"TALLNESS_MUST_BE_POSITIVE"`
	Depth  *float64     `name:"depth" unit:"m" range:"[0,10)"`
	Count  int          `name:"count" default:"1" range:"[1,100]"`
	Shape  string       `name:"shape" enum:"open=o|no_lid,closed" default:"closed"`
	Round  bool         `name:"round" default:"false"`
	Price  *sdk.Decimal `name:"price" range:"[0,)"`
	Stack  *[]float64   `name:"stack" range:"[0,)"`
}

func (in *input) Complete(context.Context) error {
	if in.Depth == nil {
		d := in.Width
		if in.Count == 19 {
			d = math.Inf(1)
		}
		in.Depth = &d
	}
	if in.Shape == "open" && in.Price != nil {
		return sdk.Conflict("price", "open boxes are free")
	}
	return nil
}

type output struct {
	Volume float64  `name:"volume" unit:"m3" doc:"Inner volume."`
	Shape  string   `name:"shape"`
	Weight *float64 `name:"weight" unit:"kg"`
}

// Spec returns the Spec of the engine.
func Spec() sdk.Spec {
	return sdk.Spec{
		Capability: "test.geometry.box", Version: "1.0.0", Tool: "box", Group: "geometry",
		Title: "Box", Summary: "Volume of a box.",
		Formulas:    []sdk.Formula{{ID: "box_v1", Expression: "V = w h d", Label: "Box", LaTeX: "V = w h d"}, {ID: "open_v1", Expression: "V = w h d"}},
		Assumptions: []string{"thin walls"},
		Errors:      []string{"TOO_ODD"}, Warnings: []string{"LEAKS"},
	}
}

// Engine computes the volume of a box. Each count from 13 to 19 makes it fail in another way.
func Engine() sdk.Engine {
	return sdk.New(Spec(), func(ctx context.Context, in input) (output, error) {
		switch in.Count {
		case 13:
			return output{}, sdk.Reject("TOO_ODD", "count", "no")
		case 14:
			return output{}, errors.New("broken")
		case 15:
			panic("bug")
		case 16:
			return output{Volume: math.Copysign(0, -1)}, nil
		case 17:
			return output{Volume: 5e-324}, nil
		case 18:
			var none *sdk.Error
			return output{Volume: 18}, none
		case 19: // the depth is infinite
			return output{Volume: 19}, nil
		}
		if in.Shape == "open" {
			sdk.Warn(ctx, sdk.Warning{Code: "LEAKS", Severity: sdk.Caution, Detail: "open"})
			sdk.Assume(ctx, "no rain")
			sdk.UseFormula(ctx, "open_v1")
		}
		return output{Volume: in.Width * in.Height * *in.Depth * float64(in.Count), Shape: in.Shape}, nil
	})
}

// Values returns values for the inputs by name, with the defaults that the server fills in.
func Values(set map[string]value.Value) value.Values {
	spec := Engine().Spec()
	values := make(value.Values, len(spec.Inputs))
	for i := range spec.Inputs {
		values[i], _ = spec.Inputs[i].DefaultValue()
		if v, ok := set[spec.Inputs[i].Name]; ok {
			values[i] = v
		}
	}
	return values
}

// Numbers returns a box of 2 by 3 with the named values, which are numbers, texts or Values.
func Numbers(pairs ...any) map[string]value.Value {
	set := map[string]value.Value{"width": value.NumberOf(2), "height": value.NumberOf(3)}
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case float64:
			set[pairs[i].(string)] = value.NumberOf(v)
		case string:
			set[pairs[i].(string)] = value.TextOf(v)
		case value.Value:
			set[pairs[i].(string)] = v
		}
	}
	return set
}
