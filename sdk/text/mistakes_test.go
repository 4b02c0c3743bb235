package text

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// mistakes are changes of testdata/tension.calc.md, each with one mistake, and the first line of the report.
var mistakes = []struct{ name, old, new, want string }{
	{"section", "## Checks", "## Check", "there is no section Check: is it Checks?"},
	{"section in capitals", "## Outputs", "## OUTPUTS", "there is no section OUTPUTS: write Outputs"},
	{"section twice", "## References", "## Formula", "the section Formula is there twice: move everything into one"},
	{"order", "## Outputs", "## Rules\n\n- b needs t\n\n## Outputs", "the section Rules belongs before Formula: sections are in the order"},
	{"order of labels", "## Checks", "## Formulas\n\n- plate_v1: A plate\n\n## Checks", "the section Formulas belongs before Outputs: sections are in the order"},
	{"rule", "## Formula", "## Rules\n\n- b requires t\n\n## Formula", "a rule is such as: exactly 1 of a, b."},
	{"rule of a missing input", "## Formula", "## Rules\n\n- b needs h\n\n## Formula", "h is not the symbol of an input"},
	{"impossible rule", "## Formula", "## Rules\n\n- exactly 3 of b, t\n\n## Formula", "3 of 2 inputs cannot be sent"},
	{"row of a table", "## Formula", "## Tables\n\n```table k\n# EN 1993-1-1, table 6.1\na, b\n1, 2\n1\n```\n\n## Formula", "this row has 1 cells, and the heading 2"},
	{"source of a table", "## Formula", "## Tables\n\n```table k\na, b\n1, 2\n```\n\n## Formula", "the source of the table is missing: write # and the work above the heading"},
	{"number of a table", "## Formula", "## Tables\n\n```table k\n# EN 1993-1-1, table 6.1\na, b\n1, 2\n1, x\n```\n\n## Formula", `"x" is not a number; numbers are in the unit of the heading`},
	{"unknown key", "- keywords:", "- keyword:", "there is no key keyword in the head: is it keywords?"},
	{"key without value", "- version: 1.0.0", "- version:", "the key version has no value"},
	{"key without colon", "- version: 1.0.0", "- version 1.0.0", "an entry of the head is - key: value"},
	{"id", "structural.steel.plate_tension", "structural.Plate", "an id has three parts in small letters, such as structural.steel.plate_tension"},
	{"version", "version: 1.0.0", "version: 1.0", "a version has three numbers, such as 1.0.0"},
	{"inputs", "- version: 1.0.0", "- version: 1.0.0\n- inputs: float", "inputs are decimal or binary64"},
	{"no title", "# Tension", "Tension", "the document starts with its title: write # and the title in the first line"},
	{"unknown column", "| range |", "| ranges |", `there is no column "ranges": is it range?`},
	{"unit", "| kN | [0,) |", "| kNewton | [0,) |", `unit "kNewton" is not known: is it kN?`},
	{"bare number", "22 mm", "22", "this field has a unit: write 22 mm, or another unit of it"},
	{"unit of another quantity", "22 mm", "22 MPa", "the field is in mm, and MPa is a unit of another quantity"},
	{"unit of a plain number", "| [1,2] | 1.0 |", "| [1,2] | 1.0 kN |", "this field has no unit: write 1.0"},
	{"no blank before a unit", "22 mm", "22mm", "write a blank between the number and its unit: 22 mm"},
	{"decimal comma", "22 mm", "22,5 mm", "22,5 mm: a decimal point is a point; between two values there is a comma and a blank"},
	{"thousands", "22 mm", "1.000,00 mm", "1.000,00 mm: write a number without separators of thousands, with a decimal point"},
	{"fraction", "22 mm", "7/8 mm", "7/8 mm: write a fraction as a decimal number"},
	{"bar in a cell", "Design tension force.", "|N| of the force", `this row has 8 cells, and the heading 6: a | in a cell is written \|`},
	{"cell missing", "| (0,) | | Width of the plate. |", "| (0,) | Width of the plate. |", `this row has 5 cells, and the heading 6: the cell of "doc" or one before it is missing`},
	{"row without bars", "| b | width | mm | (0,) | | Width of the plate. |", "b, width, mm", "a row of the table starts and ends with |: move other lines to ## Notes"},
	{"range", "[0,20]", "0 to 20", "a range is [0,) or (0, 20 mm]: [ and ] include the end, ( and ) do not"},
	{"range without ends", "[0,20]", "(,)", "a range has at least one end"},
	{"ends of a range", "[0,20]", "[20,0]", "the lower end is above the upper one"},
	{"end without number", "| kN | [0,) |", "| kN | [,0] |", "without a lower end, the range starts with ("},
	{"end of a range", "| mm | [0,) |", "| mm | [0, b_1] |", "b_1 is not the symbol of an input"},
	{"fraction of an integer", "| [0,20] | 2 |", "| [0,20] | 2.5 |", "write an integer, without a unit"},
	{"name", "| width |", "| wi-dth |", `"wi-dth" is not a name: names have letters, digits and _, such as axial_force`},
	{"name twice", "| width |", "| thickness |", "the name thickness is there twice"},
	{"symbol", "| N_Ed | axial", "| N-Ed | axial", `"N-Ed" is not a symbol: symbols have letters, digits and _, such as N_Ed`},
	{"symbol twice", "| t | thickness", "| b | thickness", "the symbol b is there twice"},
	{"minus", "A - n*d_0*t", "A − n*d_0*t", "U+2212 is a minus sign of a word processor: type -"},
	{"product", "A = b*t", "A = b × t", "×: is a sign of a product: write *"},
	{"no-break space", "A = b*t", "A =\u00a0b*t", "U+00A0 is a no-break space: type a blank"},
	{"zero-width space", "A = b*t", "A = \u200bb*t", "U+200B cannot be seen, and has no place here: delete it"},
	{"power", "A = b*t", "A = b²", "²: is a power: write ^2"},
	{"root", "A = b*t", "A = √b", "√: is a root: write sqrt(x)"},
	{"comparison", "if N_pl <= N_u", "if N_pl ≤ N_u", "≤: is a comparison: write <="},
	{"curly quotes", `governs = "yielding"`, "governs = “yielding”", `“: is a curly quotation mark: type "`},
	{"block not closed", "governs = \"rupture\"  otherwise\n```", "governs = \"rupture\"  otherwise", "this block is not closed by ``` before the section in line"},
	{"kind of block", "```formula", "```formulas", "a block of the section Formula is opened by ```formula"},
	{"line outside of a block", "```formula", "A = 3\n```formula", "this line is outside of the block ```formula: move it into the block, or to ## Notes"},
	{"severity", "warn critical", "warn serious", "a warning is info, caution or critical"},
	{"check", "warn critical OVERSTRESSED if", "warn OVERSTRESSED when", "write reject CODE at INPUT if CONDITION, or warn info|caution|critical CODE if CONDITION, or assume if CONDITION"},
	{"code", "warn critical OVERSTRESSED", "warn critical overstressed", "a code has capital letters, digits and _: write OVERSTRESSED"},
	{"plot", "## References", "## Plots\n\n```plots\nutilization\n```\n\n## References", `a plot starts with its id and its title: response "Voltage over time"`},
	{"plot without x", "## References", "## Plots\n\n```plots\nload \"Utilization\"\n  y \"Utilization\" eta\n```\n\n## References", "the plot load has no x: write x"},
	{"plot without curve", "## References", "## Plots\n\n```plots\nload \"Utilization\"\n  x \"Force\" N_Ed\n  y \"Utilization\" eta\n```\n\n## References", "the plot load has no elements: write curve"},
	{"axis without label", "## References", "## Plots\n\n```plots\nload \"Utilization\"\n  x = N_Ed\n```\n\n## References", `an axis has a label, and perhaps a symbol, log or down: write x "Radius" r`},
	{"vector", "V2 like V1:", "Vector 2:", "a vector starts at the beginning of a line with its id and source: V1: book: the work and the place, or V2 like V1: ..."},
	{"like", "V2 like V1:", "V2 like V9:", "no vector above is called V9"},
	{"vector twice", "V2 like V1:", "V1 like V1:", "the vector V1 is there twice"},
	{"expectation", "eta = 0.709220", "eta is 0.709220", "write NAME = VALUE, NAME == VALUE or NAME is absent, or warns CODE, assumes 2, by FORMULA or reject CODE at INPUT"},
	{"severity of a vector", "warns OVERSTRESSED", "warns serious OVERSTRESSED", "a warning is info, caution or critical"},
	{"input of a vector", "N_Ed = ", "N_Ed ", "an input of a vector is NAME = VALUE, or without NAME"},
	{"blank in a word", "one of yielding, rupture", "one of yielding point, rupture", `"yielding point" is not a word: words have letters, digits, and _ . + - /; other spellings may also have blanks`},
	{"unit of a vector", " kN,", " kNewton,", `unit "kNewton" is not known: is it kN?`},
}

// compact returns a document with tables as people write them, without blanks that align columns.
func compact(source []byte) []byte {
	lines := strings.Split(string(source), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "|") {
			lines[i] = strings.Join(strings.Fields(line), " ")
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

func TestMistakes(t *testing.T) {
	source, err := os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	source = compact(source)
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			if !strings.Contains(string(source), m.old) {
				t.Fatalf("the document has no %q", m.old)
			}
			_, err := Parse("t.calc.md", []byte(strings.Replace(string(source), m.old, m.new, 1)))
			list, ok := errors.AsType[Mistakes](err)
			if !ok {
				t.Fatalf("no mistake: %v", err)
			}
			found := false
			for _, one := range list {
				found = found || strings.HasPrefix(one.Message, m.want)
			}
			if !found {
				t.Errorf("want %s\n%s", m.want, list.Error())
			}
			if len(list) > 2 {
				t.Errorf("one mistake has %d reports:\n%s", len(list), list.Error())
			}
		})
	}
}
