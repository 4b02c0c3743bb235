package value_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/value"
)

func ExampleConversion() {
	c := value.Conversion{Field: "length", Literal: "10.0", From: "ft", Value: 3.048, To: "m"}
	fmt.Println(c.String())
	// Output: length: 10.0 ft = 3.048 m
}
