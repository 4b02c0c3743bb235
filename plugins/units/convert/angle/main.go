// Command angle is the engine that converts units of angle. See [Engine].
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

// Engine returns the engine of units.convert.angle 1.0.0: a number in one unit of angle,
// in another. Angles are not reduced to one turn.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("angle", conversion.About{
		Title:    "Angle: degrees, radians, gradians, turns",
		Summary:  "An angle in another unit: radians, degrees, minutes and seconds of arc, gradians, revolutions.",
		Keywords: []string{"degree", "degrees", "radian", "minute of arc", "second of arc", "gon", "gradian", "revolution", "turn", "rotation"},
		Assumptions: []string{
			"Angles are not reduced to one turn.",
			"Between radians and the other units the factor holds pi: the result is the binary64 nearest to the true value all the same.",
		},
	})
}
