package document_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/document"
)

// The Spec of an engine is read within bounds, because engines are not trusted.
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
