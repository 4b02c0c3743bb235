package documents_test

import (
	"fmt"

	"github.com/slipstick/slipstick/registry/documents"
)

// The struct describes the form, and the owner of the document words the advice.
func ExampleChecker_Check() {
	type review struct {
		Reviewer string `json:"reviewer" validate:"required"`
		Kind     string `json:"kind" validate:"oneof=internal expert"`
	}
	err := documents.New(nil).Check(&review{Reviewer: "A. Kovač", Kind: "quick"}, func(f documents.Finding) error {
		return fmt.Errorf("%s is %q: write one of %s", f.Path, f.Value, f.Param)
	})
	fmt.Println(err)
	// Output:
	// kind is "quick": write one of internal expert
}
