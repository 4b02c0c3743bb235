// Command length is the engine that converts units of length. See [Engine].
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

// Engine returns the engine of units.convert.length 1.0.0: a number in one unit of
// length, in another. The foot is the international one, not that of US surveys.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("length", conversion.About{
		Title:    "Length: metres, feet, inches, miles",
		Summary:  "A length in another unit: metres, millimetres, inches, feet, yards, miles, nautical miles.",
		Keywords: []string{"distance", "metre", "meter", "centimetre", "millimetre", "kilometre", "foot", "feet", "inch", "inches", "yard", "mile", "nautical mile", "micron", "imperial to metric"},
		Assumptions: []string{
			"Inch, foot, yard and mile are the international ones of 1959; US survey units differ from them by 2 in a million.",
		},
	})
}
