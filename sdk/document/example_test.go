package document_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/document"
)

// The Spec that an engine carries is read within bounds, whoever wrote the engine.
func ExampleParseSpec() {
	spec, err := document.ParseSpec([]byte(`{"capability_id": "geometry.areas.disc", "calculation_version": "1.0.0"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Capability, spec.Version)
	// Output:
	// geometry.areas.disc 1.0.0
}
