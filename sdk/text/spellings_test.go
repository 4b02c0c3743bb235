package text

import (
	"os"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// Spellings of a unit in a document are one quantity, or the message has the spelling to write.
func TestSpellingsOfUnits(t *testing.T) {
	for _, family := range [][]string{
		{"kN m", "kN·m", "kN.m", "N m"},
		{"m3", "mm3", "L"},
		{"kg/(m s2)", "kg/(s2 m)", "kg·m-1·s-2"},
		{"W/(m2 K)", "kW/(m2 K)", "W/(m2·K)"},
		{"N s2/m2", "N m-2 s2", "s2 N/m2"},
		{"N/m", "N/mm", "kN/m"},
	} {
		first, ok := unitOf(family[0])
		if !ok {
			t.Fatalf("%s is not a unit", family[0])
		}
		for _, spelling := range family {
			u, ok := unitOf(spelling)
			if !ok || !sameQuantity(u.SI, first.SI) {
				t.Errorf("%s is %+v, %v, want the quantity of %s", spelling, u, ok, family[0])
			}
		}
	}
	for _, other := range [][2]string{{"kg/(m s)", "kg/(m2 s)"}, {"N m", "N/m"}, {"J", "N m"}, {"m3", "m2"}, {"1/s", "s"}, {"", "m"}, {"Hz", "rad/s"}} {
		a, ok := unitOf(other[0])
		b, ok2 := unitOf(other[1])
		if !ok || !ok2 || sameQuantity(a.SI, b.SI) {
			t.Errorf("%s and %s are one quantity: %+v, %+v", other[0], other[1], a, b)
		}
	}
	_, source := bound(t, "tension.calc.md")
	source = compact(source)
	for spelling, want := range map[string]string{
		"kNm": "is it kN m?", "kN*m": "is it kN m?", "KN": "is it kN?", "m^3": "is it m3?", "mm^3": "is it mm3?", "VA": "is it V A?",
		"kN/cm":     "is a product that is not in the list of units: write N/m, with the number for it",
		"kJ/(kg K)": "is a product that is not in the list of units: write J/(kg K), with the number for it",
		"mm/(kN s)": "is a product that is not in the list of units: write m/(N s), with the number for it",
	} {
		changed := strings.Replace(string(source), "| kN | [0,) |", "| "+spelling+" | [0,) |", 1)
		_, err := Parse("t.calc.md", []byte(changed))
		if changed == string(source) || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", spelling, err, want)
		}
	}
}

// A number in a product of units is the number in units of SI.
func TestProductsOfUnits(t *testing.T) {
	for value, want := range map[string]float64{"5 kN/m": 5000, "5 N/mm": 5000, "5 kN m2": 5000, "5 kW/(m2 K)": 5000, "5 kg/(s2 m)": 5, "5 kN·m": 5000} {
		r := &reader{}
		v := r.readValue(Phrase{Text: value})
		if v == nil || v.binary64() != want {
			t.Errorf("%s is %+v, want %v", value, v, want)
		}
	}
}

// Inputs are written as changes of the nearest vector, or as the vector that has them.
func TestSpell(t *testing.T) {
	source, err := os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Bind("tension.calc.md", source)
	if err != nil {
		t.Fatal(err)
	}
	in, err := e.valuesOf(&e.vectors[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Spell(in); got != "the inputs of V1" {
		t.Errorf("got %q", got)
	}
	in[e.spec.Input("thickness")] = value.NumberOf(0.012)
	if got := e.Spell(in); got != "V like V1: t = 12 mm" {
		t.Errorf("got %q", got)
	}
}
