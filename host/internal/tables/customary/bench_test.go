package customary_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
)

func BenchmarkConvert(b *testing.B) {
	q, _ := customary.Of(&spec, "m", false)
	u := customary.NewReader(customary.US).Unit(q, 0.0123456789)
	for b.Loop() {
		q.Convert(0.0123456789, u)
	}
}

func BenchmarkUnit(b *testing.B) {
	q, _ := customary.Of(&spec, "Pa", false)
	r := customary.NewReader(customary.AsEntered, "ft", "kip", "ksi")
	for b.Loop() {
		r.Unit(q, 1.1e8)
	}
}
