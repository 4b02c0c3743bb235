package beam

import (
	"github.com/slipstick/slipstick/sdk"
)

// The codes of warnings.
const (
	NoLoad          = "NO_LOAD_APPLIED"
	LargeDeflection = "LARGE_DEFLECTION"
)

// Small is the limit of small deflections. The quantity is the largest deflection, in
// the words of the Spec.
func Small(largest string) sdk.Limit {
	return sdk.Limit{
		Quantity: "abs(" + largest + ")/length", Max: new(0.1), Warning: LargeDeflection,
		Doc: "The theory takes slopes as small, and equilibrium on the straight beam.",
	}
}
