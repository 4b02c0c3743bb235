package show

import (
	"reflect"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// Sizes and bent shapes are converted with the places of a plot. A size is a distance, so its conversion ignores the zero of
// the unit. The data of the engine do not change.
func TestFiguresInUnits(t *testing.T) {
	in := func(own, to string) AxisUnit {
		spec := &sdk.Spec{Capability: "test.beams.shelf", Group: "beams"}
		quantity, ok := customary.Of(spec, own, false)
		u, known := units.Lookup(to)
		if !ok || !known {
			t.Fatalf("%s in %s", own, to)
		}
		return AxisUnit{quantity, u}
	}
	figure := func(k, zero float64) *sdk.Figure {
		at := func(x float64) float64 { return x*k + zero }
		return &sdk.Figure{
			Curves:     []sdk.Curve{{Label: "outline", X: []float64{at(0)}, Y: []float64{at(3)}}},
			Dimensions: []sdk.Dimension{{Label: "width", Symbol: "b", Length: 3 * k, X: at(0), Y: at(1), ToX: at(3), ToY: at(1), Side: sdk.Below}},
			Family:     "roughness",
		}
	}
	m, k := sdk.Axis{Label: "x", Unit: "m"}, sdk.Axis{Label: "T", Unit: "K"}
	for _, tt := range []struct {
		axis         sdk.Axis
		unit         AxisUnit
		figure, want *sdk.Figure
	}{
		{m, in("m", "mm"), figure(1, 0), figure(1000, 0)},
		{k, in("K", "degC"), figure(1, 273.15), figure(1, 0)},
	} {
		before := cloneFigure(tt.figure)
		p, got := Exactly(&sdk.Plot{X: tt.axis, Y: tt.axis, ToScale: true}, tt.figure, tt.unit, tt.unit)
		if !reflect.DeepEqual(got.Curves, tt.want.Curves) || !reflect.DeepEqual(got.Dimensions, tt.want.Dimensions) || got.Family != "roughness" || p.X.Unit != tt.unit.unit.ID {
			t.Errorf("%+v, want %+v", got, tt.want)
		}
		if !reflect.DeepEqual(tt.figure, before) {
			t.Errorf("the figure became %+v", tt.figure)
		}
	}
	bent := &sdk.Figure{Shapes: []sdk.Shape{{Label: "bent", X: []float64{2}, Y: []float64{-0.25}}}}
	if _, got := Exactly(&sdk.Plot{X: m, Y: sdk.Axis{Unit: "N"}}, bent, in("m", "mm"), in("N", "kN")); got.Shapes[0].X[0] != 2000 || got.Shapes[0].Y[0] != -250 || bent.Shapes[0].Y[0] != -0.25 {
		t.Errorf("%+v", got.Shapes)
	}
}
