package spreadsheet

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/units"
	sdkvalue "github.com/slipstick/slipstick/sdk/value"
)

// randomVariable is the environment variable with a directory of workbooks by testdata/make_random.py.
const randomVariable = "SLIPSTICK_RANDOM_WORKBOOKS"

// booksVariable is the environment variable with a directory of workbooks, made again by testdata/make.py.
const booksVariable = "SLIPSTICK_WORKBOOKS"

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func workbooks(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.xlsx")
	if err != nil || len(files) < 12 {
		t.Fatal(files, err)
	}
	return files
}

func mustImport(t *testing.T, file string) *Draft {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(file), ".xlsx")
	draft, err := Import(mustRead(t, file), Options{Capability: "imported.workbooks." + name, Title: "A workbook", File: filepath.Base(file)})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return draft
}

// counts are the inputs, the outputs and the vectors of each draft.
var counts = map[string][3]int{
	"beam": {5, 4, 1}, "blanks": {3, 4, 1}, "cases": {2, 5, 1}, "formats": {6, 8, 1}, "functions": {2, 15, 1}, "index_match": {3, 4, 1},
	"nested": {2, 5, 1}, "percent": {3, 5, 1}, "pipe_loss": {6, 4, 1}, "precedence": {1, 17, 1}, "rounding": {5, 19, 1}, "scenarios": {4, 4, 4}, "sheets": {6, 5, 1},
	"shared": {5, 2, 1}, "sumproduct": {2, 6, 1}, "vlookup_approximate": {1, 3, 1}, "vlookup_exact": {2, 3, 1}, "voltage_drop": {4, 3, 1},
}

// The draft of each workbook computes the results that LibreOffice saved, from the values that LibreOffice saved.
func TestImport(t *testing.T) {
	compared := 0
	for _, file := range workbooks(t) {
		draft := mustImport(t, file)
		name := strings.TrimSuffix(filepath.Base(file), ".xlsx")
		if len(draft.Refused) > 0 {
			t.Errorf("%s: refused %v", file, draft.Refused)
		}
		engine, err := text.Bind("draft.calc.md", draft.Source)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		spec := engine.Spec()
		if got := [3]int{len(spec.Inputs), len(spec.Outputs), len(engine.Document().Vectors)}; got != counts[name] {
			t.Errorf("%s: %d inputs, outputs and vectors, want %d", file, got, counts[name])
		}
		book, err := readWorkbook(mustRead(t, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range engine.Document().Vectors {
			if !strings.HasPrefix(v.Source.Text, "TODO: ") {
				t.Errorf("%s: the source of %s is %s", file, v.ID.Text, v.Source.Text)
			}
		}
		for i := range draft.Vectors {
			compared += compareColumn(t, engine, draft, book, i)
		}
	}
	if compared < 110 {
		t.Errorf("only %d results were compared", compared)
	}
}

// compareColumn computes a vector of a draft from the cells of the workbook, and compares all results. It returns how
// many it compared.
func compareColumn(t *testing.T, engine *text.Engine, draft *Draft, book *workbook, vector int) (n int) {
	t.Helper()
	at := func(line Line) *cell {
		for p, c := range book.cells {
			if book.in(p) != line.Cell {
				continue
			}
			if vector > 0 {
				p.column += vector + 1 // the first scenario is two columns to the right
				return book.cells[p]
			}
			return c
		}
		return &cell{} // an input that is empty
	}
	spec := engine.Spec()
	fields := engine.Document()
	in := map[string]any{}
	for _, line := range draft.Inputs {
		c := at(line)
		switch {
		case c.kind == words:
			in[line.Name] = c.text
		case line.Unit == "" || line.Unit == "%":
			in[line.Name] = c.saved(line.Unit)
		default:
			in[line.Name] = map[string]any{"value": c.value, "unit": line.Unit}
		}
	}
	for i := range fields.Inputs { // requests have names
		f := &fields.Inputs[i]
		for _, word := range f.Type.Words { // which the workbook can have in other letters
			if text, ok := in[f.Symbol.Text].(string); ok && strings.EqualFold(text, word.Text) {
				in[f.Symbol.Text] = word.Text
			}
		}
		if v, ok := in[f.Symbol.Text]; ok && f.Symbol.Text != f.Name.Text {
			delete(in, f.Symbol.Text)
			in[f.Name.Text] = v
		}
	}
	o := answer(t, engine, &spec, in)
	for _, line := range draft.Results {
		for i := range fields.Outputs {
			if fields.Outputs[i].Symbol.Text != line.Name && fields.Outputs[i].Name.Text != line.Name {
				continue
			}
			n++
			c := at(line)
			if want, got := c.saved(line.Unit), shown(o.Result[i]); !near(got, want) {
				t.Errorf("%s, vector %d: the draft gives %v, the workbook has %v", line.Cell, vector+1, got, want)
			}
		}
	}
	return n
}

// answer computes with the inputs of a request.
func answer(t *testing.T, engine *text.Engine, spec *sdk.Spec, in map[string]any) sdk.Outcome {
	t.Helper()
	object, err := strictjson.ParseObject(asJSON(t, in))
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := request.Read(spec, object)
	if err != nil {
		t.Fatalf("%v: %v", in, err)
	}
	o, err := engine.Calculate(t.Context(), values)
	if err != nil {
		t.Fatalf("%v: %v", in, err)
	}
	return o
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// saved returns the value of a cell in the units of SI, as the draft has to give it.
func (c *cell) saved(unit string) any {
	switch {
	case c.kind == words:
		return strings.NewReplacer(" ", "_", "ü", "ue").Replace(c.text)
	case c.kind == truth:
		return c.value != 0
	case unit == "%" && !strings.Contains(c.format, "%"):
		return c.value / 100
	}
	u, ok := units.Lookup(unit)
	v := c.value
	if ok && u.Offset != nil {
		offset, _ := u.Offset.Float64()
		v += offset
	}
	if ok && u.Factor != nil {
		factor, _ := u.Factor.Float64()
		v *= factor
	}
	if u.Pi {
		v *= math.Pi
	}
	return v
}

func shown(v sdkvalue.Value) any {
	switch v.Kind() {
	case sdkvalue.Text:
		return v.Text()
	case sdkvalue.Bool:
		return v.Bool()
	}
	return v.Number()
}

// near reports whether two values are equal, numbers within 1e-12 of the number.
func near(a, b any) bool {
	x, isNumber := a.(float64)
	y, areNumbers := b.(float64)
	if !isNumber || !areNumbers {
		return a == b
	}
	return math.Abs(x-y) <= 1e-12*math.Abs(y)
}

// Lines of drafts that show what the import makes explicit.
func TestDrafts(t *testing.T) {
	for name, wants := range map[string][]string{
		"beam":         {"M = q*L^2/8 ", "sigma = M/{1 kN m}*1000/(W/{1 cm3})*{1 MPa} ", "M      | largest_bending_moment | kN m"},
		"voltage_drop": {"resistivity = 0.0225  # Cable!B3, a number of the workbook", "u_rel = dU/U_n ", "mm2", "| relative_voltage_drop | %"},
		"pipe_loss":    {"f_D = 64/Re  if Re < 2300 ", "f_D = 0.25/log10(k_s/d_i/3.7 + 5.74/Re^0.9)^2  otherwise", "| m3/h "},
		"cases": {`verdict = "NOT_OK"  otherwise`, "one of OK, NOT_OK=NOT OK", "reserve = M_Rd - M_Ed  otherwise", "within = eta <= 1 and not M_Ed < {0 kN m} ",
			"allowance_if = 2  if M_Ed > {50 kN m}", "allowance = 1.5*allowance_if + allowance_if2 "},
		"nested":        {`alpha = 0.34  if curve == "b"`, "guarded_if = 3  if lam < 0\n", "guarded_if2 = 5  if not lam < 0\n", "chi = 1/(phi + sqrt(phi^2 - lam^2))  otherwise\n"},
		"vlookup_exact": {"f_y = first(row in grades if row.grade == grade: row.fy_mpa)*{1 MPa} ", "S355, 355, 490\n", "grade = S355"},
		"vlookup_approximate": {"A_c = last(row in ranges if row.from <= I_b/{1 A}: row.area)*{1 mm2} ",
			"reject NO_ROW_IN_RANGES at current if not any(row in ranges: row.from <= I_b/{1 A})\n"},
		"index_match": {"first(row in bolts if row.size == d/{1 mm}: row.area)", "class [text], fub\n", `bolt_class = "8.8"`, ">= t/{1 mm}: row.plates)"},
		"sumproduct":  {"(1200*f2 + 800*112 + 950*206)/(1200 + 800 + 950)*{1 mm} ", "A_max = max(1200, 800, 950)*{1 mm2} ", "Section!E5 has no number: left out"},
		"rounding": {"r_2 = round(y, 0.01) ", "r_3 = round(y, 100) ", "r_4 = sign(x)*ceil(abs(x)) ", "r_7 = sign(y)*floor(abs(y), 10) ", "len_r = round(len, {0.01 m}) ",
			"sign(round(n/{1 rpm}, 1e-11))*floor(abs(round(n/{1 rpm}, 1e-11)), 0.01)*{1 rpm} ", "v_r = sign(round(v, {1e-10 km/h}))*ceil(abs(round(v, {1e-10 km/h})), {0.1 km/h}) "},
		"precedence": {"p_1 = (-2)^2 ", "p_2 = (2^3)^2 ", "p_3 = (-a)^2 ", "p_4 = 0 - a^2 ", "p_7 = (-a)^-2 ", "p_12 = -(a + 1)*2 "},
		"percent":    {"P_in = P/eff ", "n = 1500*(1 - slip/{1 %}/100)*{1 rpm} ", "eff = 87.5 %", "slip = 3 %"},
		"blanks":     {"total = g + p + {0 kN/m2}  # Blanks!B5: g+p+B3; Blanks!B3 is empty: 0", "wind = 0 kN/m2", "sum_all = g + p + wind "},
		"shared":     {"f5 = d_4/e5*scale  # Shared!F5: (D5/E5)*B$7", "R_t = 0.13 + (f2 + f3 + f4 + f5) + 0.04 "},
		"scenarios":  {"W4 like W1: TODO: an independent source. These are the results of scenarios.xlsx, column Scenarios!F Slender.\n  L_cr = 6 m, E = 70 GPa, I_z = 849 cm4, A = 53.8 cm2\n"},
		"formats":    {"A = b*h ", "| F      | force       | kN ", "| degF ", "rise = ((T - {0 degC})/{1 K} - (((T_0 - {0 degF})/{1 K}*1.8) - 32)*5/9)*{1 K} ", "diag = sqrt(b^2 + h^2) "},
		"sheets": {`urteil = "Nachweis_erfuellt"  if eta <= 1 and check `, "f_d = f_k/gamma_M ", "check = yes", "| Festigkeit.     | yes      |",
			"schnee = 0.85  # 'Eingabe Werte'!B5, a number of the workbook"},
		"functions": {"f_5 = ln(y)/ln(2) ", "f_14 = 0.0015*y ", "f_15 = 0.5*x "},
	} {
		source := string(mustImport(t, "testdata/"+name+".xlsx").Source)
		for _, want := range wants {
			if !strings.Contains(source, want) {
				t.Errorf("%s: the draft has no %q:\n%s", name, want, source)
			}
		}
	}
}

// The report of a draft asks for more words only if an input has words.
func TestOpenWords(t *testing.T) {
	const open = "the words that formulas do not compare, for each input with words"
	for name, want := range map[string]bool{"sheets": true, "nested": true, "beam": false, "cases": false} {
		if got := slices.Contains(mustImport(t, "testdata/"+name+".xlsx").Open, open); got != want {
			t.Errorf("%s: asks for words: %v, want %v", name, got, want)
		}
	}
}

// Each workbook has a completed document, which conforms and has the formula of its draft. Its authors added texts, words,
// ranges, and vectors with hand arithmetic or of testdata/vectors.py.
func TestCompleted(t *testing.T) {
	for _, workbook := range workbooks(t) {
		name := strings.TrimSuffix(filepath.Base(workbook), ".xlsx") + ".calc.md"
		file := filepath.Join("testdata", "completed", name)
		t.Run(name, func(t *testing.T) {
			source := mustRead(t, file)
			canonical, err := text.Format(file, source)
			if err != nil || !bytes.Equal(canonical, source) {
				t.Errorf("the document is not in its canonical form, error %v: run slipstick fmt", err)
			}
			draft := mustImport(t, workbook)
			if got, want := formulaOf(source), formulaOf(draft.Source); got != want {
				t.Errorf("the formula is\n%s\nand the draft has\n%s", got, want)
			}
			engine, err := text.Bind(file, source)
			if err != nil {
				t.Fatal(err)
			}
			conformance.Run(t, engine, engine.Vectors())
		})
	}
}

// formulaOf returns the block of the formula.
func formulaOf(source []byte) string {
	_, rest, _ := strings.Cut(string(source), "```formula\n")
	block, _, _ := strings.Cut(rest, "```")
	return block
}

// The workbooks that testdata/make.py makes again give the same drafts.
func TestWorkbooksAgain(t *testing.T) {
	dir := os.Getenv(booksVariable)
	if dir == "" {
		t.Skip(booksVariable + " is not set: scripts/soak workbooks makes the workbooks again")
	}
	for _, file := range workbooks(t) {
		ours, again := mustImport(t, file), mustImport(t, filepath.Join(dir, filepath.Base(file)))
		if !bytes.Equal(ours.Source, again.Source) {
			t.Errorf("%s: the draft is\n%s\nand that of the workbook in testdata is\n%s", file, again.Source, ours.Source)
		}
	}
}

// The drafts of random workbooks give what LibreOffice saved, which the import compares. Only error values, and empty
// cells where their meaning depends on the function, are refused.
func TestRandomWorkbooks(t *testing.T) {
	dir := os.Getenv(randomVariable)
	if dir == "" {
		t.Skip(randomVariable + " is not set: scripts/soak workbooks makes random workbooks")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.xlsx"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	results := 0
	for _, file := range files {
		draft := mustImport(t, file)
		results += len(draft.Results)
		for _, r := range draft.Refused {
			if !strings.HasPrefix(r.Part, "the error value ") && !strings.Contains(r.Part, "a refused cell") && !strings.Contains(r.Part, "empty cell") {
				t.Errorf("%s: %s", file, r)
			}
		}
	}
	t.Logf("%d workbooks with %d formulas", len(files), results)
}
