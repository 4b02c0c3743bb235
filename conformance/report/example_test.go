package report_test

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/report"
)

// The subject of a finding is a value, and documents contain it as one sentence.
func ExampleSubject() {
	s := report.Subject{Vector: "P001"}.At("result.delta")
	fmt.Println(s)
	fmt.Println(s.Vector, s.Path)
	// Output:
	// vector P001, result.delta
	// P001 result.delta
}
