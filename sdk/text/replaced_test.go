package text

import (
	"errors"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// halfSheet calls the beam, and a calculation that calls it, too.
const halfSheet = `# Sheet of two beams

A beam and half of it.

- id: test.beam.sheet
- version: 1.0.0
- keywords: sheet
- use half: test.beam.half@1.0.0
- use beam: test.beam.deflection@1.0.0

## Inputs

| symbol | name | unit | doc         |
| ------ | ---- | ---- | ----------- |
| L      | span | m    | The length. |

## Formula

` + "```formula" + `
h = half(span=L)
b = beam(load={1 N/m}, length=L, inertia={1e-5 m4})
part = h.deflection
whole = b.deflection
` + "```" + `

## Outputs

| symbol | name  | unit | doc                   | headline |
| ------ | ----- | ---- | --------------------- | -------- |
| part   | part  | m    | Deflection of half.   |          |
| whole  | whole | m    | Deflection of it all. | yes      |

## References

- Handbook: page 4

## Vectors

` + "```vectors" + `
V1: hand: 5*4^4/(384*2.1e11*1e-5)
  L = 4 m
  => whole = 1.587302e-6 m
` + "```" + `
`

// twiceAsDeep is the next major version of the beam, with twice the deflection.
var twiceAsDeep = strings.NewReplacer("- version: 1.0.0", "- version: 2.0.0", "delta = 5*w", "delta = 10*w").Replace(beamDeflection)

func specOf(t *testing.T, document string, published ...string) *sdk.Spec {
	t.Helper()
	e := boundSteps(t, document, published...)
	spec := e.Spec()
	return &spec
}

// pinnedHalf is the step with the digest of the beam in its head.
func pinnedHalf(t *testing.T) string {
	t.Helper()
	return string(withSteps(t, inner, beamDeflection).Document)
}

// The other version replaces the published one in the document, and in the steps that call it.
func TestReplaced(t *testing.T) {
	with := specOf(t, twiceAsDeep)
	half := pinnedHalf(t)
	for name, c := range map[string]struct {
		document  string
		published []string
		scaled    []bool // outputs with twice the number
	}{
		"direct":          {inner, []string{beamDeflection}, []bool{true}},
		"through another": {halfSheet, []string{beamDeflection, half}, []bool{true, true}},
		"only through another": {
			strings.NewReplacer("- use beam: test.beam.deflection@1.0.0\n", "", "b = beam(load={1 N/m}, length=L, inertia={1e-5 m4})\n", "", "whole = b.deflection", "whole = L").Replace(halfSheet),
			[]string{beamDeflection, half}, []bool{true, false},
		},
	} {
		was := boundSteps(t, c.document, c.published...)
		spec := was.Spec()
		made, err := Replaced(&spec, with, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.Contains(string(made.Document), "deflection@1.0.0") || strings.Contains(string(made.Closure), "deflection@1.0.0") {
			t.Errorf("%s: a document still uses the older version:\n%s\n%s", name, made.Document, made.Closure)
		}
		is, err := BindWith("made.calc.md", made)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before, err := was.Calculate(t.Context(), numbersOf(4))
		if err != nil {
			t.Fatal(err)
		}
		after, err := is.Calculate(t.Context(), numbersOf(4))
		if err != nil {
			t.Fatal(err)
		}
		for i, scaled := range c.scaled {
			want := before.Result[i].Number()
			if scaled {
				want *= 2
			}
			if got := after.Result[i].Number(); got != want {
				t.Errorf("%s: %s is %v, want %v", name, spec.Outputs[i].Name, got, want)
			}
		}
	}
}

// A document with another table and a file of vectors keeps its table, and needs no vectors.
func TestReplacedFiles(t *testing.T) {
	source := strings.Replace(inner, "- keywords: half\n", "- keywords: half\n- vectors: half.csv\n", 1)
	files := withSteps(t, source, beamDeflection)
	files.Vectors = []byte("span [m],deflection [m],source\n4,9.920635e-8,hand: 5*2^4/(384*2.1e11*1e-5)\n")
	e, err := BindWith("half.calc.md", files)
	if err != nil {
		t.Fatal(err)
	}
	spec := e.Spec()
	made, err := Replaced(&spec, specOf(t, twiceAsDeep), nil)
	if err != nil || strings.Contains(string(made.Document), "half.csv") || len(made.Vectors) > 0 {
		t.Errorf("%+v, %v", made, err)
	}
}

// If the other version lacks an output that the document takes, the mistake names the output.
func TestReplacedLacksOutput(t *testing.T) {
	renamed := strings.Replace(twiceAsDeep, "| delta  | deflection | m ", "| delta  | sag        | m ", 1)
	renamed = strings.Replace(renamed, "=> delta ==", "=> sag ==", 1)
	with := specOf(t, renamed)
	for name, s := range map[string]*sdk.Spec{"direct": specOf(t, inner, beamDeflection), "through another": specOf(t, halfSheet, beamDeflection, pinnedHalf(t))} {
		_, err := Replaced(s, with, nil)
		mistakes, isMistaken := errors.AsType[Mistakes](err)
		if !isMistaken || !strings.Contains(mistakes.Error(), "test.beam.half:20:6: the record has no field deflection") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
