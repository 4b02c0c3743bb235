package page

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// fillControl lets the reader fill several fields from one row.
type fillControl struct {
	List   string
	Fields []string // labels of the fields, if they are blank
	Value  string   // the text that fills nothing
	Error  string   // why
}

// filling is what was asked of rows for the whole form.
type filling struct {
	rows  []string   // as they were typed
	text  string     // the one that fills nothing
	fault *sdk.Error // why
}

// problem returns the fault as a list of what is wrong, to which more can be added; nil if there is none.
func (f *filling) problem() *sdk.Error {
	if f.fault == nil {
		return nil
	}
	problem := sdk.Reject(f.fault.Code, fillKey, "%s", asSentence(f.fault.Detail))
	problem.Invalid = []sdk.InvalidParameter{{Name: fillKey, Constraint: f.fault.Detail}}
	return problem
}

const fillLabel = "Fill from one row of a table"

// fill chooses the row for blank fields that take a value of its table. It fills none of two fields that take the same
// value: they may be meant to differ. Of fields that replace each other it fills those that go together. If it fills
// nothing, the fault of the form's field says why.
func (p *Pages) fill(r *calc.Release, s *formValues, name string) {
	fail := func(code, words string) {
		s.filling.text, s.filling.fault = name, sdk.Reject(code, fillKey, "%s", words)
	}
	if !isText(name) {
		fail(calc.CodeInvalidPreset, notText)
		return
	}
	var blank []int
	var tables []*calc.Release
	var entered, without string
	takers := takersOf(s.spec)
	for i := range s.spec.Inputs {
		f := &s.spec.Inputs[i]
		for _, table := range p.current(f) {
			if !slices.Contains(tables, table) {
				tables = append(tables, table)
			}
		}
		ref, ok := p.refOf(f, name)
		column := slices.IndexFunc(f.Presets, func(c string) bool { return strings.HasPrefix(c, ref.Table+"#") })
		if !ok || column < 0 || takers[f.Presets[column]] > 1 {
			continue
		}
		_, _, err := p.service.Catalog().Preset(f, ref)
		switch {
		case err != nil:
			without = cmp.Or(without, p.presetWords(f, ref, calc.ProblemOf(err)))
		case s.isEntered(i):
			entered = cmp.Or(entered, labels{}.Field(f))
		default:
			blank = append(blank, i)
		}
	}
	fields := p.together(r, s.entered(), blank)
	for _, i := range fields {
		s.values[i].preset, s.values[i].filled = name, true
	}
	row := "“" + strings.TrimSpace(name) + "”"
	switch {
	case len(fields) > 0:
	case len(blank) > 0:
		fail(sdk.CodeConflictingInputs, row+" gives "+labels{}.Field(&s.spec.Inputs[blank[0]])+", and other inputs are entered in its place; clear those first")
	case entered != "":
		fail(sdk.CodeConflictingInputs, row+" gives "+entered+", where something is entered already; clear that first")
	case without != "":
		fail(calc.CodePresetNotFound, without)
	default:
		fail(calc.CodePresetNotFound, p.noSuchRow(tables, name, "for this form"))
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

// isEntered reports whether the input has a value, or something that is meant as one.
func (s *formValues) isEntered(i int) bool {
	e := &s.values[i]
	return len(e.names) > 0 || e.preset != "" || e.fault != nil
}

// entered returns the inputs that have a value.
func (s *formValues) entered() (list []int) {
	for i := range s.values {
		if s.isEntered(i) {
			list = append(list, i)
		}
	}
	return list
}

// mostTogether bounds the fields whose combinations are tried.
const mostTogether = 8

// together returns the largest part of the fields, given by their numbers, that can be sent together and with those that
// are entered. The formula says which inputs replace each other. Of several such parts it returns the one that leaves the
// fewest inputs to enter, and the first of equal ones. Without a formula it returns all fields.
func (p *Pages) together(r *calc.Release, entered, fields []int) []int {
	text := p.service.Text(r)
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

// replaces reports whether more inputs than before are replaced by others.
func replaces(before, after formula.Sent) bool {
	more := func(before, after []string) bool {
		return slices.ContainsFunc(after, func(name string) bool { return !slices.Contains(before, name) })
	}
	return more(before.Unused, after.Unused) || more(before.Given, after.Given)
}

// fillControl returns the control that fills several fields from one row, nil if no row has values for more than one.
func (p *Pages) fillControl(r *calc.Release, form *form, s *formValues) *fillControl {
	var best []int
	fill := &fillControl{Value: s.filling.text}
	for i := range s.spec.Inputs {
		one := form.field(s.spec.Inputs[i].Name)
		if one.Preset == nil {
			continue
		}
		tables := p.current(&s.spec.Inputs[i])
		if fields := givenBy(s.spec, tables); len(fields) > len(best) {
			best, fill.List = fields, one.Preset.List
		}
	}
	if len(best) < 2 && s.filling.fault == nil {
		return nil
	}
	for _, i := range p.together(r, nil, best) {
		fill.Fields = append(fill.Fields, label(&s.spec.Inputs[i]))
	}
	return fill
}

// givenBy returns the fields that a row of the tables gives, but those that take the same value.
func givenBy(spec *sdk.Spec, tables []*calc.Release) (fields []int) {
	takers := takersOf(spec)
	for i := range spec.Inputs {
		if slices.ContainsFunc(spec.Inputs[i].Presets, func(column string) bool {
			table, _, _ := strings.Cut(column, "#")
			return takers[column] == 1 && slices.ContainsFunc(tables, func(r *calc.Release) bool { return r.Capability == table })
		}) {
			fields = append(fields, i)
		}
	}
	return fields
}
