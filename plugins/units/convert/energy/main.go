// Command energy is the engine that converts units of energy. See [Engine].
package main

import (
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/conversion"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Engine returns the engine of units.convert.energy 1.0.0: a number in one unit of
// energy, in another. There are two calories: cal_th and cal_it.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("energy", conversion.About{
		Title:    "Energy: joules, kilowatt hours, calories, Btu",
		Summary:  "An energy, work or heat in another unit: joules, kilowatt hours, calories, British thermal units, foot-pounds.",
		Keywords: []string{"work", "heat", "joule", "kilowatt hour", "kWh", "calorie", "kilocalorie", "food calories", "british thermal unit", "btu", "foot pound"},
		Assumptions: []string{
			"cal_th is the thermochemical calorie of 4.184 J, cal_it that of the International Table, 4.1868 J; Btu_it is of the International Table too.",
		},
	})
}
