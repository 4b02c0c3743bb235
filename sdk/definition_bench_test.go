package sdk

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkHostileSpec reads texts as long as is allowed, with as many formulas.
func BenchmarkHostileSpec(b *testing.B) {
	for _, n := range []int{1, 4, maxFormulas} {
		b.Run(fmt.Sprint(n, " formulas"), func(b *testing.B) { benchmarkHostileSpec(b, n) })
	}
}

func benchmarkHostileSpec(b *testing.B, n int) {
	var s Spec
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "y = x^%d if x < %d @f%d\n", i+2, i, i)
		s.Formulas = append(s.Formulas, Formula{ID: fmt.Sprint("f", i)})
	}
	text.WriteString("z = x")
	for nodes := 4 * n; nodes < 240 && (text.Len()+8)*n < maxMade; nodes++ {
		text.WriteString("+x*yy")
	}
	s.Definition = strings.ReplaceAll(text.String(), "yy", "y")
	s.Inputs, s.Outputs = []Field{{Name: "x", Type: TypeNumber}}, []Field{{Name: "y", Type: TypeNumber}}
	if _, err := s.Text(); err != nil || s.makesTooMuch() != nil {
		b.Fatal(err, s.makesTooMuch())
	}
	b.ReportAllocs()
	for b.Loop() {
		read := s
		read.checkDefinition()
		read.Express()
	}
}
