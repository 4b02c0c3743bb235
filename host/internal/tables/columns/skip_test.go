package columns_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// Rows are skipped within pages and groups, and across them.
func TestSkip(t *testing.T) {
	const size, block = 300_000, 10_000 // more than two groups of Parquet
	described := []columns.Column{{Name: "row", Kind: columns.Number}, {Name: "half", Kind: columns.Integer}}
	for _, form := range forms {
		var file bytes.Buffer
		w, err := form.create(&file, described, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := new(columns.Block)
		for from := 0; from < size; from += block {
			b.Reset(described, block)
			for i := range block {
				b.Columns[0].Numbers[i], b.Columns[1].Integers[i] = float64(from+i), int64(from+i)/2
				b.Columns[1].Null[i] = i%3 == 0
			}
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(7, 8))
		for _, longest := range []int{3, 20_000, 200_000} {
			r, err := form.open(file.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for reads := 0; reads < 40; reads++ {
				step := random.IntN(longest)
				if err := r.Skip(int64(step)); at+step > size {
					if !errors.Is(err, io.EOF) {
						t.Errorf("%s: past the end: %v", form.name, err)
					}
					break
				} else if err != nil {
					t.Fatal(form.name, err)
				}
				at += step
				if err := r.Read(b, 50); errors.Is(err, io.EOF) && at == size {
					break
				} else if err != nil {
					t.Fatal(form.name, err)
				}
				for i := range b.Rows {
					if null := (at+i)%block%3 == 0; b.Columns[0].Numbers[i] != float64(at+i) || b.Columns[1].Null[i] != null || !null && b.Columns[1].Integers[i] != int64(at+i)/2 {
						t.Fatalf("%s: row %d is %v, %v", form.name, at+i, b.Columns[0].Numbers[i], b.Columns[1].Integers[i])
					}
				}
				at += b.Rows
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
