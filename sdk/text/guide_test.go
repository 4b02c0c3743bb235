package text

import (
	"os"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

const (
	tutorialPage = "../../docs/start/document-author.md"
	formatPage   = "../../docs/reference/engine-document.md"
)

// read reads a page of the documentation.
func read(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The example of the tutorial binds, agrees with its vectors, and is in canonical form.
func TestGuideExample(t *testing.T) {
	const open, end = "````markdown\n", "\n````\n"
	_, rest, found := strings.Cut(read(t, tutorialPage), open)
	source, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("the tutorial has no example document")
	}
	source += "\n"
	e, err := Bind("plate_tension.calc.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Disagreements("plate_tension.calc.md", []byte(source)) {
		t.Error(m.Report())
	}
	canonical, err := Format("plate_tension.calc.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if string(canonical) != source {
		t.Errorf("the canonical form is:\n%s", canonical)
	}
}

// beam has the symbols of the sketches on the page about the format.
const beam = "# Beam\n\nA beam with a load.\n\n- id: test.beams.simple\n- version: 1.0.0\n- keywords: beam\n\n## Inputs\n\n" +
	"| symbol | name | unit | default | doc |\n|---|---|---|---|---|\n| b | width | m | 0.2 m | Width. |\n| h | height | m | 0.3 m | Height. |\n" +
	"| t | wall | m | 0.01 m | Thickness. |\n| L | length | m | 4 m | Length. |\n| a | place | m | 1 m | Place of the load. |\n" +
	"| x | distance | m | 2 m | Place of the result. |\n| P | load | N | 5 N | Load. |\n\n## Formula\n\n```formula\ndelta = P*a*x*(L - x)/(L^2*{1 N})\n```\n\n" +
	"## Outputs\n\n| symbol | name | unit | doc |\n|---|---|---|---|\n| delta | deflection | m | Deflection. |\n\n" +
	"## Plots\n\n```plots\n```\n\n## References\n\n- none: none\n\n## Vectors\n\n```vectors\nV1: hand: 5*1*2*2/16\n  P = 5 N\n  => delta == 1.25 m\n```\n"

// The plots on the page about the format can be drawn.
func TestGuidePlots(t *testing.T) {
	examples := strings.Split(read(t, formatPage), "````text\n```plots\n")[1:]
	for _, example := range examples {
		plots, _, _ := strings.Cut(example, "```\n")
		source, end, in := beam, "```\n", value.Values(nil)
		for _, x := range []float64{0.2, 0.3, 0.01, 4, 1, 2, 5} {
			in = append(in, value.NumberOf(x))
		}
		if strings.Contains(plots, "tau") {
			source, end, in = circuit, "\nstairs ", circuitInputs(value.NumberOf(1e-3))
		}
		before, rest, _ := strings.Cut(source, "```plots\n")
		_, after, _ := strings.Cut(rest, end)
		e, err := Bind("guide.calc.md", []byte(before+"```plots\n"+plots+end+after))
		if err != nil {
			t.Errorf("%s\n%v", plots, err)
			continue
		}
		for _, p := range e.Spec().Plots {
			_, err = e.Draw(t.Context(), p.ID, in)
			if err != nil {
				t.Errorf("%s\n%v", plots, err)
			}
		}
	}
	if len(examples) < 3 {
		t.Errorf("the page has %d examples of plots", len(examples))
	}
}
