package shards_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// BenchmarkWorker measures the CPU time of a row in a file that is computed directly, and in shards by one worker
// without a broker.
func BenchmarkWorker(b *testing.B) {
	const rows, parts = 200_000, 20
	dir := b.TempDir()
	var text strings.Builder
	text.WriteString("beam,L\n")
	for i := range rows {
		fmt.Fprintf(&text, "beam %d,%d.%03d\n", i, i%97, i%1000)
	}
	file := filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	measure := func(name string, compute func(dir string) error) {
		b.Run(name, func(b *testing.B) {
			before := cpuTime(b)
			for b.Loop() {
				if err := compute(b.TempDir()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N)/rows, "cpu-ns/row")
		})
	}
	plan, err := shards.NewPlan(b.Context(), published, job(file, table.CSV, table.CSV, parts), nil)
	if err != nil {
		b.Fatal(err)
	}
	measure("direct", func(dir string) error {
		all := table.Batch{From: file, Format: table.CSV, To: filepath.Join(dir, "answers.csv"), As: table.CSV, ID: "twice", Observer: quiet{}}
		all.Table.Decimals = table.CSV.Decimals("")
		return all.Run(b.Context(), calc.New(published, doubling{}, nil))
	})
	measure("shards", func(dir string) error {
		w, err := shards.NewWorker(plan, published, doubling{}, file)
		for k := 1; k <= parts && err == nil; k++ {
			_, _, err = w.Run(b.Context(), k, dir, nil)
		}
		return err
	})
}

// cpuTime returns the CPU time of the process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
