package compare_test

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// An old answer is computed again with a newer release.
func ExampleComparer_Compare() {
	older := &sdk.Spec{Outputs: []sdk.Field{{Name: "deflection", Type: sdk.TypeNumber, Unit: "m"}}}
	newer := &sdk.Spec{Outputs: []sdk.Field{{Name: "deflection", Type: sdk.TypeNumber, Unit: "m"}, {Name: "slope", Type: sdk.TypeNumber}}}
	was := &compare.Outcome{Result: value.Values{value.NumberOf(0.003)}}
	is := &compare.Outcome{Result: value.Values{value.NumberOf(0.0030000000000000005), value.NumberOf(0.01)}}

	comparison := compare.New(older, newer).Compare(was, is)
	fmt.Println(comparison.Verdict)
	fmt.Println(comparison)
	fmt.Println(compare.New(older, older).Compare(was, was) == nil)
	// Output:
	// changed
	// deflection is 0.0030000000000000005, and was 0.003 (by 1.4e-16 of it, 1 ulp)
	// true
}
