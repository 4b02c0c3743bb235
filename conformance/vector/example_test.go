package vector_test

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/vector"
)

// A vector expects a result, or a rejection with its code and field.
func ExampleParse() {
	vectors, err := vector.Parse([]byte(`[
		{"id": "P1", "inputs": {"side": 3}, "expected": {"area": 9}, "rtol": 1e-12, "source": "3 times 3"},
		{"id": "R1", "inputs": {"side": -1}, "expected": {"code": "SIDE_MUST_BE_POSITIVE", "field": "side"}, "source": "range"}
	]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range vectors {
		if v.Rejection != nil {
			fmt.Println(v.ID, v.Inputs, v.Rejection.Code)
			continue
		}
		fmt.Println(v.ID, v.Inputs, v.Expected, v.RTol)
	}
	// Output:
	// P1 {"side": 3} {"area": 9} 1e-12
	// R1 {"side": -1} SIDE_MUST_BE_POSITIVE
}
