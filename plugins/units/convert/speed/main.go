// Command speed is the engine that converts units of speed. See [Engine].
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

// Engine returns the engine of units.convert.speed 1.0.0: a number in one unit of speed,
// in another. The knot is 1852 m/h.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("speed", conversion.About{
		Title:    "Speed: km/h, mph, knots, m/s",
		Summary:  "A speed in another unit: metres per second, kilometres per hour, miles per hour, knots, feet per second.",
		Keywords: []string{"velocity", "kilometre per hour", "kph", "miles per hour", "mph", "knot", "feet per second", "wind speed", "car", "ship"},
		Assumptions: []string{
			"A knot is one nautical mile of 1852 m per hour; the mile is the international one.",
		},
	})
}
