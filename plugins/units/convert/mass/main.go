// Command mass is the engine that converts units of mass. See [Engine].
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

// Engine returns the engine of units.convert.mass 1.0.0: a number in one unit of mass, in
// another. Pounds and ounces are avoirdupois.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("mass", conversion.About{
		Title:    "Mass: kilograms, pounds, ounces, tons",
		Summary:  "A mass in another unit: kilograms, grams, tonnes, pounds, ounces, US and imperial tons, slugs.",
		Keywords: []string{"weight", "kilogram", "gram", "tonne", "metric ton", "pound", "pounds", "ounce", "short ton", "long ton", "slug", "kg to lb"},
		Assumptions: []string{
			"lb and oz are the avoirdupois pound and its sixteenth; ton_us is 2000 lb, ton_imp 2240 lb, t 1000 kg.",
			"A mass is not a force: weights in lbf, kgf or N belong to the conversion of force.",
		},
	})
}
