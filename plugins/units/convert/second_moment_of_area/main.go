// Command second_moment_of_area is the engine that converts units of second moment of area. See [Engine].
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

// Engine returns the engine of units.convert.second_moment_of_area 1.0.0: a number in one
// unit of second moment of area, in another. Of areas, not of masses.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("second_moment_of_area", conversion.About{
		Title:    "Second moment of area: mm4, cm4, in4",
		Summary:  "A second moment of area in another unit: m4, cm4, mm4, in4, ft4.",
		Keywords: []string{"moment of inertia", "area moment of inertia", "inertia of a section", "section property", "in4 to cm4"},
		Assumptions: []string{
			"Inch and foot are the international ones.",
		},
	})
}
