package calc

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// TableError is the reason why the table values of a calculation are not known here.
type TableError string

func (e TableError) Error() string { return string(e) }

const (
	errTable      TableError = "the version of the table of a value is not published here"
	errWhichTable TableError = "a table value has no version of its table, which has several; write TABLE/ROW@VERSION"
)

// presets replaces presets among inputs by the table values that they name.
type presets struct {
	catalog     *catalog.Catalog
	tables      catalog.Tables // versions of tables, for presets that name none
	timestamps  []versions.Pin // of the request, which select other tables
	skipCurrent bool           // the current version is not used
	used        []value.Preset
	notices     []sdk.Warning
}

// Presets are the table values that a request uses.
type Presets struct {
	Used    []value.Preset
	Notices []sdk.Warning // about the releases of the tables
}

// All returns the table values and the warnings, which are none without Presets.
func (p *Presets) All() ([]value.Preset, []sdk.Warning) {
	if p == nil {
		return nil, nil
	}
	return p.Used, p.Notices
}

// apply returns the inputs with table values in place of presets. Inputs without a preset are returned
// as they are; the others are copied. The error is a *problem.Problem or a [TableError].
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
		number, changed, err := p.value(f, m.Value, f.Name)
		if _, unknown := errors.AsType[TableError](err); unknown {
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
		inputs.Members[i].Value = number
	}
	return inputs, nil
}

// inField returns the error as a problem of an input.
func inField(name string, err error) *problem.Problem {
	p := problem.Of(err)
	p.Field = name
	return p
}

// value returns a value with table values in place of the presets in it.
func (p *presets) value(f *sdk.Field, v strictjson.Value, place string) (_ strictjson.Value, changed bool, err error) {
	switch {
	case v.Kind == strictjson.Object && f.Type == sdk.TypeNumber && v.Has("preset"):
		number, err := p.lookUp(f, &v, place)
		return number, true, err
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

// lookUp returns the quantity that a preset names.
func (p *presets) lookUp(f *sdk.Field, v *strictjson.Value, place string) (strictjson.Value, error) {
	ref, pins, err := readPreset(v, place)
	if err != nil {
		return *v, err
	}
	at, _ := v.Member("at")
	if len(pins) == 0 {
		pins, err = p.pins(ref.Table)
		if err != nil {
			return *v, err
		}
	}
	if p.skipCurrent && !p.catalog.HasTable(f, ref, pins) {
		return *v, errTable
	}
	found, r, err := p.catalog.PresetAt(f, ref, &at, pins)
	if err != nil {
		return *v, err
	}
	found.Field = place
	p.used = append(p.used, *found)
	for _, w := range p.catalog.LifecycleWarnings(r) {
		w.Detail = ref.Table + ": " + w.Detail
		p.notices = append(p.notices, w)
	}
	return quantityOf(f, found.Literal, found.Unit)
}

// pins returns the pins of a table, for presets that name no version.
func (p *presets) pins(table string) ([]versions.Pin, error) {
	if version := p.tables[table]; version != "" {
		return []versions.Pin{{Place: versions.InBody, Name: "version", Value: version}}, nil
	}
	if p.skipCurrent {
		if e, err := p.catalog.Table(table); err == nil && len(e.Releases) > 1 {
			return nil, errWhichTable
		}
	}
	return p.timestamps, nil
}

// quantityOf returns a table value in the form of a request's field.
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
			return ref, nil, problem.InvalidPreset("%s: %q is not a member of a preset", place, request.Clip(name))
		}
	}
	text, _ := v.Member("preset")
	if text.Kind != strictjson.String {
		return ref, nil, problem.InvalidPreset("%s: preset must be text; %s was sent", place, text.Kind)
	}
	named := text.Text
	if v.Has("at") && !strings.Contains(named, "/") { // the table alone
		table, version, versioned := strings.Cut(named, "@")
		named = table + "/at"
		if versioned {
			named += "@" + version
		}
	}
	ref, err = preset.ParseRef(named)
	if err != nil {
		return ref, nil, problem.InvalidPreset("%s: %v", place, err)
	}
	if ref.Version != "" {
		pins = append(pins, versions.Pin{Place: versions.InBody, Name: "inputs." + place + ".preset", Value: ref.Version})
	}
	if version, sent := v.Member("version"); sent {
		pins = append(pins, versions.Pin{Place: versions.InBody, Name: "inputs." + place + ".version", Value: PinValue(version)})
	}
	return ref, pins, nil
}
