package evidence_test

import (
	"fmt"

	"github.com/slipstick/slipstick/registry/evidence"
)

// A withdrawal needs a reason, and a revocation is final.
func ExampleLifecycle_Check() {
	active := evidence.Lifecycle{State: evidence.Active}
	yanked := evidence.Lifecycle{State: evidence.Yanked}
	fmt.Println(yanked.Check(active))
	yanked.Reason = "wrong above 1 kV"
	fmt.Println(yanked.Check(active), yanked.Serves())
	fmt.Println(active.Check(evidence.Lifecycle{State: evidence.Revoked, Reason: "wrong sign"}))
	// Output:
	// a yanked release needs a reason, which its callers see
	// <nil> false
	// it was revoked, and that is final: publish a new version
}
