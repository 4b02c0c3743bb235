package address

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// Keys of presets in a URL.
const (
	presetSuffix = ".preset"
	FillKey      = "fill" // the row for all blank fields, if some take rows; an input of this name has precedence
)

// notText is the fault of a row name that is not text.
const notText = "the name of the row is not text"

func isText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// addPreset reads a key of a query, and reports whether it names a row.
func (s *Values) addPreset(key, text string) bool {
	takesRows := func(f sdk.Field) bool { return len(f.Presets) > 0 }
	if key == FillKey && s.Spec.Input(FillKey) < 0 && slices.ContainsFunc(s.Spec.Inputs, takesRows) {
		s.filling.rows = append(s.filling.rows, text)
		return true
	}
	name, named := strings.CutSuffix(key, presetSuffix)
	i := s.Spec.Input(name)
	if !named || i < 0 {
		return false
	}
	f, e := &s.Spec.Inputs[i], &s.Values[i]
	switch {
	case len(f.Presets) == 0:
		e.fail(f, problem.CodeInvalidPreset, "this field has no table; enter a number")
	case e.Preset != "" && e.Preset != text:
		e.fail(f, sdk.CodeConflictingInputs, "this field has two rows of tables")
	case !isText(text):
		e.fail(f, problem.CodeInvalidPreset, notText)
	default:
		e.Preset = text
	}
	return true
}

// WithPresets completes the chosen rows with the table and its current version, so that the URL gives the same number
// later. If a row is not found, its field gets a fault.
func (s *Values) WithPresets(service *calc.Service, r *catalog.Release) *Values {
	for _, name := range s.filling.rows {
		s.fill(service, r, name)
	}
	published := service.Catalog()
	for i := range s.Values {
		f, e := &s.Spec.Inputs[i], &s.Values[i]
		e.chooseTyped(published, f)
		if e.Preset == "" || e.fault != nil {
			continue
		}
		if len(e.names) > 0 {
			e.fail(f, sdk.CodeConflictingInputs, "this field has a number and a row of a table; clear one of them")
			continue
		}
		ref, ok := refOf(published, f, e.Preset)
		if !ok {
			e.fail(f, problem.CodePresetNotFound, noSuchRow(CurrentTables(published, f), e.Preset, "for this field"))
			continue
		}
		found, table, err := published.Preset(f, ref)
		if err != nil {
			e.fail(f, problem.Of(err).Code, presetWords(published, f, ref, problem.Of(err)))
			continue
		}
		ref.Version = found.Version
		e.Preset, e.Row = ref.String(), RowName(table, found)
	}
	return s
}

// chooseTyped chooses the row whose name was typed in place of a number, such as 12 AWG. A text that is a number with a unit
// stays one.
func (v *Value) chooseTyped(published *catalog.Catalog, f *sdk.Field) {
	if v.Preset != "" || len(f.Presets) == 0 || len(v.texts) != 1 || v.isQuantity(f) {
		return
	}
	text := v.Text()
	if v.Split { // at the unit
		text += " " + v.Unit()
	}
	_, ok := refOf(published, f, text)
	if ok {
		*v = Value{Preset: text}
	}
}

// isQuantity reports whether the text is a number with a known unit, or without one.
func (v *Value) isQuantity(f *sdk.Field) bool {
	if v.fault != nil || v.Unit() == "" {
		return v.fault == nil
	}
	own, _ := units.Lookup(f.Unit)
	_, known := formula.ReadUnit(v.Unit(), own.Quantity)
	return known
}

// CurrentTables returns the current releases of the tables that a field takes.
func CurrentTables(published *catalog.Catalog, f *sdk.Field) []*catalog.Release {
	var list []*catalog.Release
	for _, column := range f.Presets {
		id, name, _ := strings.Cut(column, "#")
		r, err := published.TableRelease(id, nil)
		if err == nil && r.Table.Column(name) >= 0 && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// amountAt matches a row of a table with interpolation, such as "Water at 20 °C".
var amountAt = regexp.MustCompile(`^(.+) at (-?[0-9.]+) ?°?([A-Za-z/0-9]*)$`)

// refOf returns the row that a text names, either as a preset of the API or by its name on pages.
func refOf(published *catalog.Catalog, f *sdk.Field, text string) (preset.Ref, bool) {
	text = strings.TrimSpace(text)
	if ref, err := preset.ParseRef(text); err == nil {
		return ref, true
	}
	parts := amountAt.FindStringSubmatch(text)
	var sized []preset.Ref
	for _, r := range CurrentTables(published, f) {
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
		if row := r.Table.BySize(text); row != nil {
			sized = append(sized, preset.Ref{Table: ref.Table, Version: ref.Version, Row: row.Key})
		}
	}
	if len(sized) == 1 { // no other table has a pipe of this size
		return sized[0], true
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

// noSuchRow reports that no table has the row, and lists the nearest rows.
func noSuchRow(tables []*catalog.Release, text, where string) string {
	words := "“" + request.Clip(text) + "” is not in a table " + where
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
		return words + "; choose a row from the list, or enter a number"
	}
	return words + "; the nearest are " + strings.Join(spelling.Nearest(preset.Fold(text), keys, shown), ", ")
}

// presetWords explains to a reader why a row gives no table value.
func presetWords(published *catalog.Catalog, f *sdk.Field, ref preset.Ref, failure *problem.Problem) string {
	title := ref.Table
	e, err := published.Table(ref.Table)
	if err == nil && e.ShownTable() != nil {
		title = e.ShownTable().Table.Title
	}
	switch {
	case err != nil:
		return "this server does not publish that table; choose a row from the list, or enter a number"
	case failure.Code == problem.CodeVersionMismatch:
		return fmt.Sprintf("version %s of the table %s is not available; choose the row again to use the current version", request.Clip(ref.Version), title)
	case failure.Code == problem.CodePresetOutOfRange:
		return fmt.Sprintf("the table %s has no values at %s, and pages do not extrapolate", title, strings.ReplaceAll(request.Clip(ref.Row), "deg", "°"))
	case failure.Code == problem.CodePresetNotFound:
		return noSuchRow(CurrentTables(published, f), ref.Row, "for this field")
	}
	return fmt.Sprintf("the table %s has no value for this field", title)
}

// RowName returns the name of a row on pages.
func RowName(r *catalog.Release, found *value.Preset) string {
	if found.Between {
		number, unit, _ := strings.Cut(found.Row, " ")
		return r.Table.Title + " at " + number + " " + formula.FormatUnit(unit)
	}
	row, err := r.Table.Row(found.Row)
	if err != nil {
		return found.Row
	}
	return ShortName(row)
}

// ShortName returns the key of a row, or its name if both are the same word.
func ShortName(row *preset.Row) string {
	if preset.Fold(row.Key) == preset.Fold(row.Name) {
		return row.Name
	}
	return row.Key
}

// presetText returns the text of a preset in a JSON request.
func presetText(v *strictjson.Value) (text string, ok bool) {
	named, ok := v.Member("preset")
	if !ok || named.Kind != strictjson.String {
		return "", false
	}
	text = named.Text
	if version, sent := v.Member("version"); sent && !strings.Contains(text, "@") {
		text += "@" + version.Text
	}
	return text, !v.Has("at") // a preset with "at" has no text
}
