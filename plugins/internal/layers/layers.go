// Package layers is steady conduction of heat through layers in series.
package layers

import (
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
)

// TooFew is the code of what [Check] rejects.
const TooFew = "TOO_FEW_LAYERS"

// Layer is one layer of a wall.
type Layer struct {
	Thickness    float64 `name:"thickness" alias:"t" symbol:"t_i" unit:"m" range:"(0,)" doc:"Thickness of the layer."`
	Conductivity float64 `name:"conductivity" alias:"k,lambda" symbol:"k_i" unit:"W/(m K)" range:"(0,)" presets:"data.materials.metals#thermal_conductivity" doc:"Thermal conductivity of the layer."`
}

// Check rejects a wall without layers. The field is called layers.
func Check(wall []Layer) error {
	if len(wall) == 0 {
		return sdk.Reject(TooFew, "layers", "layers is empty: a wall has at least one layer").Suggest("Give the layers in their order.")
	}
	return nil
}

// Sum returns the resistance of resistances in series.
func Sum(resistances []elementary.Num) elementary.Num {
	var sum elementary.Num
	for _, r := range resistances {
		sum = sum.Add(r)
	}
	return sum
}

// Temperatures returns the temperatures between resistances in series, from that
// before the first to that after the last.
func Temperatures(first, last float64, resistances []elementary.Num) []float64 {
	total, passed := Sum(resistances), elementary.Num{}
	from := elementary.Of(first)
	drop := from.Sub(elementary.Of(last))
	temperatures := []float64{first}
	for _, r := range resistances {
		passed = passed.Add(r)
		temperatures = append(temperatures, from.Sub(drop.Mul(passed).Div(total)).Float())
	}
	return temperatures
}
