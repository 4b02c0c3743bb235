package cases_test

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// The cases contain each end of a range, and numbers just inside, just outside and far
// outside.
func ExampleGenerate() {
	spec := &sdk.Spec{Capability: "a.b.c", Version: "1.0.0", Inputs: []sdk.Field{
		{Name: "load", Type: sdk.TypeNumber, Required: true, Range: &sdk.Range{Min: new(1.0), Max: new(9.0), Code: "LOAD_OUT_OF_RANGE"}},
	}}
	for _, c := range cases.Generate(spec, []value.Values{{value.NumberOf(2)}}) {
		if c.Kind == cases.Boundary {
			fmt.Println(c.Inputs)
		}
	}
	// Output:
	// {"load":1}
	// {"load":1.0000000000000002}
	// {"load":0.9999999999999999}
	// {"load":-1}
	// {"load":9}
	// {"load":8.999999999999998}
	// {"load":9.000000000000002}
	// {"load":19}
}
