package conformance_test

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
)

func BenchmarkCheck(b *testing.B) {
	data := vectors(b)
	for b.Loop() {
		if r := conformance.Check(b.Context(), opens(cubeStack()), data, nil); !r.Passed {
			b.Fatal(r.Headline())
		}
	}
}
