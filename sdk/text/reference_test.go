package text

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/engine-document.md")

// The texts of the reference for the names in the code. A new name needs a text here.
var (
	keyTexts = map[string]string{
		`id`:       "Required. Three parts in small letters: `structural.steel.plate_tension`.",
		`version`:  "Required. Three numbers: `1.0.0`. A suffix such as `-rc.1` marks a pre-release.",
		`keywords`: `Required. Words for searches, with commas.`,
		`tool`:     `Tool id for URLs. Default: the last part of the id, with hyphens.`,
		`group`:    `Group of the page. Default: the second part of the id, with hyphens.`,
		`inputs`:   "`decimal`, the default, or `binary64`. See [Evaluation](#evaluation).",
		`vectors`:  "A file next to the document with more vectors: `plate_tension.csv`. See [File of vectors](#file-of-vectors).",
	}
	sectionTexts = map[string]string{
		`Inputs`:          `A table with a row for each input.`,
		`Rules`:           `A list of rules between inputs.`,
		`Tables`:          "Blocks `table NAME` with constant rows.",
		`Formula`:         "One block `formula`, in the [formula language](formula-language.md).",
		`Formulas`:        "Labels of the formulas that cases name: `- johnson_column_v1: Johnson's parabola`. Without such cases, one item names the whole formula.",
		`Outputs`:         `A table with a row for each output.`,
		`Checks`:          "One block `checks`.",
		`Plots`:           "One block `plots`: charts and sketches to scale. See [Plots](#plots).",
		`Assumptions`:     `Assumptions that always hold.`,
		`Limits`:          `Limits of validity. See [Limits](#limits).`,
		`References`:      "At least one source. The text before the first `: ` is its title, the rest is the place in it.",
		`Changes`:         `Changes of this version, with their reasons.`,
		`Sign convention`: `Signs of forces, moments and other quantities.`,
		`Notes`:           `All other text. It can contain blocks of any kind.`,
		`Vectors`:         "One block `vectors`.",
	}
	columnTexts = map[string]string{
		`symbol`:   "Name in the formula, such as `N_Ed`. If the cell is blank, the name is the symbol.",
		`name`:     "Name for callers, with letters, digits and `_`. `name?` marks an output that can be absent.",
		`unit`:     `Unit or kind of the values.`,
		`range`:    `Possible numbers.`,
		`code`:     "Code of the rejection outside of the range. A blank cell: `WIDTH_MUST_BE_POSITIVE` or similar, from the name and the range.",
		`default`:  `Value of an input that is not sent. A blank cell makes the input required.`,
		`doc`:      `One sentence for people.`,
		`alias`:    `Other names for callers, with commas.`,
		`names`:    "Texts that callers can send in place of a number: `4/0=-3, 3/0=-2`.",
		`presets`:  "Columns of published tables: `data.materials.metals#elastic_modulus`. See [tables](../concepts/tables.md).",
		`example`:  `A number that the page shows as an example of the input.`,
		`label`:    `Label on the page.`,
		`advanced`: "`yes` marks an input that most callers leave alone.",
		`headline`: "`yes` marks the output that people want first. Without a mark it is the first output that repeats no input.",
	}
	elementTexts = map[string]string{
		`curve`:     `Line of a quantity.`,
		`area`:      `Line, with shading between it and y = 0.`,
		`guide`:     `Dashed line, for comparison.`,
		`context`:   `Thin line, one of a family of curves with a label at its end.`,
		`centre`:    `Centre line of a part.`,
		`zone`:      `Shaded region inside a closed line.`,
		`load`:      `Intensity of a load on y = 0, with arrows.`,
		`member`:    `Line of a part, such as a beam.`,
		`outline`:   `Closed line of a part.`,
		`shape`:     `Displacement of a member on y = 0.`,
		`point`:     `Mark with a label.`,
		`arrow`:     `Arrow from the first point to the second one.`,
		`couple`:    "Bent arrow, `clockwise` or `counterclockwise`.",
		`support`:   "`pin`, `roller`, `wall left` or `wall right`.",
		`dimension`: "Dimension line `below`, `above`, `left` or `right` of the drawing, or between its points.",
	}
	unitRows = map[string][][2]string{
		`number`: {{"`kN`, `N/mm2`, `%`", `Numbers with a unit.`}, {`blank`, `Plain numbers.`}, {"`degC`, `degF`", `Points on a scale of temperature.`}, {"`K difference`, `degC difference`", `Differences of temperatures.`}, {"`money`", `Amounts of money, in the currency of the caller. Numbers need no unit.`},
			{"`number of kVA`", "Numbers that are in kVA also without a unit. The formula takes them as plain numbers. For calculations that exist; new ones use `kVA`."}, {"`number by dir: kVA if kva_to_amps, A if amps_to_kva`", `Numbers whose unit depends on an input. The formula takes them as plain numbers.`}, {"`exact number`, `exact money`", `Numbers that callers may also send as text. Text counts digit by digit.`}},
		`integer`:   {{"`integer`", `Integers.`}},
		`yes or no`: {{"`yes or no`", "`yes` or `no`."}},
		`text`:      {{"`text`", `Any text.`}},
		`one of`:    {{"`one of fixed=clamped, ~old`", "Words. `clamped` is another spelling of `fixed`, and may have blanks. Forms do not offer `old`."}},
		`list of`:   {{"`list of kN`, `list of numbers`, `list of exact numbers`, `list of integers`", `Lists.`}, {"`list of list of mm`", "Lists of lists, such as corners: `[[0 mm, 0 mm], [80 mm, 0 mm]]`. `v[2][1]` is 80 mm, and `count(v[2])` is 2."}},
		`records`:   {{"`records`", "A list of records. Rows below it define the members, such as `layers.thickness`."}},
	}
	ruleRows = map[string][][2]string{
		`exactly`:     {{"`- exactly 1 of a, b`", `This many of the inputs.`}},
		`at least`:    {{"`- at least 1 of a, b`", `This many or more.`}},
		`at most`:     {{"`- at most 1 of a, b`", `This many or fewer.`}},
		`needs`:       {{"`- a needs b`", "`b` with `a`."}},
		`excludes`:    {{"`- a excludes b`", "`a` or `b`, not both."}},
		`same length`: {{"`- same length a, b`", `Lists of one length.`}},
	}
	checkRows = map[string][][2]string{
		`reject`: {{"`reject CODE at INPUT if CONDITION`", "There is no result. INPUT is the name of an input."}},
		`warn`:   severityRows(),
		`assume`: {{"`assume if CONDITION`", "The result has an assumption."}},
	}
	severityTexts = map[string]string{
		`info`:     `The result has a warning that is worth knowing.`,
		`caution`:  `The result has a warning: it holds, and needs care.`,
		`critical`: `The result has a warning: do not use it without looking into it.`,
	}
	expectedRows = map[string][][2]string{
		`=`:         {{"`eta = 0.909911`", `Gives this number, within half a unit of the last digit.`}, {"`eta == 0.5`", `Gives exactly the binary64 number.`}},
		`is absent`: {{"`eta is absent`", `Gives no value for the output.`}},
		`warns`:     {{"`warns CODE`", `Gives this warning.`}, {"`warns caution CODE`", `Gives this warning with this severity: info, caution or critical.`}},
		`by`:        {{"`by johnson_column_v1`", "Uses this formula. See the section `Formulas`."}},
		`assumes`:   {{"`assumes 2`", `Makes this number of assumptions.`}},
		`reject`:    {{"`reject CODE at INPUT`", "Rejects the inputs. `at INPUT` can be left out."}},
	}
)

// severityRows returns the rows of warnings. A severity of the code without a text here has an empty one, which the test refuses.
func severityRows() (rows [][2]string) {
	for _, s := range severities {
		rows = append(rows, [2]string{"`warn " + s + " CODE if CONDITION`", severityTexts[s]})
	}
	return rows
}

// reference makes the tables of the reference from the names in the code.
type reference struct {
	t      *testing.T
	source string
}

// named returns a table with a row for each name.
func (r *reference) named(first, second string, names []string, form string, texts map[string]string) string {
	rows, seen := []string{"| " + first + " | " + second + " |", "| --- | --- |"}, map[string]bool{}
	for _, name := range names {
		if texts[name] == "" {
			r.t.Errorf("reference_test.go has no text for %s", name)
		}
		if !seen[name] {
			rows = append(rows, "| `"+fmt.Sprintf(form, name)+"` | "+texts[name]+" |")
		}
		seen[name] = true
	}
	for name := range texts {
		if !seen[name] {
			r.t.Errorf("reference_test.go has a text for %s, which is not in the code", name)
		}
	}
	return strings.Join(rows, "\n")
}

// elements returns a table with the elements of plots, and the example of each that messages show.
func (r *reference) elements() string {
	rows := []string{"| element | draws |", "| --- | --- |"}
	for _, kind := range kindNames {
		if elementTexts[kind] == "" {
			r.t.Errorf("reference_test.go has no text for %s", kind)
		}
		rows = append(rows, "| `"+elementKinds[kind].example+"` | "+elementTexts[kind]+" |")
	}
	return strings.Join(rows, "\n")
}

// constants returns a table with the rows for each constant of a type.
func (r *reference) constants(first, second, kind string, rows map[string][][2]string) string {
	list, seen := []string{"| " + first + " | " + second + " |", "| --- | --- |"}, 0
	for _, m := range regexp.MustCompile(`(?m)^\t\w+ +`+kind+` += "(.*)"$`).FindAllStringSubmatch(r.source, -1) {
		if rows[m[1]] == nil {
			r.t.Errorf("reference_test.go has no rows for the %s %s", kind, m[1])
		}
		for _, row := range rows[m[1]] {
			if row[1] == "" {
				r.t.Errorf("reference_test.go has no text for %s", row[0])
			}
			list = append(list, "| "+row[0]+" | "+row[1]+" |")
		}
		seen++
	}
	if seen != len(rows) {
		r.t.Errorf("%d constants of %s, and rows for %d", seen, kind, len(rows))
	}
	return strings.Join(list, "\n")
}

// The tables of the reference are the names, kinds and limits of the code.
func TestReference(t *testing.T) {
	r := &reference{t: t}
	for _, file := range []string{"unit.go", "blocks.go", "vectors.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r.source += string(source)
	}
	limits := []string{"| limit | value |", "| --- | --- |"}
	for _, limit := range []struct {
		name string
		most int
	}{
		{"Document, in bytes", MaxBytes}, {"Formula, in bytes", MaxFormula}, {"Rows of a table", MaxRows}, {"Plots", MaxPlots}, {"Definitions and elements of a plot", MaxPlotLines}, {"Steps of a curve", MaxSteps}, {"Vectors in a chain of `like`", MaxLike},
		{"Digits of an expected number without `==`, at least", leastDigits}, {"Mistakes in one report", MaxMistakes},
		{"File of vectors, in bytes", MaxVectorBytes}, {"Rows of a file of vectors", MaxVectorRows},
	} {
		limits = append(limits, fmt.Sprintf("| %s | %d |", limit.name, limit.most))
	}
	columns := append(append([]string{}, inputColumns...), outputColumns...)
	tables := map[string]string{
		"keys":         r.named("key", "value", headKeys, "%s", keyTexts),
		"sections":     r.named("section", "content", sectionNames, "## %s", sectionTexts),
		"columns":      r.named("column", "content", columns, "%s", columnTexts),
		"elements":     r.elements(),
		"units":        r.constants("cell", "values", "Kind", unitRows),
		"rules":        r.constants("rule", "the caller sends", "RuleKind", ruleRows),
		"checks":       r.constants("first line", "effect if the condition holds", "CheckKind", checkRows),
		"expectations": r.constants("expectation", "the calculation", "ExpectedKind", expectedRows),
		"limits":       strings.Join(limits, "\n"),
	}
	page, marks, seen := read(t, formatPage), regexp.MustCompile(`(?s)(<!-- of the code: (\w+) -->\n).*?(<!-- end -->)`), 0
	made := marks.ReplaceAllStringFunc(page, func(block string) string {
		part := marks.FindStringSubmatch(block)
		if tables[part[2]] == "" {
			t.Errorf("there is no table %s", part[2])
		}
		seen++
		return part[1] + "\n" + tables[part[2]] + "\n\n" + part[3]
	})
	if seen != len(tables) {
		t.Errorf("the page has %d tables of the code, want %d", seen, len(tables))
	}
	if made == page {
		return
	}
	if !*update {
		t.Error("docs/reference/engine-document.md has other tables than the code: go test ./text -run Reference -update writes them")
		return
	}
	err := os.WriteFile(formatPage, []byte(made), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}
