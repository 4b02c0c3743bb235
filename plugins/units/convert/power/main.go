// Command power is the engine that converts units of power. See [Engine].
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

// Engine returns the engine of units.convert.power 1.0.0: a number in one unit of power,
// in another. hp is the mechanical horsepower.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("power", conversion.About{
		Title:    "Power: watts, kilowatts, horsepower, Btu per hour",
		Summary:  "A power in another unit: watts, kilowatts, mechanical and metric horsepower, Btu per hour, tons of refrigeration.",
		Keywords: []string{"watt", "kilowatt", "horsepower", "hp", "PS", "bhp", "engine", "btu per hour", "ton of refrigeration", "cooling"},
		Assumptions: []string{
			"hp is the mechanical horsepower of 550 ft lbf/s, hp_metric that of 75 kgf m/s; electrical and boiler horsepower are others.",
			"Btu_it is of the International Table; ton_refrigeration is 12000 Btu_it/h.",
		},
	})
}
