package response_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Values are written by the names of their fields. Each number has as many digits as it needs,
// and a short form for people.
func ExampleAppendRecord() {
	fields := []sdk.Field{{Name: "delta", Type: sdk.TypeNumber, Unit: "m"}, {Name: "model", Type: sdk.TypeString}}
	result := value.Values{value.NumberOf(0.001846406346166997), value.TextOf("euler_bernoulli")}
	fmt.Printf("%s\n", response.AppendRecord(nil, fields, result))

	unit, formatted := response.Format(fields, result)
	fmt.Println(formatted)
	fmt.Println(unit)
	// Output:
	// {"delta":0.001846406346166997,"model":"euler_bernoulli"}
	// 0.00184641 m
	// m
}
