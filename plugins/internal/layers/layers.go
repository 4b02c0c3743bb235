// Package layers is steady conduction of heat through layers in series.
package layers

import (
	"strconv"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
)

// The codes of what [Check] rejects, beside those of the ranges of a Layer.
const (
	TooFew = "TOO_FEW_LAYERS"

	thicknessPositive    = "THICKNESS_MUST_BE_POSITIVE"
	conductivityPositive = "CONDUCTIVITY_MUST_BE_POSITIVE"
)

// Layer is one layer of a wall.
type Layer struct {
	Thickness    float64 `name:"thickness" alias:"t" symbol:"t_i" unit:"m" range:"(0,)" doc:"Thickness of the layer."`
	Conductivity float64 `name:"conductivity" alias:"k,lambda" symbol:"k_i" unit:"W/(m K)" range:"(0,)" doc:"Thermal conductivity of the layer."`
}

// Check rejects a wall without layers, and every number of a layer that its range does
// not have. The field is called layers.
func Check(wall []Layer) error {
	if len(wall) == 0 {
		return sdk.Reject(TooFew, "layers", "layers is empty: a wall has at least one layer").Suggest("Send the layers in their order.")
	}
	var first *sdk.Error
	reject := func(i int, name, code string, value float64) {
		if first != nil && len(first.Invalid) == sdk.MaxNotes {
			return
		}
		at := "layers." + strconv.Itoa(i) + "." + name
		if first == nil {
			first = sdk.Reject(code, "layers", "%s is %v: it must be greater than 0", at, value).Suggest("Send a value of " + name + " greater than 0 in each layer.")
		}
		first.Invalid = append(first.Invalid, sdk.InvalidParameter{Name: at, Constraint: "must be greater than 0"})
	}
	for i, l := range wall {
		if l.Thickness <= 0 {
			reject(i, "thickness", thicknessPositive, l.Thickness)
		}
		if l.Conductivity <= 0 {
			reject(i, "conductivity", conductivityPositive, l.Conductivity)
		}
	}
	if first == nil {
		return nil
	}
	return first
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
