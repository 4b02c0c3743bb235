// Command temperature is the engine that converts units of temperature. See [Engine].
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

// Engine returns the engine of units.convert.temperature 1.0.0: a number in one unit of
// temperature, in another. Temperatures are absolute, never differences.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs. A temperature below absolute zero is rejected with
// TEMPERATURE_BELOW_ABSOLUTE_ZERO.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("temperature", conversion.About{
		Title:    "Temperature: Celsius, Fahrenheit, Kelvin, Rankine",
		Summary:  "A temperature in another unit: kelvin, degrees Celsius, Fahrenheit and Rankine.",
		Keywords: []string{"celsius", "centigrade", "fahrenheit", "kelvin", "rankine", "degrees", "hot", "cold", "fever", "oven", "weather", "C to F"},
		Assumptions: []string{
			"Temperatures are absolute, not differences: 0 degC is 32 degF, though a difference of 1 K is 1.8 degF.",
			"The binary64 nearest to absolute zero is taken for it where it lies a hair below, as -459.67 degF does.",
		},
		References: []sdk.Reference{
			{Title: "Absolute zero", Where: "0 K = -273.15 degC by the definition of the degree Celsius, and 0 degF = 459.67 degR"},
		},
	})
}
