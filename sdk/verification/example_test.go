package verification_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/verification"
)

// A record must satisfy the rule of its tier.
func ExampleRecord_Check() {
	record := verification.Record{Tier: verification.InternallyReviewed, EngineTested: true, InternallyReviewed: true}
	fmt.Println(record.Check())
	record.SourceChecked = true
	fmt.Println(record.Check())
	// Output:
	// verification: an internally_reviewed record has engine_tested, internally_reviewed and source_checked true
	// <nil>
}
