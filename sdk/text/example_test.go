package text_test

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

//go:embed testdata/tension.calc.md
var tension []byte

// A Go program embeds a document and adds a sketch. Its main function calls wire.Serve with the engine.
func ExampleEngine_WithDraw() {
	engine, err := text.Bind("tension.calc.md", tension)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := engine.Spec()
	sketch := sdk.Plot{ID: "plate", Title: "The plate", ToScale: true, X: sdk.Axis{Label: "width", Unit: "m"}, Y: sdk.Axis{Label: "thickness", Unit: "m"}}
	engine = engine.WithDraw([]sdk.Plot{sketch}, func(_ context.Context, _ string, o *sdk.Outcome) (*sdk.Figure, error) {
		b, t := o.Inputs[spec.Input("width")].Number(), o.Inputs[spec.Input("thickness")].Number()
		return &sdk.Figure{Curves: []sdk.Curve{{Label: "plate", X: []float64{0, b, b, 0, 0}, Y: []float64{0, 0, t, t, 0}}}}, nil
	})

	inputs := make(value.Values, len(spec.Inputs))
	for name, x := range map[string]float64{
		"axial_force": 250e3, "width": 0.15, "thickness": 0.01, "bolts_across": 2, "hole_diameter": 0.022, "yield_strength": 235e6, "ultimate_strength": 360e6,
		"partial_factor_yield": 1, "partial_factor_rupture": 1.25,
	} {
		inputs[spec.Input(name)] = value.NumberOf(x)
	}
	figure, err := engine.Draw(context.Background(), "plate", inputs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Curves[0].X, figure.Curves[0].Y)
	// Output: [0 0.15 0.15 0 0] [0 0 0.01 0.01 0]
}

// Parse reports each mistake in a document with its place.
func ExampleParse() {
	wrong := bytes.Replace(tension, []byte("kN"), []byte("kNm"), 1)
	_, err := text.Parse("tension.calc.md", wrong)
	var mistakes text.Mistakes
	if errors.As(err, &mistakes) {
		fmt.Println(mistakes[0].Report())
	}
	// Output:
	// tension.calc.md:13:39: unit "kNm" is not known: is it kN m?
	//   | N_Ed     | axial_force            | kNm      | [0,)   |         | Design tension force.       |
	//                                         ^^^
}
