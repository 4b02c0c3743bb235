package calc

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Codes of presets.
const (
	CodeInvalidPreset    = "INVALID_PRESET"
	CodePresetNotFound   = "PRESET_NOT_FOUND"
	CodePresetOutOfRange = "PRESET_OUT_OF_RANGE"
)

// Table is the entry of a published table.
func (c *Catalog) Table(id string) (*Entry, error) {
	if e := c.tables[id]; e != nil {
		return e, nil
	}
	p := NewProblem(CodeNotFound, "GET /api/v1/tables lists what is published.", "there is no table %.100q", id)
	return nil, p
}

// Published is the entry of a table, or of a capability by its id or tool id.
func (c *Catalog) Published(id string) (*Entry, error) {
	if preset.IsTable(id) {
		return c.Table(id)
	}
	return c.Find(id)
}

// Tables returns the tables, sorted by id.
func (c *Catalog) Tables() []*Entry {
	var list []*Entry
	for _, e := range c.all {
		if preset.IsTable(e.ID) {
			list = append(list, e)
		}
	}
	return list
}

// KnownTable returns a version of a table, whatever its state; nil if it is not published.
func (c *Catalog) KnownTable(id, version string) *Release {
	if e := c.tables[id]; e != nil {
		return e.Version(version)
	}
	return nil
}

// TableRelease returns the release that the pins select of a table.
func (c *Catalog) TableRelease(id string, pins []versions.Pin) (*Release, error) {
	e, err := c.Table(id)
	if err != nil {
		return nil, err
	}
	r, err := e.Release(pins)
	if err != nil {
		return nil, ofTable(id, err)
	}
	return r, nil
}

// ofTable returns the problem of a release in the words for a table.
func ofTable(id string, err error) *Problem {
	p := *ProblemOf(err)
	p.Detail = id + ": " + p.Detail
	if p.Code == CodeEngineUnavailable {
		p.Detail, p.Suggestion = fmt.Sprintf("the table %s cannot be read at the moment", id), fmt.Sprintf("Try again in %d s, or send the number.", retryAfter)
	}
	return &p
}

// FiguresError says why nobody can tell here which figures a calculation was made with.
type FiguresError string

func (e FiguresError) Error() string { return string(e) }

const (
	errTable      FiguresError = "the version of the table that a figure is from is not published here"
	errWhichTable FiguresError = "a figure is named without the version of its table, which has several; write TABLE/ROW@VERSION"
)

// TablesOf returns the ids of the tables of which inputs of the Spec take figures, sorted.
func TablesOf(spec *sdk.Spec) []string {
	ids := appendTables(nil, spec.Inputs)
	slices.Sort(ids)
	return slices.Compact(ids)
}

func appendTables(ids []string, fields []sdk.Field) []string {
	for i := range fields {
		for _, taken := range fields[i].Presets {
			id, _, _ := strings.Cut(taken, "#")
			ids = append(ids, id)
		}
		if items := fields[i].Items; items != nil {
			ids = appendTables(ids, []sdk.Field{*items})
		}
		ids = appendTables(ids, fields[i].Fields)
	}
	return ids
}

// Tables is which versions of tables the figures are from that are named without one.
type Tables map[string]string

// TablesFor returns the versions of the tables of which inputs of the Spec take figures: those that are
// current, or were at the time that pins name.
func (c *Catalog) TablesFor(spec *sdk.Spec, pins []versions.Pin) (list Tables) {
	_, moments := versions.Moments(pins)
	for _, id := range TablesOf(spec) {
		r, err := c.TableRelease(id, moments)
		if err != nil {
			continue // a row that names it is rejected
		}
		if list == nil {
			list = Tables{}
		}
		list[id] = r.Version
	}
	return list
}

// presets replaces presets among inputs by the figures that they name.
type presets struct {
	catalog *Catalog
	tables  Tables         // versions of tables that figures have which name none
	moments []versions.Pin // of the request: other tables are those of that time
	again   bool           // what is current now does not count
	used    []value.Preset
	notices []sdk.Warning
}

// told returns what answers say of the presets.
func (p *presets) told() ([]value.Preset, []sdk.Warning) {
	if p == nil {
		return nil, nil
	}
	return p.used, p.notices
}

// apply returns the inputs with figures in place of presets. Inputs without a preset are returned
// as they are; the others are copied. The error is a *Problem or a [FiguresError].
func (p *presets) apply(spec *sdk.Spec, inputs strictjson.Value) (strictjson.Value, error) {
	copied := false
	for i := range inputs.Members {
		m := &inputs.Members[i]
		if m.Value.Kind != strictjson.Object && m.Value.Kind != strictjson.Array {
			continue
		}
		at := spec.Input(m.Name)
		if at < 0 {
			continue
		}
		f := &spec.Inputs[at]
		figure, changed, err := p.value(f, m.Value, f.Name)
		if _, unknown := errors.AsType[FiguresError](err); unknown {
			return inputs, err
		}
		if err != nil {
			return inputs, inField(f.Name, err)
		}
		if !changed {
			continue
		}
		if !copied {
			inputs.Members, copied = slices.Clone(inputs.Members), true
		}
		inputs.Members[i].Value = figure
	}
	return inputs, nil
}

// inField returns the problem as that of an input.
func inField(name string, err error) *Problem {
	p := ProblemOf(err)
	p.Field = name
	return p
}

// value returns a value with figures in place of the presets in it.
func (p *presets) value(f *sdk.Field, v strictjson.Value, place string) (_ strictjson.Value, changed bool, err error) {
	switch {
	case v.Kind == strictjson.Object && f.Type == sdk.TypeNumber && v.Has("preset"):
		figure, err := p.figure(f, &v, place)
		return figure, true, err
	case v.Kind == strictjson.Array && f.Items != nil && takesPresets(f.Items):
		items := slices.Clone(v.Items)
		for i := range items {
			one, also, err := p.value(f.Items, items[i], place+"."+strconv.Itoa(i))
			if err != nil {
				return v, false, err
			}
			items[i], changed = one, changed || also
		}
		v.Items = items
	case v.Kind == strictjson.Object && f.Type == sdk.TypeObject && takesPresets(f):
		members := slices.Clone(v.Members)
		for i := range members {
			known := sdk.Spec{Inputs: f.Fields}
			at := known.Input(members[i].Name)
			if at < 0 {
				continue
			}
			one, also, err := p.value(&f.Fields[at], members[i].Value, place+"."+f.Fields[at].Name)
			if err != nil {
				return v, false, err
			}
			members[i].Value, changed = one, changed || also
		}
		v.Members = members
	}
	return v, changed, nil
}

// takesPresets reports whether a value of the field, or one within it, may be a preset.
func takesPresets(f *sdk.Field) bool {
	return len(f.Presets) > 0 || f.Items != nil && takesPresets(f.Items) ||
		slices.ContainsFunc(f.Fields, func(inner sdk.Field) bool { return takesPresets(&inner) })
}

// figure returns the quantity that a preset names.
func (p *presets) figure(f *sdk.Field, v *strictjson.Value, place string) (strictjson.Value, error) {
	ref, pins, err := readPreset(v, place)
	if err != nil {
		return *v, err
	}
	at, _ := v.Member("at")
	if len(pins) == 0 {
		if pins, err = p.pins(ref.Table); err != nil {
			return *v, err
		}
	}
	if p.again && !p.catalog.has(f, ref, pins) {
		return *v, errTable
	}
	found, r, err := p.catalog.lookUp(f, ref, &at, pins)
	if err != nil {
		return *v, err
	}
	found.Field = place
	p.used = append(p.used, *found)
	for _, w := range p.catalog.lifecycleWarnings(r) {
		w.Detail = ref.Table + ": " + w.Detail
		p.notices = append(p.notices, w)
	}
	return quantityOf(f, found.Literal, found.Unit)
}

// pins returns those of a table of which a figure names no version.
func (p *presets) pins(table string) ([]versions.Pin, error) {
	if version := p.tables[table]; version != "" {
		return []versions.Pin{{Place: versions.InBody, Name: "version", Value: version}}, nil
	}
	if e := p.catalog.tables[table]; p.again && e != nil && len(e.Releases) > 1 {
		return nil, errWhichTable
	}
	return p.moments, nil
}

// has reports whether the table of a reference is there, if the field takes figures of it.
func (c *Catalog) has(f *sdk.Field, ref preset.Ref, pins []versions.Pin) bool {
	if _, err := columnOf(f, ref); err != nil {
		return true // whatever is there, the reference is refused
	}
	_, err := c.TableRelease(ref.Table, pins)
	return err == nil
}

// Preset returns the figure that a reference names for a field, and the release of its table.
func (c *Catalog) Preset(f *sdk.Field, ref preset.Ref) (*value.Preset, *Release, error) {
	var pins []versions.Pin
	if ref.Version != "" {
		pins = []versions.Pin{{Place: versions.InForm, Value: ref.Version}}
	}
	return c.lookUp(f, ref, new(strictjson.Value), pins)
}

func (c *Catalog) lookUp(f *sdk.Field, ref preset.Ref, at *strictjson.Value, pins []versions.Pin) (*value.Preset, *Release, error) {
	column, err := columnOf(f, ref)
	if err != nil {
		return nil, nil, err
	}
	if c.tables[ref.Table] == nil {
		return nil, nil, NewProblem(CodePresetNotFound, "Give the number, or a row of a published table: GET /api/v1/tables lists them.", "the table %s is not published here", ref.Table)
	}
	r, err := c.TableRelease(ref.Table, pins)
	if err != nil {
		return nil, nil, err
	}
	found, err := lookUp(r.Table, column, ref.Row, at)
	if err != nil {
		return nil, r, err
	}
	found.Version = r.Version
	return found, r, nil
}

// quantityOf returns a figure as it would be sent for a field.
func quantityOf(f *sdk.Field, literal, unit string) (strictjson.Value, error) {
	number, err := strictjson.ParseNumber(literal)
	if err != nil {
		return number, err
	}
	if f.Decimal {
		number = strictjson.Value{Kind: strictjson.String, Text: literal}
	}
	if unit == f.Unit {
		return number, nil
	}
	return strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
		{Name: "value", Value: number}, {Name: "unit", Value: strictjson.Value{Kind: strictjson.String, Text: unit}},
	}}, nil
}

// presetMembers are the members of a preset.
var presetMembers = []string{"preset", "version", "at"}

// readPreset reads {"preset": "TABLE/ROW", "version": "...", "at": ...}.
func readPreset(v *strictjson.Value, place string) (ref preset.Ref, pins []versions.Pin, err error) {
	for i := range v.Members {
		if name := v.Members[i].Name; !slices.Contains(presetMembers, name) {
			return ref, nil, invalidPreset("%s: %q is no member of a preset", place, request.Clip(name))
		}
	}
	text, _ := v.Member("preset")
	if text.Kind != strictjson.String {
		return ref, nil, invalidPreset("%s: preset must be text; %s was sent", place, text.Kind)
	}
	named := text.Text
	if v.Has("at") && !strings.Contains(named, "/") { // the table alone
		table, version, versioned := strings.Cut(named, "@")
		if named = table + "/at"; versioned {
			named += "@" + version
		}
	}
	if ref, err = preset.ParseRef(named); err != nil {
		return ref, nil, invalidPreset("%s: %v", place, err)
	}
	if ref.Version != "" {
		pins = append(pins, versions.Pin{Place: versions.InBody, Name: "inputs." + place + ".preset", Value: ref.Version})
	}
	if version, sent := v.Member("version"); sent {
		pins = append(pins, versions.Pin{Place: versions.InBody, Name: "inputs." + place + ".version", Value: PinValue(version)})
	}
	return ref, pins, nil
}

func invalidPreset(format string, args ...any) *Problem {
	return NewProblem(CodeInvalidPreset, "Name a row as TABLE/ROW or TABLE/ROW@VERSION, such as data.materials.metals/S235, or give the number.", format, args...)
}

// columnOf returns the column of the table that the field takes.
func columnOf(f *sdk.Field, ref preset.Ref) (string, error) {
	for _, taken := range f.Presets {
		table, column, _ := strings.Cut(taken, "#")
		if table == ref.Table && (ref.Column == "" || ref.Column == column) {
			return column, nil
		}
	}
	p := NewProblem(CodeInvalidPreset, "Give the number.", "%s takes no figure of a table", f.Name)
	if len(f.Presets) > 0 {
		p.Detail, p.Suggestion = fmt.Sprintf("%s takes no figure of %.200s", f.Name, ref.Table), "It takes those of "+strings.Join(f.Presets, ", ")+"."
	}
	return "", p
}

// lookUp finds a figure of a column: that of a row, or the one at an argument.
func lookUp(t *preset.Table, name, row string, at *strictjson.Value) (*value.Preset, error) {
	k := t.Column(name)
	if k < 0 {
		return nil, NewProblem(CodePresetNotFound, "Pin a version of the table that has it.", "%s %s has no column %s", t.ID, t.Version, name)
	}
	c := &t.Columns[k]
	found := &value.Preset{Table: t.ID, Column: c.Name, Unit: c.Unit}
	source := ""
	if t.Interpolation != nil {
		x, text, err := argument(t, row, at)
		if err != nil {
			return nil, err
		}
		if found.Literal, source, err = t.At(k, x); err != nil {
			return nil, NewProblem(CodePresetOutOfRange, "Give an argument within that range, or the number.", "%v", err)
		}
		found.Row, found.Between = text, true
	} else {
		r, err := t.Row(row)
		if err != nil {
			return nil, noRow(err)
		}
		if at.Kind != strictjson.Null {
			return nil, invalidPreset("%s has rows with names, and takes no argument", t.ID)
		}
		if found.Literal, source = r.Cells[k].Literal, r.Cells[k].Source; found.Literal == "" {
			return nil, NewProblem(CodePresetNotFound, "Give the number.", "%s has no %s for %s", t.ID, strings.ToLower(c.Label), r.Key)
		}
		found.Row = r.Key
	}
	if s := t.Source(source); s != nil {
		found.Source = s.String()
	}
	return found, nil
}

// noRow is the problem of a row that is not there.
func noRow(err error) *Problem {
	p := NewProblem(CodePresetNotFound, "", "%v", err)
	if missing, ok := errors.AsType[*preset.NoRowError](err); ok {
		p.AcceptableIDs = missing.Nearest
		p.Suggestion = fmt.Sprintf("The nearest are %s; GET /api/v1/tables/%s lists all.", strings.Join(missing.Nearest, ", "), missing.Table)
	}
	return p
}

// argument returns the argument of an interpolated table in the unit of its column, and as it was
// sent. It stands in at, or behind the table's id.
func argument(t *preset.Table, row string, at *strictjson.Value) (*big.Rat, string, error) {
	c := &t.Columns[t.Argument()]
	to, known := units.Lookup(c.Unit)
	number, unit := *at, c.Unit
	if known {
		unit = units.SI(to.Quantity).ID
	}
	switch at.Kind {
	case strictjson.Null:
		text, named := splitAmount(row)
		parsed, err := strictjson.ParseNumber(text)
		if err != nil {
			return nil, "", invalidPreset("%s has figures at a %s: %.40q is none", t.ID, strings.ToLower(c.Label), row)
		}
		if number = parsed; named != "" {
			unit = named
		}
	case strictjson.Object:
		of, _ := at.Member("value")
		named, _ := at.Member("unit")
		if number = of; named.Kind == strictjson.String && len(at.Members) == 2 {
			unit = named.Text
		} else {
			number.Kind = strictjson.Null
		}
	}
	x, ok := exact(&number)
	if !ok {
		return nil, "", invalidPreset(`%s: at must be a number, or {"value": 20, "unit": "degC"}`, t.ID)
	}
	from, ok := units.Lookup(unit)
	if unit != c.Unit && (!ok || !known || from.Quantity != to.Quantity) {
		return nil, "", invalidPreset("%s: %.40q is no unit of the %s", t.ID, unit, strings.ToLower(c.Label))
	}
	if unit != c.Unit {
		x = units.Convert(x, from, to)
	}
	return x, strings.TrimSpace(number.Text + " " + unit), nil
}

// splitAmount splits "20 degC" into the number and the unit.
func splitAmount(text string) (number, unit string) {
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// exact returns the number as it was written, if it is one of usual size.
func exact(v *strictjson.Value) (*big.Rat, bool) {
	const longest = 40
	if v.Kind != strictjson.Number || v.Range != strictjson.InRange || len(v.Text) > longest || math.Abs(v.Float) > 1e30 {
		return nil, false
	}
	if math.Abs(v.Float) < 1e-30 {
		return new(big.Rat), true
	}
	return new(big.Rat).SetString(v.Text)
}
