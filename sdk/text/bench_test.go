package text

import (
	"os"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	source, err := os.ReadFile("testdata/wall_dew_point.calc.md")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Parse("b", source); err != nil {
			b.Fatal(err)
		}
	}
}

// A calculation of a document uses the memory of an earlier calculation.
func BenchmarkCalculate(b *testing.B) {
	for _, name := range []string{"euler_johnson", "tension", "steel_column", "fuel_consumption", "wall_dew_point"} {
		b.Run(name, func(b *testing.B) {
			e, _ := bound(b, name+".calc.md")
			in, ok := e.read(&e.vectors[0])
			if !ok {
				b.Fatal("the vector cannot be read")
			}
			repeat := e.Repeat()
			b.ReportAllocs()
			for b.Loop() {
				_, err := repeat(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
