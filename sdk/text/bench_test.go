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
