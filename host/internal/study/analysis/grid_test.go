package analysis_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/study/analysis"
)

func ratOf(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// Places are the numbers that people write, and never a sum of rounded steps.
func TestGrid(t *testing.T) {
	if got := analysis.Even(ratOf("0"), ratOf("1"), 11); !slices.Equal(got, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}) {
		t.Error(got)
	}
	if got := analysis.Logarithmic(ratOf("1e-3"), ratOf("1e3"), 7); !slices.Equal(got, []float64{1e-3, 1e-2, 0.1, 1, 10, 100, 1000}) {
		t.Error(got)
	}
	if got := analysis.Logarithmic(ratOf("1000"), ratOf("1"), 4); !slices.Equal(got, []float64{1000, 100, 10, 1}) {
		t.Error(got)
	}
	// The number in the middle was computed with 60 digits.
	many := analysis.Logarithmic(ratOf("1e-300"), ratOf("1e300"), 10_000)
	if many[5000] != 1.0715267077965671 || !slices.IsSorted(many) || many[9999] != 1e300 {
		t.Error(many[5000], many[9999])
	}
}
