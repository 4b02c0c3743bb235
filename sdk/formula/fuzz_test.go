package formula

import (
	"math"
	"os"
	"strings"
	"testing"
)

// realTexts are the texts of engines, by name.
func realTexts(t testing.TB) map[string]string {
	t.Helper()
	file, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, part := range strings.Split(string(file), "## ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		texts[name] = strings.TrimRight(text, "\n") + "\n"
	}
	if len(texts) < 10 {
		t.Fatalf("%d texts", len(texts))
	}
	return texts
}

// For every input, Parse returns a text within the limits, or a mistake with its place.
func FuzzParse(f *testing.F) {
	for _, text := range realTexts(f) {
		f.Add(text)
	}
	for _, test := range mistakes {
		f.Add(test.text)
	}
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, source string) {
		text, err := Parse(source)
		if err != nil {
			mistake := err.(*Error)
			if text != nil || mistake.Line < 1 || mistake.Column < 1 || mistake.Message == "" || !strings.HasSuffix(mistake.Excerpt(), "^") {
				t.Fatalf("%q: %+v", source, mistake)
			}
			if lines := strings.Split(source, "\n"); mistake.Line > len(lines) {
				t.Fatalf("%q has no line %d", source, mistake.Line)
			}
			return
		}
		nodes := 0
		for _, d := range text.Definitions {
			for _, c := range d.Cases {
				c.walk(func(x *Expr) {
					nodes++
					if x.from < 0 || x.to <= x.from || int(x.to) > len(source) {
						t.Fatalf("%q: a node from %d to %d", source, x.from, x.to)
					}
				})
			}
		}
		if text.String() != source || nodes > MaxNodes || len(text.Definitions) > MaxDefinitions {
			t.Fatalf("%q: %d nodes, %d definitions", source, nodes, len(text.Definitions))
		}
		// The printed text reads as the same text.
		again, err := Parse(text.Line())
		if err != nil && len(text.Line()) <= MaxBytes {
			t.Fatalf("%q is printed as %q: %v", source, text.Line(), err)
		}
		if err == nil && again.Line() != text.Line() {
			t.Fatalf("%q is printed as %q and that as %q", source, text.Line(), again.Line())
		}
	})
}

// For every text and all numbers, Evaluate ends within its work, with the same result each
// time.
func FuzzEvaluate(f *testing.F) {
	for _, text := range realTexts(f) {
		f.Add(text, 1.5, 3.0)
	}
	for _, name := range []string{"exp of exp", "functions of ln", "undecided sines", "no root", "a flat root", "sums of powers", "squares"} {
		f.Add(hostile[name], 1e300, -1e-300)
	}
	f.Fuzz(func(t *testing.T, source string, x, y float64) {
		text, err := Parse(source)
		if err != nil {
			return
		}
		given := append([]Input{in("x", x), in("y", y), in("L", 3), in("n", 40), in("list", []float64{x, y, 1})}, inputs...)
		taken := map[string]float64{"z": x}
		once, again := text.Evaluate(given, taken, near), text.Evaluate(given, taken, near)
		for i, v := range once.Values {
			w := again.Values[i]
			a, _ := v.Number()
			b, _ := w.Number()
			if v.State != w.State || v.Case != w.Case || v.Why != w.Why || math.Float64bits(a) != math.Float64bits(b) {
				t.Fatalf("%q: %+v, then %+v", source, v, w)
			}
			if (v.State == Fault || v.State == Undecided) == (v.Why == "") {
				t.Fatalf("%q: %s is in state %d because of %q", source, v.Name, v.State, v.Why)
			}
			if v.State == Known && v.value.kind == numberKind {
				if low, high := v.value.number.bounds(64); low.Cmp(high) > 0 {
					t.Fatalf("%q: %s is between %v and %v", source, v.Name, low, high)
				}
			}
		}
	})
}
