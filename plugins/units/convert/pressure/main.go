// Command pressure is the engine that converts units of pressure. See [Engine].
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

// Engine returns the engine of units.convert.pressure 1.0.0: a number in one unit of
// pressure, in another. No atmosphere is added to gauge pressures.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("pressure", conversion.About{
		Title:    "Pressure: psi, bar, kPa, atmospheres, mmHg",
		Summary:  "A pressure or stress in another unit: pascals, bar, psi, atmospheres, torr, millimetres of mercury.",
		Keywords: []string{"stress", "pascal", "bar", "psi", "pound per square inch", "atmosphere", "torr", "millimetre of mercury", "vacuum", "tyre", "tire", "gauge"},
		Assumptions: []string{
			"Absolute pressure stays absolute and gauge pressure stays gauge: no atmosphere is added or taken away.",
			"mmHg is the conventional millimetre of mercury, 133.322387415 Pa, and differs from torr, 101325/760 Pa.",
		},
	})
}
