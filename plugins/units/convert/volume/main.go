// Command volume is the engine that converts units of volume. See [Engine].
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

// Engine returns the engine of units.convert.volume 1.0.0: a number in one unit of
// volume, in another. There are two gallons: gal_us and gal_imp.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("volume", conversion.About{
		Title:    "Volume: litres, gallons, cubic metres, cubic feet",
		Summary:  "A volume in another unit: cubic metres, litres, cubic feet, US and imperial gallons.",
		Keywords: []string{"capacity", "litre", "liter", "gallon", "cubic metre", "cubic meter", "cubic foot", "cubic feet", "cubic inch", "millilitre", "tank", "liquid"},
		Assumptions: []string{
			"gal_us is the US liquid gallon of 231 cubic inches, gal_imp the imperial gallon of 4.54609 litres.",
		},
	})
}
