package pool_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/sdk/value"
)

// BenchmarkCalculate makes calls of one process over its stream. It counts the allocations of the
// server.
func BenchmarkCalculate(b *testing.B) {
	program, _ := self(b)
	p, err := pool.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	if err := p.Start(b.Context(), program, true); err != nil {
		b.Fatal(err)
	}
	for name, callers := range map[string]int{"one caller": 1, "many callers": 64} {
		b.Run(name, func(b *testing.B) {
			var calls atomic.Int64
			b.ReportAllocs()
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					in := value.Values{value.NumberOf(0), value.TextOf("square")}
					for n := calls.Add(1); n <= int64(b.N); n = calls.Add(1) {
						in[0] = value.NumberOf(float64(n))
						if _, err := p.Calculate(b.Context(), time.Second, program, in); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
		})
	}
}
