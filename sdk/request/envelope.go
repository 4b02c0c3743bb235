// Package request converts the inputs of a request to typed values. Use it in a server or a tool
// that calls an engine with inputs from a caller. [Read] takes the JSON object of the inputs, as
// package strictjson reads it. It resolves names and aliases, converts units to SI, fills in
// defaults, and checks types and enums. Its error is of type [Faults] and lists the inputs at
// fault; [Faults.Rejection] is the error for the caller. The package does not check ranges, which
// belong to the engine.
package request

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// maxEcho is the largest part of a caller's text in an error, in bytes.
const maxEcho = 100

// Read returns one value per input field of the Spec, with defaults filled in, and the
// conversions of units.
//
// The error is of type [Faults]. There are three stages. The first checks each member: unknown
// name, contradicting aliases, type, units, and numbers beyond binary64. The second checks
// required fields, and the third enums. Only the faults of the first stage that fails are
// reported. The first of them gives the code and field of the error.
func Read(spec *sdk.Spec, inputs strictjson.Value) (value.Values, []value.Conversion, error) {
	values := make(value.Values, len(spec.Inputs))
	conversions, err := ReadInto(values, spec, inputs)
	if err != nil {
		return nil, nil, err
	}
	return values, conversions, nil
}

// ReadVector reads the inputs of a vector. Its units are ids or the forms of pages. Vectors of a
// release never change, and the spellings for callers grow: a vector can expect that foot is unknown.
func ReadVector(spec *sdk.Spec, inputs strictjson.Value) (value.Values, error) {
	r := reader{spec: spec, members: inputs.Members, values: make(value.Values, len(spec.Inputs)), readUnit: formula.ReadShown}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.values, nil
}

// ReadInto is Read into values, which must have one element for every input field.
func ReadInto(values value.Values, spec *sdk.Spec, inputs strictjson.Value) (conversions []value.Conversion, err error) {
	clear(values)
	r := reader{spec: spec, members: inputs.Members, values: values, readUnit: formula.ReadUnit}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.conversions, nil
}

type reader struct {
	spec        *sdk.Spec
	members     []strictjson.Member
	values      value.Values
	conversions []value.Conversion
	faults      Faults
	readUnit    func(text, quantity string) (units.Unit, bool)
}

// read does the three stages of Read, and fills in the defaults.
func (r *reader) read() error {
	r.readMembers(r.members)
	if r.faults != nil {
		return r.faults
	}
	r.requireFields()
	if r.faults != nil {
		return r.faults
	}
	r.resolveEnums()
	if r.faults != nil {
		return r.faults
	}
	for i := range r.spec.Inputs {
		if r.values[i].Kind() == value.Absent {
			r.values[i], _ = r.spec.Inputs[i].DefaultValue() // Validate has checked it
		}
	}
	return nil
}

// fail records one fault of the current stage.
func (r *reader) fail(f Fault) {
	if len(r.faults) < sdk.MaxNotes {
		r.faults = append(r.faults, f)
	}
}

// several marks a field that was sent under more than one name.
const several = -1

func (r *reader) readMembers(members []strictjson.Member) {
	var few [32]int
	places := few[:] // of each field's member, counted from 1
	if len(r.spec.Inputs) > len(few) {
		places = make([]int, len(r.spec.Inputs))
	}
	i := -1
	for k := range members { // by index: a Member is large
		name := members[k].Name
		i = r.input(name, i+1)
		switch {
		case i < 0:
			r.fail(Fault{Kind: Unknown, Got: Clip(name), Known: r.spec.Inputs})
		case places[i] == 0:
			places[i] = k + 1
		default:
			places[i] = several
		}
	}
	for i := range r.spec.Inputs {
		switch place := places[i]; place {
		case 0:
		case several:
			r.readField(i, members)
		default:
			r.readMember(i, &members[place-1])
		}
	}
}

// input is Spec.Input, but starts its search at the index first. Inputs are usually sent in
// the order of the Spec, under the first of their names.
func (r *reader) input(name string, first int) int {
	for i := first; i < len(r.spec.Inputs); i++ {
		if r.spec.Inputs[i].Name == name {
			return i
		}
	}
	return r.spec.Input(name)
}

// readMember reads a field that was sent under one name.
func (r *reader) readMember(i int, m *strictjson.Member) {
	f := &r.spec.Inputs[i]
	if bareNumber(f, &m.Value) {
		r.values[i] = value.NumberOf(m.Value.Float)
		return
	}
	v, conversions, ok := r.parse(f, &m.Value)
	if !ok {
		return
	}
	if len(conversions) > 0 {
		r.conversions = append(r.conversions, conversions...)
	}
	r.values[i] = v
}

// readField reads a field under each of its names. The values must be equal.
func (r *reader) readField(i int, members []strictjson.Member) {
	f := &r.spec.Inputs[i]
	names := make([]string, 0, 4)
	for k := range members {
		m := &members[k]
		if m.Name != f.Name && !slices.Contains(f.Aliases, m.Name) {
			continue
		}
		v, conversions, ok := r.parse(f, &m.Value)
		if !ok {
			return
		}
		names = append(names, m.Name)
		if len(names) > 1 && !v.Equal(r.values[i]) {
			r.fail(Fault{Kind: Conflict, Input: f, Field: f, Names: slices.Clone(names)}) // so that names stays on the stack
			return
		}
		if len(names) == 1 {
			r.conversions = append(r.conversions, conversions...)
		}
		r.values[i] = v
	}
}

// parse reads one value of a field. It reports false after recording a fault.
func (r *reader) parse(f *sdk.Field, v *strictjson.Value) (value.Value, []value.Conversion, bool) {
	if f.UnitBy != nil && (v.Kind == strictjson.Object || v.Kind == strictjson.String) {
		at := *f
		at.Unit = r.unit(f.UnitBy)
		f = &at
	}
	p := parser{input: f, readUnit: r.readUnit}
	parsed, fault := p.parse(f, v)
	if fault != nil {
		r.fail(*fault)
	}
	return parsed, p.conversions, fault == nil
}

// unit returns the unit that an input has by the value of another input as it was sent. It is
// "" if the value is not legal.
func (r *reader) unit(by *sdk.UnitBy) string {
	i := r.spec.Input(by.Input)
	if i < 0 {
		return ""
	}
	f, choice := &r.spec.Inputs[i], r.spec.Inputs[i].Default
	for k := range r.members {
		if m := &r.members[k]; m.Name == f.Name || slices.Contains(f.Aliases, m.Name) {
			choice, _ = f.EnumValue(m.Value.Text)
		}
	}
	return by.Unit(choice)
}

func (r *reader) requireFields() {
	for i := range r.spec.Inputs {
		if f := &r.spec.Inputs[i]; r.values[i].Kind() == value.Absent && f.Required {
			r.fail(Fault{Kind: Missing, Input: f, Field: f})
		}
	}
}

func (r *reader) resolveEnums() {
	for i := range r.spec.Inputs {
		f := &r.spec.Inputs[i]
		if r.values[i].Kind() == value.Absent || len(f.Enum) == 0 {
			continue
		}
		p := parser{input: f}
		if fault := p.checkEnum(f, r.values[i]); fault != nil {
			r.fail(*fault)
		}
	}
}

// checkEnum checks the value that parse returned for an enum field. It can be of any kind.
func (p *parser) checkEnum(f *sdk.Field, v value.Value) *Fault {
	switch {
	case v.Kind() != value.Text:
		return p.fault(ChoiceNotText, f, "")
	case !slices.Contains(f.Enum, v.Text()):
		return p.fault(NotChoice, f, v.Text())
	}
	return nil
}

// Clip shortens a caller's text so that an error can repeat it.
func Clip(s string) string {
	if len(s) <= maxEcho {
		return s
	}
	return strings.ToValidUTF8(s[:maxEcho], "") + "..."
}
