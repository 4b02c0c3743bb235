package sdk_test

import (
	"context"
	"fmt"
	"math"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// An engine is one typed function. Its inputs and outputs are described by the tags of two
// structs.
func ExampleNew() {
	type input struct {
		Radius float64 `name:"radius" unit:"m" range:"(0,)" doc:"Radius of the disc."`
	}
	type output struct {
		Area float64 `name:"area" unit:"m2" doc:"Area of one side."`
	}
	engine := sdk.New(sdk.Spec{
		Capability: "geometry.areas.disc", Version: "1.0.0", Tool: "disc", Group: "areas",
		Title: "Disc", Summary: "Area of a disc.",
		Formulas: []sdk.Formula{{ID: "disc_v1", Expression: "A = pi r^2"}},
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
