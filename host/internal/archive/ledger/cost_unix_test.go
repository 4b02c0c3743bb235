//go:build unix

package ledger

import (
	"syscall"
	"testing"
	"time"
)

// processor returns the CPU time that the process has used.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecord measures the CPU time of a record, including the writer. A server answers about
// 100,000 requests a second, so records come at that rate.
func BenchmarkRecord(b *testing.B) {
	for _, inputs := range []Inputs{Whole, Hashed} {
		b.Run(string(inputs), func(b *testing.B) {
			o := options()
			o.Inputs, o.segment, o.Sync = inputs, 0, 0
			l, err := Open(b.TempDir(), o)
			if err != nil {
				b.Fatal(err)
			}
			r := answer(1)
			b.ReportAllocs()
			const burst = 1000
			tick := time.NewTicker(burst * time.Second / 100_000)
			from := processor(b)
			b.ResetTimer()
			for i := range b.N {
				if i%burst == 0 {
					<-tick.C
				}
				r.Time = r.Time.Add(1234567)
				l.Record(r)
			}
			if err := l.Close(); err != nil {
				b.Error(err)
			}
			b.ReportMetric(float64(processor(b)-from)/float64(b.N), "processor-ns/op")
			b.ReportMetric(float64(l.Stats().Lost), "lost")
		})
	}
}
