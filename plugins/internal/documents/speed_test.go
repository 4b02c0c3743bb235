package documents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	questions "github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk/value"
)

const mostAllocations = 3 // the median of the vectors, because warnings at some of them contain exact numbers

// exact has the documents that have no fast path, with the reason. The exact evaluator computes all of their requests.
var exact = map[string]string{
	"fluids.open_channel.partially_full_pipe": "the wetted angle is the root of an equation with a sine",
}

// BenchmarkDocuments measures each document at its vectors with results that the fast path decides. Others have extreme inputs.
func BenchmarkDocuments(b *testing.B) {
	for _, file := range current(b) {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".calc.md"), func(b *testing.B) {
			_, e := read(b, file)
			requests := slices.DeleteFunc(questions.Vectors(e, e.Vectors()), func(in value.Values) bool {
				_, err := e.Calculate(b.Context(), in)
				return err != nil || !e.Fast(in)
			})
			spec := e.Spec()
			reason := exact[spec.Capability]
			if (len(requests) == 0) != (reason != "") {
				b.Fatalf("the fast path decides %d vectors, and the reason for the exact evaluator is %q", len(requests), reason)
			}
			if reason != "" {
				b.Skip(reason)
			}
			calculate, next := e.Repeat(), 0
			var allocations []float64
			for _, in := range requests {
				allocations = append(allocations, testing.AllocsPerRun(10, func() { calculate(b.Context(), in) })) // has a result
			}
			slices.Sort(allocations)
			if n := allocations[len(allocations)/2]; n > mostAllocations {
				b.Errorf("%v allocations, want at most %d", n, mostAllocations)
			}
			b.ReportAllocs()
			for b.Loop() {
				calculate(b.Context(), requests[next%len(requests)])
				next++
			}
		})
	}
}
