package address

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// filling holds the rows that fill the whole form.
type filling struct {
	rows  []string   // as the reader typed them
	text  string     // the row that fills no field
	fault *sdk.Error // why it fills no field
}

// problem returns the fault as an error with a list, to which callers can add; nil if there is no fault.
func (f *filling) problem() *sdk.Error {
	if f.fault == nil {
		return nil
	}
	problem := sdk.Reject(f.fault.Code, FillKey, "%s", wording.AsSentence(f.fault.Detail))
	problem.Invalid = []sdk.InvalidParameter{{Name: FillKey, Constraint: f.fault.Detail}}
	return problem
}

// NotFilled returns the row that fills no field of the form, and the reason; nil if there is none.
func (s *Values) NotFilled() (text string, reason *sdk.Error) { return s.filling.text, s.filling.fault }

const fillLabel = "Fill from one row of a table"

// fill chooses the row for blank fields that take a value of its table. If two fields take the same value, it fills neither,
// because the reader can mean different values. If inputs replace each other, it fills only inputs that can be sent together.
// If it fills nothing, the fault of the form's field has the reason.
func (s *Values) fill(service *calc.Service, r *catalog.Release, name string) {
	published := service.Catalog()
	fail := func(code, words string) {
		s.filling.text, s.filling.fault = name, sdk.Reject(code, FillKey, "%s", words)
	}
	if !isText(name) {
		fail(problem.CodeInvalidPreset, notText)
		return
	}
	var blank []int
	var tables []*catalog.Release
	var entered, without string
	takers := takersOf(s.Spec)
	for i := range s.Spec.Inputs {
		f := &s.Spec.Inputs[i]
		for _, table := range CurrentTables(published, f) {
			if !slices.Contains(tables, table) {
				tables = append(tables, table)
			}
		}
		ref, ok := refOf(published, f, name)
		column := slices.IndexFunc(f.Presets, func(c string) bool { return strings.HasPrefix(c, ref.Table+"#") })
		if !ok || column < 0 || takers[f.Presets[column]] > 1 {
			continue
		}
		_, _, err := published.Preset(f, ref)
		switch {
		case err != nil:
			without = cmp.Or(without, presetWords(published, f, ref, problem.Of(err)))
		case s.isEntered(i):
			entered = cmp.Or(entered, wording.Labels{}.Field(f))
		default:
			blank = append(blank, i)
		}
	}
	fields := Together(service, r, s.entered(), blank)
	for _, i := range fields {
		s.Values[i].Preset, s.Values[i].Filled = name, true
	}
	row := "“" + strings.TrimSpace(name) + "”"
	switch {
	case len(fields) > 0:
	case len(blank) > 0:
		fail(sdk.CodeConflictingInputs, row+" has a value for "+wording.Labels{}.Field(&s.Spec.Inputs[blank[0]])+", but other inputs replace it; clear them first")
	case entered != "":
		fail(sdk.CodeConflictingInputs, row+" has a value for "+entered+", but that field is not empty; clear it first")
	case without != "":
		fail(problem.CodePresetNotFound, without)
	default:
		fail(problem.CodePresetNotFound, noSuchRow(tables, name, "for this form"))
	}
}

// takersOf counts the fields that take each column of a table.
func takersOf(spec *sdk.Spec) map[string]int {
	takers := map[string]int{}
	for i := range spec.Inputs {
		for _, column := range spec.Inputs[i].Presets {
			takers[column]++
		}
	}
	return takers
}

// isEntered reports whether the input has a value, or a text that cannot be read.
func (s *Values) isEntered(i int) bool {
	e := &s.Values[i]
	return len(e.names) > 0 || e.Preset != "" || e.fault != nil
}

// entered returns the numbers of the inputs that isEntered reports.
func (s *Values) entered() (list []int) {
	for i := range s.Values {
		if s.isEntered(i) {
			list = append(list, i)
		}
	}
	return list
}

// mostTogether is the maximum number of fields to combine.
const mostTogether = 8

// Together returns the largest part of the fields, given by their numbers, that a request can have in addition to the entered
// fields. The formula determines which inputs replace each other. Of several such parts it returns the part that leaves the
// fewest inputs to enter, and the first of equal parts. Without a formula it returns all fields.
func Together(service *calc.Service, r *catalog.Release, entered, fields []int) []int {
	text := service.Text(r)
	if text == nil || len(fields) == 0 {
		return fields
	}
	symbols := r.Spec.Symbols()
	var outputs []string
	for _, symbol := range symbols {
		if symbol.Output != "" {
			outputs = append(outputs, symbol.Name)
		}
	}
	sent := map[string]bool{}
	for _, i := range entered {
		sent[symbols[i].Name] = true
	}
	before := text.Sent(outputs, sent)
	var best []int
	fewest := 0
	fields = fields[:min(len(fields), mostTogether)]
	for mask := range uint(1) << len(fields) {
		if bits.OnesCount(mask) == 0 {
			continue
		}
		var some []int
		with := maps.Clone(sent)
		for k, i := range fields {
			if mask&(1<<k) != 0 {
				some, with[symbols[i].Name] = append(some, i), true
			}
		}
		after := text.Sent(outputs, with)
		if replaces(before, after) {
			continue
		}
		if best == nil || len(after.Needed) < fewest || len(after.Needed) == fewest && len(some) > len(best) {
			best, fewest = some, len(after.Needed)
		}
	}
	return best
}

// replaces reports whether other inputs replace more inputs than before.
func replaces(before, after formula.Sent) bool {
	more := func(before, after []string) bool {
		return slices.ContainsFunc(after, func(name string) bool { return !slices.Contains(before, name) })
	}
	return more(before.Unused, after.Unused) || more(before.Given, after.Given)
}

// GivenBy returns the fields that a row of the tables gives. It leaves out fields that take the same value.
func GivenBy(spec *sdk.Spec, tables []*catalog.Release) (fields []int) {
	takers := takersOf(spec)
	for i := range spec.Inputs {
		if slices.ContainsFunc(spec.Inputs[i].Presets, func(column string) bool {
			table, _, _ := strings.Cut(column, "#")
			return takers[column] == 1 && slices.ContainsFunc(tables, func(r *catalog.Release) bool { return r.Capability == table })
		}) {
			fields = append(fields, i)
		}
	}
	return fields
}
