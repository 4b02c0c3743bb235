package text

import (
	"os"
	"strings"
	"testing"
)

// existing is a document with the parts that calculations need which were Go engines. These are numbers of a unit, units
// that depend on an input, codes of ranges, names of numbers, a headline, labels of formulas and limits.
func existing(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("testdata/transformer.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

func TestExistingCalculation(t *testing.T) {
	e, err := Bind("t.calc.md", []byte(existing(t)))
	if err != nil {
		t.Fatal(err)
	}
	s := e.Spec()
	if f := s.Inputs[1]; f.Unit != "" || f.UnitBy.Units["to_amps"] != "kVA" || f.UnitBy.Units["to_kva"] != "A" || f.UnitBy.Input != "direction" {
		t.Errorf("unit by an input: %+v", f)
	}
	if f := s.Inputs[2]; f.Unit != "h" || f.Shown != "" || *f.Range.Max != 24 || f.Range.Code != "TOO_LONG" || f.Default != "2" {
		t.Errorf("number of a unit: %+v", f)
	}
	if f := s.Inputs[3]; len(f.Names) != 2 || f.Names[0].Name != "4/0" || f.Names[0].Value != -3 {
		t.Errorf("names of numbers: %+v", f)
	}
	if s.Outputs[0].Headline || !s.Outputs[1].Headline {
		t.Errorf("headline: %+v", s.Outputs)
	}
	if len(s.Formulas) != 1 || s.Formulas[0].ID != "transformer_v1" || s.Formulas[0].Label != "Current of a single phase" {
		t.Errorf("formulas: %+v", s.Formulas)
	}
	if l := s.Limits; len(l) != 2 || l[0].Min != nil || *l[0].Max != 8 || l[0].Unit != "h" || l[0].Warning != "LONG" || l[0].Doc != "Windings heat up." || *l[1].Min != 0.5 || l[1].Max != nil {
		t.Errorf("limits: %+v", l)
	}
}

func TestMistakesOfExistingCalculations(t *testing.T) {
	source := existing(t)
	for _, m := range []struct{ old, new, want string }{
		{"| TOO_LONG ", "| too-long ", "a code has capital letters, digits and _: write TOO_LONG"},
		{"[0,24 h]", "", "a code belongs to a range: write the range, or a check that rejects with TOO_LONG"},
		{"4/0=-3", "4/0", "a name stands for a number of the field: write NAME=NUMBER, such as 4/0=-3"},
		{"number of h", "number of hrs", `unit "hrs" is not known`},
		{"A if to_kva ", "A when to_kva ", "write the input and a unit for each of its values, such as number by dir: kVA if kva_to_amps, A if amps_to_kva"},
		{"A if to_kva ", "amps if to_kva ", `unit "amps" is not known`},
		{"| 2 h ", "| 2 V ", "this field is a number of h: write 2 h"},
		{"| yes  ", "| main ", "write yes, or leave the cell blank"},
		{"- transformer_v1: ", "- transformer_v1 ", "write the id of a formula and its label: - johnson_column_v1: Johnson's parabola"},
		{"*{1 h}\n", "*{1 h}  if t > 0 @other_v1\nE = {0 J}  otherwise\n", "no case of the formula ends with @transformer_v1"},
		{"time in (,8 h]", "time (,8 h]", "write a quantity, its range, the warning if there is one, and the reason"},
		{"(,8 h]", "[0 s,8 h]", "both ends are numbers with one unit"},
		{"(,8 h]", "(,]", "a range has two ends, such as (,10 bar] or [0,1]; one of them may be left out"},
		{"{t} h", "{definition of t}", "t is not an input with units as its words, and only these have definitions"},
		{"{t} h", "{definition of direction}", "direction can be to_amps, which is not a unit"},
		{"warns LONG:", "warns LATE:", `names the warning "LATE", which Warnings does not declare`},
	} {
		changed := strings.Replace(source, m.old, m.new, 1)
		if changed == source {
			t.Errorf("the document has no %q", m.old)
			continue
		}
		_, err := Bind("t.calc.md", []byte(changed))
		if err == nil || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%s\n%v\nwant %s", m.new, err, m.want)
		}
	}
}

// Numbers of a unit are plain in lists and records too.
func TestNumbersOfUnitInside(t *testing.T) {
	const document = `# Working time

Working time of machines.

- id: test.times.machines
- version: 1.0.0
- keywords: time

## Inputs

| symbol | name           | unit                | doc                    |
| ------ | -------------- | ------------------- | ---------------------- |
| t      | times          | list of number of h | Times.                 |
|        | machines       | records             | Machines.              |
|        | machines.time  | number of h         | Time of one machine.   |
|        | machines.price | money               | Price of one machine.  |

## Formula

FENCEformula
T = sum(v in t: v) + sum(m in machines: m.time)
E = {1 h}*T
C = sum(m in machines: m.price)
FENCE

## Outputs

| symbol | name  | unit        | doc               |
| ------ | ----- | ----------- | ----------------- |
| T      | total | number of h | Sum of all times. |
| E      | same  | s           | The same time.    |
| C      | cost  | money       | Sum of prices.    |

## References

- none

## Vectors

FENCEvectors
V1: hand: 1+0.5+2, 3.5*3600, 7+8
  t = [1 h, 30 min], machines = [{2 h, 7}, {0 h, 8}]
  => T == 3.5 h, E == 12600 s, C == 15
FENCE
`
	source := strings.ReplaceAll(document, "FENCE", "```")
	e, err := Bind("t.calc.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Disagreements("t.calc.md", []byte(source)) {
		t.Error(m.Report())
	}
	const by = "number by total: h if a, s if b"
	for _, m := range []struct{ old, new, want string }{
		{"list of number of h", "list of " + by, "a list has numbers"},
		{"number of h         | Time of", by + " | Time of", "the unit of a member cannot depend on an input"},
	} {
		_, err = Bind("t.calc.md", []byte(strings.Replace(source, m.old, m.new, 1)))
		if err == nil || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%s: %v, want %s", m.new, err, m.want)
		}
	}
}
