// Package envelope turns a scanned JSON object of inputs into the typed values of
// a Spec: names and aliases, types, units, presence and enums. It applies no
// domain rule; those are the engine's.
package envelope

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/strictjson"
)

// maxEcho bounds how much of a caller's own text an error repeats.
const maxEcho = 100

// Read returns one value per input field of the Spec, with defaults filled in, and the
// conversions of units.
//
// The error is an *sdk.Error. Failures are looked for in stages: per member
// (unknown name, differing aliases, type, underflow, range), then missing required
// fields, then enums. The first failure of the first failing stage gives the code
// and field, and all of that stage are listed.
func Read(spec *sdk.Spec, inputs strictjson.Value) (sdk.Values, []sdk.Conversion, error) {
	values := make(sdk.Values, len(spec.Inputs))
	conversions, err := ReadInto(values, spec, inputs)
	if err != nil {
		return nil, nil, err
	}
	return values, conversions, nil
}

// ReadInto is Read with the memory for the values, which has one for every field.
func ReadInto(values sdk.Values, spec *sdk.Spec, inputs strictjson.Value) (conversions []sdk.Conversion, err error) {
	clear(values)
	r := reader{spec: spec, values: values}
	if r.readMembers(inputs.Members); r.failed != nil {
		return nil, r.failed
	}
	if r.requireFields(); r.failed != nil {
		return nil, r.failed
	}
	if r.resolveEnums(); r.failed != nil {
		return nil, r.failed
	}
	for i := range spec.Inputs {
		if r.values[i].Kind() == sdk.Absent {
			r.values[i], _ = spec.Inputs[i].DefaultValue() // Validate has checked it
		}
	}
	return r.conversions, nil
}

type reader struct {
	spec        *sdk.Spec
	values      sdk.Values
	conversions []sdk.Conversion
	failed      *sdk.Error
}

// fail records one failure of the current stage. The path is that of a nested
// value below the field, "" for the field itself.
func (r *reader) fail(field, path string, e *sdk.Error) {
	e.Field = field
	if r.failed == nil {
		r.failed = e
	}
	if len(r.failed.Invalid) < sdk.MaxNotes {
		r.failed.Invalid = append(r.failed.Invalid, sdk.InvalidParameter{Name: field + path, Constraint: e.Detail})
	}
}

// several marks a field that is sent under more than one name.
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
		switch i = r.input(name, i+1); {
		case i < 0:
			name = Clip(name)
			r.fail(name, "", unknownInput(name, r.spec.Inputs))
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
			r.readField(i, members[place-1:place])
		}
	}
}

// input is Spec.Input that looks at one field first: inputs tend to be sent in order.
func (r *reader) input(name string, first int) int {
	if first < len(r.spec.Inputs) && r.spec.Inputs[first].Name == name {
		return first
	}
	return r.spec.Input(name)
}

// readField reads the field under each of its names; where several are sent they
// must agree.
func (r *reader) readField(i int, members []strictjson.Member) {
	f := &r.spec.Inputs[i]
	names := make([]string, 0, 4)
	for k := range members {
		m := &members[k]
		if m.Name != f.Name && !slices.Contains(f.Aliases, m.Name) {
			continue
		}
		p := parser{field: f}
		v, e := p.parse(f, &m.Value)
		if e != nil {
			r.fail(f.Name, p.path, e)
			return
		}
		names = append(names, m.Name)
		if len(names) > 1 && !v.Equal(r.values[i]) {
			r.fail(f.Name, "", sdk.Conflict(f.Name, "%s name the same input and differ", strings.Join(names, " and ")).
				Suggest("Send "+f.Name+" once."))
			return
		}
		if len(names) == 1 {
			r.conversions = append(r.conversions, p.conversions...)
		}
		r.values[i] = v
	}
}

func (r *reader) requireFields() {
	for i := range r.spec.Inputs {
		f := &r.spec.Inputs[i]
		if f.Required && r.values[i].Kind() == sdk.Absent {
			e := sdk.Missing(f.Name, "%s is required", nameInUnit(f))
			if len(f.Aliases) > 0 {
				e.Suggestion = fmt.Sprintf("Send %s (or %s).", f.Name, strings.Join(f.Aliases, ", "))
			}
			r.fail(f.Name, "", e)
		}
	}
}

func (r *reader) resolveEnums() {
	for i := range r.spec.Inputs {
		f := &r.spec.Inputs[i]
		if len(f.Enum) == 0 || r.values[i].Kind() == sdk.Absent {
			continue
		}
		if e := checkEnum(f, r.values[i]); e != nil {
			r.fail(f.Name, "", e)
		}
	}
}

// checkEnum judges what parse kept of an enum field: the value it spells, or
// whatever else was sent.
func checkEnum(f *sdk.Field, v sdk.Value) *sdk.Error {
	if v.Kind() == sdk.Text && slices.Contains(f.Enum, v.Text()) {
		return nil
	}
	legal := strings.Join(f.Enum, ", ")
	if v.Kind() != sdk.Text {
		return sdk.Reject(sdk.CodeInvalidMode, f.Name, "%s must be one of %s", f.Name, legal).Suggest("Send one of them as a string.")
	}
	e := sdk.Reject(sdk.CodeInvalidMode, f.Name, "%s %q is not one of %s", f.Name, Clip(v.Text()), legal)
	if guess, ok := spelling.Guess(v.Text(), f.Enum); ok {
		return e.Suggest("Did you mean " + guess + "?")
	}
	return e.Suggest("Send one of " + legal + ".")
}

func unknownInput(name string, fields []sdk.Field) *sdk.Error {
	var known, canonical []string
	for i := range fields {
		canonical = append(canonical, fields[i].Name)
		known = append(append(known, fields[i].Name), fields[i].Aliases...)
	}
	e := sdk.Reject(sdk.CodeUnknownInput, name, "%q is not an input of this calculation", name)
	if guess, ok := spelling.Guess(name, known); ok {
		return e.Suggest("Did you mean " + guess + "?")
	}
	return e.Suggest("The inputs are " + strings.Join(canonical, ", ") + ".")
}

func nameInUnit(f *sdk.Field) string {
	if f.Unit == "" {
		return f.Name
	}
	return f.Name + " (" + f.Unit + ")"
}

// Clip shortens a caller's text for repeating it in an error.
func Clip(s string) string {
	if len(s) <= maxEcho {
		return s
	}
	return strings.ToValidUTF8(s[:maxEcho], "") + "..."
}
