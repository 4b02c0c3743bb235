package formula

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

const unitsIntro = `# Units and their spellings

The quantities and units of inputs and results. This page is made from the table of units:
` + "`cd sdk && go test ./formula -run UnitsPage -update`" + `. A running server lists the same at ` + "`GET /api/v1/units`" + `.

A unit can be sent by its id, as pages show it, or in a spelling. Pages, REST, MCP, batches and the command line read the
same texts. Answers and records have ids.

The quantity of the input decides between meanings:

- ` + "`lb`" + ` is a pound-force for a force, and a mass for a mass. ` + "`lb/ft`" + ` is lbf/ft for a line load.
- ` + "`F`" + ` is a farad for a capacitance, and a degree Fahrenheit for a temperature.
- ` + "`k`" + ` is a kip for a force, and a kilohm for a resistance. ` + "`4k7`" + ` is 4.7 kΩ.
- A gallon, quart or pint without a mark is the US one. Write ` + "`imp gal`" + ` for the imperial gallon.
- ` + "`tons`" + ` of power are tons of refrigeration.

Texts that do not decide between units are refused with the choices. They are ` + "`ton`" + ` of a mass, ` + "`kg`" + ` and ` + "`ton`" + ` of
a force, ` + "`cal`" + ` of an energy. So are ` + "`oz`" + ` of a volume, ` + "`m`" + ` of a resistance and ` + "`bhp`" + ` of a power.

Names and American abbreviations can have any capitals: ` + "`GPM`" + `, ` + "`Feet`" + `. Symbols of SI cannot, because mPa is not
MPa. Products are read in any order, with dots, hyphens, ` + "`^2`" + `, ` + "`²`" + `, per, square and cubic: ` + "`ft-lb`" + `, ` + "`kN·m`" + `,
` + "`pounds per square inch`" + `, ` + "`Btu/h-ft2-F`" + `.

The factor converts to the SI unit, which is the first of each list. Factors are exact. The source of a spelling names a
text or a field in which it is common.
`

// unitsPage returns the page of documentation about units.
func unitsPage() string {
	var b strings.Builder
	b.WriteString(unitsIntro)
	for _, quantity := range units.Quantities() {
		fmt.Fprintf(&b, "\n## %s\n\n| unit | shown | factor | spellings |\n| --- | --- | --- | --- |\n", strings.ReplaceAll(quantity, "_", " "))
		for _, u := range units.Of(quantity) {
			factor := u.Definition
			if u.Offset != nil {
				digits, _ := u.Offset.FloatPrec()
				factor = "(x + " + u.Offset.FloatString(digits) + ")*" + factor
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", u.ID, FormatUnit(u.ID), strings.ReplaceAll(factor, "*", "\\*"), spellingsOf(u))
		}
	}
	return b.String()
}

// spellingsOf lists the spellings of a unit by source.
func spellingsOf(u units.Unit) string {
	var sources []string
	bySource := map[string][]string{}
	for _, s := range units.Spellings(u.Quantity) {
		if s.Unit != u.ID {
			continue
		}
		if bySource[s.Source] == nil {
			sources = append(sources, s.Source)
		}
		bySource[s.Source] = append(bySource[s.Source], "`"+s.Text+"`")
	}
	var groups []string
	for _, source := range sources {
		groups = append(groups, strings.Join(bySource[source], " ")+" ("+source+")")
	}
	return strings.Join(groups, ", ")
}

// The page in docs has every unit and every spelling.
func TestUnitsPage(t *testing.T) {
	const file = "../../docs/reference/units.md"
	want := unitsPage()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the table gives (%v); run go test ./formula -run UnitsPage -update", file, err)
	}
}
