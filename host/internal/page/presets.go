package page

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/value"
)

// Keys of presets in an address.
const (
	presetSuffix = ".preset"
	fillKey      = "fill" // the row for all blank fields, where some take rows; an input of this name comes first
)

// presetControl lets the reader choose a row of a table instead of typing a number.
type presetControl struct {
	Value string // name of the row
	List  string // id of the list of rows
	Note  string // the figure and where it is from
	Link  string // address of the row

}

// presetList is the rows of the tables that some fields take.
type presetList struct {
	ID      string
	Options []presetOption
}

// presetOption is a row.
type presetOption struct{ Name, Text string }

// notText is what is wrong with bytes that are not text.
const notText = "the name of the row is not text"

func isText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// addPreset reads a key of a query, and reports whether it names a row.
func (s *formValues) addPreset(key, text string) bool {
	takesRows := func(f sdk.Field) bool { return len(f.Presets) > 0 }
	if key == fillKey && s.spec.Input(fillKey) < 0 && slices.ContainsFunc(s.spec.Inputs, takesRows) {
		s.filling.rows = append(s.filling.rows, text)
		return true
	}
	name, named := strings.CutSuffix(key, presetSuffix)
	i := s.spec.Input(name)
	if !named || i < 0 {
		return false
	}
	f, e := &s.spec.Inputs[i], &s.values[i]
	switch {
	case len(f.Presets) == 0:
		e.fail(f, calc.CodeInvalidPreset, "there is no table for this field; enter a number")
	case e.preset != "" && e.preset != text:
		e.fail(f, sdk.CodeConflictingInputs, "two rows of tables are chosen")
	case !isText(text):
		e.fail(f, calc.CodeInvalidPreset, notText)
	default:
		e.preset = text
	}
	return true
}

// withPresets completes the rows that were chosen: with the table and its current version, so that
// the address gives the same number later. A row that cannot be found is a fault of its field.
func (p *Pages) withPresets(r *calc.Release, s *formValues) *formValues {
	for _, name := range s.filling.rows {
		p.fill(r, s, name)
	}
	catalog := p.service.Catalog()
	for i := range s.values {
		f, e := &s.spec.Inputs[i], &s.values[i]
		if e.preset == "" || e.fault != nil {
			continue
		}
		if len(e.names) > 0 {
			e.fail(f, sdk.CodeConflictingInputs, "a number is entered, and a row of a table is chosen; clear one of them")
			continue
		}
		ref, ok := p.refOf(f, e.preset)
		if !ok {
			e.fail(f, calc.CodePresetNotFound, p.noSuchRow(p.current(f), e.preset, "for this field"))
			continue
		}
		found, table, err := catalog.Preset(f, ref)
		if err != nil {
			e.fail(f, calc.ProblemOf(err).Code, p.presetWords(f, ref, calc.ProblemOf(err)))
			continue
		}
		ref.Version = found.Version
		e.preset, e.row = ref.String(), rowName(table, found)
	}
	return s
}

// current returns the current releases of the tables that a field takes.
func (p *Pages) current(f *sdk.Field) []*calc.Release {
	var list []*calc.Release
	catalog := p.service.Catalog()
	for _, column := range f.Presets {
		id, name, _ := strings.Cut(column, "#")
		r, err := catalog.TableRelease(id, nil)
		if err == nil && r.Table.Column(name) >= 0 && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// amountAt matches Water at 20 °C.
var amountAt = regexp.MustCompile(`^(.+) at (-?[0-9.]+) ?°?([A-Za-z/0-9]*)$`)

// refOf returns the row that a text names: as programs do, or as the page calls it.
func (p *Pages) refOf(f *sdk.Field, text string) (preset.Ref, bool) {
	text = strings.TrimSpace(text)
	if ref, err := preset.ParseRef(text); err == nil {
		return ref, true
	}
	parts := amountAt.FindStringSubmatch(text)
	for _, r := range p.current(f) {
		ref := preset.Ref{Table: r.Capability, Version: r.Version}
		if r.Table.Interpolation != nil {
			if parts != nil && preset.Fold(parts[1]) == preset.Fold(r.Table.Title) {
				ref.Row = strings.TrimSpace(parts[2] + " " + degrees(parts[3]))
				return ref, true
			}
			continue
		}
		if row, err := r.Table.Row(text); err == nil {
			ref.Row = row.Key
			return ref, true
		}
	}
	return preset.Ref{}, false
}

// degrees returns the id of a unit that pages write with a degree sign.
func degrees(unit string) string {
	switch unit {
	case "C", "F":
		return "deg" + unit
	}
	return unit
}

// noSuchRow says that no table has a row, and which are the nearest.
func (p *Pages) noSuchRow(tables []*calc.Release, text, where string) string {
	words := "“" + request.Clip(text) + "” is in no table " + where
	var keys []string
	for _, r := range tables {
		for i := range r.Table.Rows {
			if key := r.Table.Rows[i].Key; key != "" {
				keys = append(keys, key)
			}
		}
	}
	const shown = 5
	if len(keys) == 0 {
		return words + "; choose one of the list, or enter a number"
	}
	return words + "; the nearest are " + strings.Join(spelling.Nearest(preset.Fold(text), keys, shown), ", ")
}

// presetWords says in words for people why a row gives no figure.
func (p *Pages) presetWords(f *sdk.Field, ref preset.Ref, problem *calc.Problem) string {
	title := ref.Table
	e, err := p.service.Catalog().Table(ref.Table)
	if err == nil && e.ShownTable() != nil {
		title = e.ShownTable().Table.Title
	}
	switch {
	case err != nil:
		return "that table is not published here; choose one of the list, or enter a number"
	case problem.Code == calc.CodeVersionMismatch:
		return fmt.Sprintf("version %s of the table %s cannot be used; choose the row again for the current one", request.Clip(ref.Version), title)
	case problem.Code == calc.CodePresetOutOfRange:
		return fmt.Sprintf("the table %s has no figures at %s, and none are guessed", title, strings.ReplaceAll(request.Clip(ref.Row), "deg", "°"))
	case problem.Code == calc.CodePresetNotFound:
		return p.noSuchRow(p.current(f), ref.Row, "for this field")
	}
	return fmt.Sprintf("the table %s gives no figure for this field", title)
}

// addPresets adds what lets the reader choose rows to a form.
func (p *Pages) addPresets(r *calc.Release, form *form, s *formValues) {
	lists := map[string]string{}
	for _, fields := range [][]field{form.Fields, form.Advanced} {
		for i := range fields {
			at := s.spec.Input(fields[i].Name)
			f := &s.spec.Inputs[at]
			tables := p.current(f)
			if len(tables) == 0 {
				continue
			}
			key := fmt.Sprint(tables)
			if lists[key] == "" {
				lists[key] = fmt.Sprintf("rows-%d", len(lists)+1)
				form.Lists = append(form.Lists, presetList{lists[key], optionsFrom(tables)})
			}
			fields[i].Preset = p.presetControl(f, s.values[at].preset, lists[key])
		}
	}
	form.Fill = p.fillControl(r, form, s)
}

// presetControl returns the control of a field.
func (p *Pages) presetControl(f *sdk.Field, chosen, list string) *presetControl {
	c := &presetControl{List: list, Value: chosen}
	ref, err := preset.ParseRef(chosen)
	if err != nil {
		return c
	}
	found, r, err := p.service.Catalog().Preset(f, ref)
	if err != nil {
		c.Value = ref.Row
		return c
	}
	c.Value = rowName(r, found)
	c.Note = fmt.Sprintf("%s %s, %s %s", found.Literal, formula.FormatUnit(found.Unit), r.Table.Title, found.Version)
	c.Link = p.link("/tables/" + ref.Table)
	if !found.Between {
		c.Link += "?row=" + found.Row
	}
	return c
}

// rowName returns what the page calls a row.
func rowName(r *calc.Release, found *value.Preset) string {
	if found.Between {
		number, unit, _ := strings.Cut(found.Row, " ")
		return r.Table.Title + " at " + number + " " + formula.FormatUnit(unit)
	}
	row, err := r.Table.Row(found.Row)
	if err != nil {
		return found.Row
	}
	return shortName(row)
}

// shortName is the shorter of what a row is called.
func shortName(row *preset.Row) string {
	if preset.Fold(row.Key) == preset.Fold(row.Name) {
		return row.Name
	}
	return row.Key
}

// optionsFrom returns the rows of tables.
func optionsFrom(tables []*calc.Release) []presetOption {
	var list []presetOption
	for _, r := range tables {
		by := r.Table.Argument()
		for i := range r.Table.Rows {
			row := &r.Table.Rows[i]
			o := presetOption{Name: shortName(row), Text: r.Table.Title}
			switch {
			case by >= 0:
				c := &r.Table.Columns[by]
				o.Name = r.Table.Title + " at " + row.Cells[by].Literal + " " + formula.FormatUnit(c.Unit)
			case preset.Fold(row.Name) != preset.Fold(row.Key):
				o.Text = row.Name
			}
			list = append(list, o)
		}
	}
	return list
}

// assumed returns the assumptions of an answer in words for people.
func (p *Pages) assumed(a *calc.Answer) []string {
	s := &a.Success
	list := slices.Concat(s.Spec.Assumptions, s.Outcome.Assumptions)
	for _, found := range s.Presets {
		list = append(list, p.presetSentence(s.Spec, found))
	}
	return list
}

// presetSentence says which table gave an input.
func (p *Pages) presetSentence(spec *sdk.Spec, found value.Preset) string {
	name, _, _ := strings.Cut(found.Field, ".")
	of, title := found.Field, found.Table
	if i := spec.Input(name); i >= 0 {
		of = label(&spec.Inputs[i])
	}
	row := found.Row
	if r, err := p.service.Catalog().Table(found.Table); err == nil && r.ShownTable() != nil {
		title, row = r.ShownTable().Table.Title, rowName(r.ShownTable(), &found)
	}
	return fmt.Sprintf("%s: %s is that of %s in the table %s %s, from %s", of,
		strings.TrimSpace(found.Literal+" "+formula.FormatUnit(found.Unit)), row, title, found.Version, cmp.Or(found.Source, "an unnamed source"))
}

// presetText returns the text of a preset that was sent as JSON.
func presetText(v *strictjson.Value) (text string, ok bool) {
	named, ok := v.Member("preset")
	if !ok || named.Kind != strictjson.String {
		return "", false
	}
	text = named.Text
	if version, sent := v.Member("version"); sent && !strings.Contains(text, "@") {
		text += "@" + version.Text
	}
	return text, !v.Has("at") // which has no text
}
