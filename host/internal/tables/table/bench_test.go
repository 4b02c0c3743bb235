package table_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// BenchmarkSheet answers rows of a table without an engine process, to measure reading and writing.
// Numbers without decimals never show the decimal mark of the table.
func BenchmarkSheet(b *testing.B) {
	for name, format := range map[string]string{"decimals": "B%d,%v\n", "whole": "B%d,%.0f\n"} {
		b.Run(name, func(b *testing.B) {
			const rows = 100_000
			random := rand.New(rand.NewPCG(1, 2))
			var text strings.Builder
			text.WriteString("beam,L\n")
			for n := range rows {
				fmt.Fprintf(&text, format, n, 5000*random.Float64())
			}
			s := service()
			for b.Loop() {
				sheet, err := table.NewSheet(s.Catalog(), "twice", nil, strings.NewReader(text.String()), &table.Options{Decimals: typed.ByFile})
				if err != nil {
					b.Fatal(err)
				}
				if err := batch.Run(b.Context(), s, sheet, sheet.AppendRecord, io.Discard, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
		})
	}
}
