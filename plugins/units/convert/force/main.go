// Command force is the engine that converts units of force. See [Engine].
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

// Engine returns the engine of units.convert.force 1.0.0: a number in one unit of force,
// in another. kgf and lbf are weights at standard gravity.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("force", conversion.About{
		Title:    "Force: newtons, pounds-force, kips, kilograms-force",
		Summary:  "A force in another unit: newtons, kilonewtons, pounds-force, kips, kilograms-force.",
		Keywords: []string{"newton", "kilonewton", "pound force", "kilogram force", "kilopond", "kip", "load", "weight", "thrust"},
		Assumptions: []string{
			"kgf and lbf are the weights of 1 kg and 1 lb at the standard acceleration of gravity, 9.80665 m/s2.",
		},
	})
}
