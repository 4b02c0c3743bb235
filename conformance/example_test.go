package conformance_test

import (
	"context"
	"fmt"
	"os"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
)

type squareInput struct {
	Side float64 `name:"side" symbol:"a" unit:"m" range:"(0,)" doc:"Length of an edge."`
}

type squareOutput struct {
	Area float64 `name:"area" symbol:"A" unit:"m2" doc:"Area of the square."`
}

// square is an engine as an author writes it.
func square() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "geometry.plane.square", Version: "1.0.0", Tool: "square", Group: "geometry",
		Title: "Area of a square", Summary: "Area of a square from its side.",
		Definition: "A = a^2", Keywords: []string{"surface"}, References: []sdk.Reference{{Title: "ISO 80000-3", Where: "item 3-3"}},
	}, func(_ context.Context, in squareInput) (squareOutput, error) {
		return squareOutput{Area: in.Side * in.Side}, nil
	})
}

// Check judges an engine, and the report lists the findings. An author's test calls Run
// instead, which judges alike:
//
//	func TestConformance(t *testing.T) { conformance.Run(t, square(), vectors) }
func ExampleCheck() {
	open := func(context.Context) (sdk.Engine, func(), error) { return square(), nil, nil }
	vectors := []byte(`[
		{"id": "P1", "inputs": {"side": 3}, "expected": {"area": 9}},
		{"id": "P2", "inputs": {"side": 4}, "expected": {"area": 17}, "rtol": 1e-12},
		{"id": "R1", "inputs": {"side": -1}, "expected": {"code": "SIDE_MUST_BE_POSITIVE", "field": "side"}}
	]`)

	r := conformance.Check(context.Background(), open, vectors, nil)
	fmt.Println("may be published:", r.Passed)
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// may be published: false
	// geometry.plane.square 1.0.0, requirements 2027-02
	// FAIL  vectors-results          2 checks
	//       rule: an engine must compute the result that each vector expects, within its tolerance (verification record)
	//       - found 16, off by 1
	//         want  17 within 1.7e-11
	//         where vector P2, result.area
	// skip  6 rules: it gives no new information: see vectors-results
	// 32 of 54 rules passed, 1 failed, 15 not applicable, 6 not verified; 2 of 3 vectors, 75 of 75 generated requests, coverage 3 of 3
}
