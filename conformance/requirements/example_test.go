package requirements_test

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/requirements"
)

// A set never changes, so the rules of a named set stay the same.
func ExampleFind() {
	set, err := requirements.Find("2026-12")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Name, len(set.Rules))
	fmt.Println(set.Rules[0].ID)
	// Output:
	// 2026-12 47
	// starts
}
