// Command area is the engine that converts units of area. See [Engine].
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

// Engine returns the engine of units.convert.area 1.0.0: a number in one unit of area, in
// another. The acre is that of the international foot.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("area", conversion.About{
		Title:    "Area: square metres, square feet, acres, hectares",
		Summary:  "An area in another unit: square metres, square feet, acres, hectares, square miles.",
		Keywords: []string{"surface", "square metre", "square meter", "square foot", "square feet", "square inch", "hectare", "acre", "land", "plot", "floor area"},
		Assumptions: []string{
			"Units are squares of the international foot, yard and mile of 1959; the acre is 43560 such square feet.",
		},
	})
}
