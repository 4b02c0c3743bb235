// Command line_load is the engine that converts units of line load. See [Engine].
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

// Engine returns the engine of units.convert.line_load 1.0.0: a number in one unit of
// line load, in another. kgf and lbf are weights at standard gravity.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the factors are those of package units.
func Engine() sdk.Engine {
	return conversion.Engine("line_load", conversion.About{
		Title:    "Line load: kN/m, lbf/ft, kip/ft",
		Summary:  "A force per length in another unit: newtons and kilonewtons per metre, pounds-force and kips per foot or inch.",
		Keywords: []string{"distributed load", "load per length", "force per length", "newton per metre", "kilonewton per metre", "pounds per foot", "plf", "klf", "spring stiffness", "surface tension"},
		Assumptions: []string{
			"kgf and lbf are weights at the standard acceleration of gravity, 9.80665 m/s2.",
		},
	})
}
