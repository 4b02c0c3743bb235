package columns_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// BenchmarkRead reads files of numbers and texts with nulls.
func BenchmarkRead(b *testing.B) {
	const rows = 100_000
	for _, form := range forms {
		var file bytes.Buffer
		w, err := form.create(&file, described[:5], nil)
		if err != nil {
			b.Fatal(err)
		}
		random := rand.New(rand.NewPCG(7, 8))
		for range rows / 4000 {
			block := block(random, 4000)
			block.Columns = block.Columns[:5]
			if err := w.Write(block); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := form.open(file.Bytes())
				if err != nil {
					b.Fatal(err)
				}
				block := new(columns.Block)
				for err == nil {
					err = r.Read(block, 4096)
				}
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
