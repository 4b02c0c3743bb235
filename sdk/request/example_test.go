package request_test

import (
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Inputs with other names and other units become one value per input, in SI. Mistakes are a
// list of facts, and an error that lists all of them.
func ExampleRead() {
	spec := &sdk.Spec{Inputs: []sdk.Field{
		{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m", Required: true},
		{Name: "load", Type: sdk.TypeNumber, Unit: "N", Required: true},
	}}
	for _, body := range []string{
		`{"L": {"value": 10, "unit": "ft"}, "load": 500}`,
		`{"length": "ten", "load": true}`,
	} {
		inputs, err := strictjson.ParseObject([]byte(body))
		if err != nil {
			fmt.Println(err)
			continue
		}
		values, conversions, err := request.Read(spec, inputs)
		var faults request.Faults
		if errors.As(err, &faults) {
			fmt.Println(err)
			for i := range faults {
				fmt.Println(faults[i].Place(), faults[i].Constraint(request.AsSent))
			}
			continue
		}
		fmt.Println(values[0].Number(), values[1].Number(), conversions)
	}
	// Output:
	// 3.048 500 [length: 10 ft = 3.048 m]
	// INVALID_NUMBER (length): length: must be a number; a string was sent
	// length must be a number; a string was sent
	// load must be a number; a boolean was sent
}
