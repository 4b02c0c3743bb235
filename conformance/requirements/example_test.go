package requirements_test

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/requirements"
)

// A set never changes: whoever names it is judged by the same rules for ever.
func ExampleFind() {
	set, err := requirements.Find("2026-11")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Name, len(set.Rules))
	fmt.Println(set.Rules[0].ID)
	// Output:
	// 2026-11 33
	// starts
}
