package text

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// bound binds a document of the test data.
func bound(t testing.TB, name string) (*Engine, []byte) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	e, err := Bind(name, source)
	if mistakes, ok := err.(Mistakes); ok {
		for _, m := range mistakes {
			t.Error(m.Report())
		}
		t.FailNow()
	}
	return e, source
}

// Every vector of the documents agrees.
func TestVectorsAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			e, source := bound(t, filepath.Base(file))
			for _, m := range e.Disagreements(file, source) {
				t.Error(m.Report())
			}
		})
	}
}

// An exact number counts digit by digit if it is sent as text. A number of JSON is the nearest binary64.
// Without its vectors an engine describes itself and computes alike, with the file of vectors too.
func TestBindToServe(t *testing.T) {
	files, err := filepath.Glob("testdata/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		source, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := BindWith(file, source)
		if err != nil {
			t.Fatal(err)
		}
		lean, err := BindToServe(file, source)
		if err != nil {
			t.Fatal(file, err)
		}
		if !reflect.DeepEqual(lean.Spec(), whole.Spec()) || len(lean.vectors) > 0 || len(whole.vectors) == 0 {
			t.Errorf("%s: another Spec, or %d and %d vectors", file, len(lean.vectors), len(whole.vectors))
		}
		for i := range whole.vectors {
			in, ok := whole.read(&whole.vectors[i])
			if !ok {
				continue
			}
			want, wantErr := whole.Calculate(t.Context(), in)
			got, err := lean.Calculate(t.Context(), in)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
				t.Errorf("%s, vector %d: %v, %v, want %v, %v", file, i, got, err, want, wantErr)
			}
		}
	}
}

func TestExactNumbers(t *testing.T) {
	const document = `# Test

Test.

- id: test.exact.numbers
- version: 1.0.0
- keywords: test
- inputs: binary64

## Inputs

| symbol | name | unit | doc |
|---|---|---|---|
| x | x | exact number | A number. |
| c | cost | exact money | An amount. |
| l | list | list of exact numbers | Numbers. |

## Formula

\x60\x60\x60formula
y = 10*x - 1
d = c - {0.1 money}
s = sum(v in l) - 1
\x60\x60\x60

## Outputs

| symbol | name | unit | doc |
|---|---|---|---|
| y | y | | Ten times the number less 1. |
| d | d | money | What the amount is above 0.1. |
| s | s | | What the sum is above 1. |

## References

- none

## Vectors

\x60\x60\x60vectors
V1: hand: 10*0.1 - 1
  x = "0.1", c = "0.1", l = ["0.1", "0.2", "0.7"]
  => y == 0, d == 0, s == 0
V2: hand: 0.1 is 0.1000000000000000055511151231257827 in binary64, 0.2 twice that, 0.7 is 0.6999999999999999555910790149937
  x = 0.1, c = 0.1, l = [0.1, 0.2, 0.7]
  => y = 5.55111512e-17, d = 5.55111512e-18, s = -2.7755576e-17
V3: hand: not a number
  x = "0,1", c = 0, l = [1]
  => reject INVALID_NUMBER at x
\x60\x60\x60
`
	source := []byte(strings.ReplaceAll(document, `\x60`, "`"))
	e, err := Bind("t.calc.md", source)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Disagreements("t.calc.md", source) {
		t.Error(m.Report())
	}
}

// Mistakes that only the whole document shows have the words of its author.
func TestBindMistakes(t *testing.T) {
	source, err := os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ from, to, want string }{
		{"- version: 1.0.0", "- version: 1.0.0\n- vectors: tension.csv", "the file of vectors is empty or missing: save it as CSV next to the document"},
		{"at hole_diameter if n*d_0 >= b", "at hole_diameter if n*d_0", "the condition is true or false, and this is in m"},
		{"at hole_diameter if n*d_0 >= b", "at hole_diameter if n*d_1 >= b", "d_1 is not an input, and nothing above defines it: is it d_0?"},
		{"at hole_diameter if", "at hole_diam if", "hole_diam is not the name of an input: write one of axial_force, width"},
		{"A_net = A - n*d_0*t", "A_net = A - n*d_0", "m is subtracted from m2"},
		{`governs = "yielding" if`, `governs = "yeilding" if`, `"yeilding" is not a value of governs: is it yielding?`},
		{`governs = "rupture" `, "governs = rupture ", `rupture is not an input, and nothing above defines it: a word is written in quotation marks, "rupture"`},
		{"=> N_Rd == 274.752 kN", "=> N_Rd = 0 kN", "resistance: 0 has no digits to compare: write == 0"},
		{"=> N_Rd == 274.752 kN", "=> N_Rd = 275 kN", "resistance: 275 has 3 digits; write 4 or more, or == if it is exact"},
	}
	for _, test := range tests {
		changed := strings.Replace(string(source), test.from, test.to, 1)
		if changed == string(source) {
			t.Fatalf("the document has no %s", test.from)
		}
		_, err := Bind("t.calc.md", []byte(changed))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.to, err, test.want)
		}
	}
}

// A vector expects the severity of a warning, the formula, and all warnings and assumptions.
func TestExpectations(t *testing.T) {
	source, err := os.ReadFile("testdata/euler_johnson.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"regime = euler", "regime = euler, by euler_column_v1", ""},
		{"regime = euler", "regime = euler, by johnson_column_v1", "the document uses the formula euler_column_v1"},
		{"regime = euler", "regime = euler, by euler_column", "euler_column is not the id of a formula"},
		{", assumes 1", "", "the document makes 1 assumptions, and the vector does not expect them: write assumes 1"},
		{", assumes 1", ", assumes 2", "the document makes 1 assumptions"},
	} {
		checkExpectation(t, "euler_johnson", source, c.old, c.new, c.want)
	}
	source, err = os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"warns OVERSTRESSED", "warns critical OVERSTRESSED", ""},
		{"warns OVERSTRESSED", "warns info OVERSTRESSED", "the warning OVERSTRESSED is not of severity info"},
		{", warns OVERSTRESSED", "", "the document warns OVERSTRESSED, and the vector does not expect it: write warns OVERSTRESSED"},
	} {
		checkExpectation(t, "tension", source, c.old, c.new, c.want)
	}
}

func checkExpectation(t *testing.T, name string, source []byte, old, changed, want string) {
	t.Helper()
	if !strings.Contains(string(source), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	source = []byte(strings.Replace(string(source), old, changed, 1))
	e, err := Bind("t.calc.md", source)
	got := fmt.Sprint(err)
	if err == nil {
		got = e.Disagreements("t.calc.md", source).Error()
	}
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("%s: %q instead of %q: got %q, want %q", name, changed, old, got, want)
	}
}

// A vector sends other spellings of words, and names of numbers, as they are.
func TestVectorSendsSpellings(t *testing.T) {
	source, err := os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	inputs, rest, _ := strings.Cut(string(compact(source)), "## Formula")
	lines := strings.Split(inputs, "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "| symbol"):
			lines[i] += " names |"
		case strings.HasPrefix(line, "| --"):
			lines[i] += "---|"
		case strings.HasPrefix(line, "| n |"):
			lines[i] += " two=2 |"
		case strings.HasPrefix(line, "|"):
			lines[i] += " |"
		}
	}
	text := strings.Join(lines, "\n") + "## Formula" + strings.Replace(rest, "n = 2,", "n = two,", 1)
	e, err := Bind("t.calc.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Disagreements("t.calc.md", []byte(text)) {
		t.Error(m)
	}
	if !strings.Contains(string(e.Vectors()), `"bolts_across":"two"`) {
		t.Errorf("the vectors are %s", e.Vectors())
	}
}

// A rejection of too many or too few inputs names the given ones, and how many to add or to leave out.
func TestCountOfInputs(t *testing.T) {
	e, _ := bound(t, "fuel_consumption.calc.md")
	spec := e.Spec()
	for _, tt := range []struct {
		given              []string
		detail, suggestion string
	}{
		{nil, ", and none is given", "Give one of litres_per_100_km, "},
		{[]string{"litres_per_100_km", "mpg_us"}, ", and litres_per_100_km, mpg_us are given", "Leave out one of litres_per_100_km, mpg_us."},
	} {
		in := make(value.Values, len(spec.Inputs))
		for _, name := range tt.given {
			in[spec.Input(name)] = value.NumberOf(1)
		}
		_, err := e.Calculate(t.Context(), in)
		r, ok := errors.AsType[*sdk.Error](err)
		if !ok || !strings.HasSuffix(r.Detail, tt.detail) || !strings.HasPrefix(r.Suggestion, tt.suggestion) {
			t.Errorf("%q: %v, %+v", tt.given, err, r)
			continue
		}
		for _, i := range r.Invalid {
			if want := "give exactly one of "; !strings.HasPrefix(i.Constraint, want) {
				t.Errorf("%q: the constraint of %s is %q", tt.given, i.Name, i.Constraint)
			}
		}
	}
}
