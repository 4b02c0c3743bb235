package catalog

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Table returns the entry of a published table.
func (c *Catalog) Table(id string) (*Entry, error) {
	if e := c.tables[id]; e != nil {
		return e, nil
	}
	p := problem.New(problem.CodeNotFound, "GET /api/v1/tables lists what is published.", "there is no table %.100q", id)
	p.Searched = c.registry
	return nil, p
}

// Published returns the entry of a table, or of a capability by its id or tool id.
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

// KnownTable returns a version of a table in any state, or nil if it is not published.
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

// ofTable returns the problem of a release, worded for a table.
func ofTable(id string, err error) *problem.Problem {
	p := *problem.Of(err)
	p.Detail = id + ": " + p.Detail
	if p.Code == problem.CodeEngineUnavailable {
		p.Detail, p.Suggestion = fmt.Sprintf("the table %s cannot be read at the moment", id), fmt.Sprintf("Try again in %d s, or send the number.", p.RetryAfter)
	}
	return &p
}

// TablesOf returns the sorted ids of the tables with values for inputs of the Spec.
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

// Tables has the version of each table that is used by references without a version.
type Tables map[string]string

// TablesFor returns the versions of the tables with values for inputs of the Spec. They are the current
// versions, or the versions at the time in the pins.
func (c *Catalog) TablesFor(spec *sdk.Spec, pins []versions.Pin) (list Tables) {
	_, times := versions.SplitTimes(pins)
	for _, id := range TablesOf(spec) {
		r, err := c.TableRelease(id, times)
		if err != nil {
			continue // a row with a value of this table is rejected
		}
		if list == nil {
			list = Tables{}
		}
		list[id] = r.Version
	}
	return list
}

// HasTable reports whether the table of a reference is published, if the field accepts its values.
func (c *Catalog) HasTable(f *sdk.Field, ref preset.Ref, pins []versions.Pin) bool {
	if _, err := columnOf(f, ref); err != nil {
		return true // the reference is refused in any case
	}
	_, err := c.TableRelease(ref.Table, pins)
	return err == nil
}

// Preset returns the table value of a reference for a field, and the release of its table.
func (c *Catalog) Preset(f *sdk.Field, ref preset.Ref) (*value.Preset, *Release, error) {
	var pins []versions.Pin
	if ref.Version != "" {
		pins = []versions.Pin{{Place: versions.InForm, Value: ref.Version}}
	}
	return c.PresetAt(f, ref, new(strictjson.Value), pins)
}

// PresetAt returns the table value of a reference for a field, and the release of its table. at
// is the argument of an interpolated table, or null.
func (c *Catalog) PresetAt(f *sdk.Field, ref preset.Ref, at *strictjson.Value, pins []versions.Pin) (*value.Preset, *Release, error) {
	column, err := columnOf(f, ref)
	if err != nil {
		return nil, nil, err
	}
	if c.tables[ref.Table] == nil {
		return nil, nil, problem.New(problem.CodePresetNotFound, "Give the number, or a row of a published table: GET /api/v1/tables lists them.", "the table %s is not published here", ref.Table)
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

// columnOf returns the column of the table with values for the field.
func columnOf(f *sdk.Field, ref preset.Ref) (string, error) {
	for _, taken := range f.Presets {
		table, column, _ := strings.Cut(taken, "#")
		if table == ref.Table && (ref.Column == "" || ref.Column == column) {
			return column, nil
		}
	}
	p := problem.New(problem.CodeInvalidPreset, "Give the number.", "%s takes no table value", f.Name)
	if len(f.Presets) > 0 {
		p.Detail, p.Suggestion = fmt.Sprintf("%s takes no value of %.200s", f.Name, ref.Table), "It takes values of "+strings.Join(f.Presets, ", ")+"."
	}
	return "", p
}

// lookUp finds a value of a column: the value in a row, or the value at an argument.
func lookUp(t *preset.Table, name, row string, at *strictjson.Value) (*value.Preset, error) {
	k := t.Column(name)
	if k < 0 {
		return nil, problem.New(problem.CodePresetNotFound, "Pin a version of the table that has it.", "%s %s has no column %s", t.ID, t.Version, name)
	}
	c := &t.Columns[k]
	found := &value.Preset{Table: t.ID, Column: c.Name, Unit: c.Unit}
	source := ""
	if t.Interpolation != nil {
		x, text, err := argument(t, row, at)
		if err != nil {
			return nil, err
		}
		found.Literal, source, err = t.At(k, x)
		if err != nil {
			return nil, problem.New(problem.CodePresetOutOfRange, "Give an argument within that range, or the number.", "%v", err)
		}
		found.Row, found.Between = text, true
	} else {
		r, err := t.Row(row)
		if err != nil {
			return nil, noRow(err)
		}
		if at.Kind != strictjson.Null {
			return nil, problem.InvalidPreset("%s has rows with names, and takes no argument", t.ID)
		}
		found.Literal, source = r.Cells[k].Literal, r.Cells[k].Source
		if found.Literal == "" {
			return nil, problem.New(problem.CodePresetNotFound, "Give the number.", "%s has no %s for %s", t.ID, strings.ToLower(c.Label), r.Key)
		}
		found.Row = r.Key
	}
	if s := t.Source(source); s != nil {
		found.Source = s.String()
	}
	return found, nil
}

// noRow returns the problem of a missing row.
func noRow(err error) *problem.Problem {
	p := problem.New(problem.CodePresetNotFound, "", "%v", err)
	if missing, ok := errors.AsType[*preset.NoRowError](err); ok {
		p.AcceptableIDs = missing.Nearest
		p.Suggestion = fmt.Sprintf("The nearest are %s; GET /api/v1/tables/%s lists all.", strings.Join(missing.Nearest, ", "), missing.Table)
	}
	return p
}

// argument returns the argument of an interpolated table in the unit of its column, and as it was
// sent. The argument is in at, or after the id of the table.
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
			return nil, "", problem.InvalidPreset("%s has values at a %s, and %.40q is not a number with a unit", t.ID, strings.ToLower(c.Label), row)
		}
		number = parsed
		if named != "" {
			unit = named
		}
	case strictjson.Object:
		of, _ := at.Member("value")
		named, _ := at.Member("unit")
		number = of
		if named.Kind == strictjson.String && len(at.Members) == 2 {
			unit = named.Text
		} else {
			number.Kind = strictjson.Null
		}
	}
	x, ok := exact(&number)
	if !ok {
		return nil, "", problem.InvalidPreset(`%s: at must be a number, or {"value": 20, "unit": "degC"}`, t.ID)
	}
	from, ok := formula.ReadUnit(unit, to.Quantity)
	if unit != c.Unit && (!ok || !known || from.Quantity != to.Quantity) {
		return nil, "", problem.InvalidPreset("%s: %.40q is not a unit of the %s", t.ID, unit, strings.ToLower(c.Label))
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

// exact returns the number as it was written, if it has a usual size.
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
