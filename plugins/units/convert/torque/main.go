// Command torque is the engine that converts units of torque. See [Engine].
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

// Engine returns the engine of units.convert.torque 1.0.0: a number in one unit of
// torque, in another. A unit may be spelled with a dot or a space: N.m or "N m".
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("torque", conversion.About{
		Title:    "Torque: newton metres, foot-pounds",
		Summary:  "A torque or moment in another unit: newton metres, kilonewton metres, pound-force feet and inches, kip feet.",
		Keywords: []string{"moment", "bending moment", "newton metre", "newton meter", "Nm", "foot pound", "pound foot", "inch pound", "tightening", "bolt", "wrench"},
		Assumptions: []string{
			"kgf and lbf are weights at the standard acceleration of gravity, 9.80665 m/s2.",
		},
	})
}
