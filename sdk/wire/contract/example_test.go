package contract_test

import (
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Values have no names in messages, because both ends have the Spec.
func Example() {
	spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "radius", Type: sdk.TypeNumber, Unit: "m"}}}
	message := contract.AppendCall(nil, &contract.Call{ID: 7, Timeout: time.Second, Inputs: value.Values{value.NumberOf(2)}})
	call, err := contract.DecodeCall(message, spec)
	fmt.Println(len(message), "bytes:", call.ID, call.Timeout, call.Inputs[0].Number(), err)
	// Output:
	// 19 bytes: 7 1s 2 <nil>
}
