// Command sphere is a whole engine in one file: two structs, a function and reference vectors. README has the same
// calculation as a document.
package main

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// Input is the size of a sphere.
type Input struct {
	Radius float64 `name:"radius" alias:"r" unit:"m" symbol:"r" range:"(0,)" doc:"Radius of the sphere."`
}

// Output is the measure of a sphere.
type Output struct {
	Volume float64 `name:"volume" unit:"m3" symbol:"V" doc:"Enclosed volume."`
	Area   float64 `name:"area" unit:"m2" symbol:"A" doc:"Surface."`
}

const vectors = `[
 {"id": "S1", "inputs": {"r": 1}, "expected": {"volume": 4.1887902047863910, "area": 12.566370614359173}, "rtol": 1e-15,
  "source": "4 pi/3 and 4 pi to 17 digits"},
 {"id": "S2", "inputs": {"radius": 0}, "expected": {"code": "RADIUS_MUST_BE_POSITIVE", "field": "radius"}, "source": "range"}
]`

func main() {
	spec := sdk.Spec{
		Capability: "geometry.solids.sphere", Version: "1.0.0", Tool: "sphere", Group: "geometry",
		Title: "Sphere", Summary: "Volume and surface of a sphere from its radius.",
		Definition: "A = 4*pi*r^2; V = A*r/3", Formulas: []sdk.Formula{{ID: "sphere_v1"}},
		Keywords: []string{"ball"}, References: []sdk.Reference{{Title: "Archimedes, On the Sphere and Cylinder"}},
	}
	engine := sdk.New(spec, func(_ context.Context, in Input) (Output, error) {
		area := 4 * math.Pi * in.Radius * in.Radius
		return Output{Volume: area * in.Radius / 3, Area: area}, nil
	})
	wire.Serve(engine, []byte(vectors))
}
