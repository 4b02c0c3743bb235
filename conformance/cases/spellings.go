package cases

import (
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/value"
)

// aliases adds an input under each of its aliases. Two names at once must be accepted if both
// values are equal, and refused if they differ.
func (m *maker) aliases(p place) {
	if len(p.path) > 0 {
		return
	}
	sent := string(appendValue(nil, p.field, p.value))
	for n, alias := range p.field.Aliases {
		m.add(Case{
			ID: p.name + " as " + alias, Kind: Alias, Like: m.example(p),
			Inputs: m.write(m.examples[p.example], &change{place: p, as: alias, json: sent}),
		})
		if n > 0 {
			continue
		}
		twice := func(second string) string {
			return m.write(m.examples[p.example], &change{place: p, json: sent, more: quoted(alias) + ":" + second})
		}
		m.add(Case{ID: p.name + " and as " + alias, Kind: Alias, Like: m.example(p), Inputs: twice(sent)})
		if other, ok := differing(p); ok {
			m.add(m.refused(p, Case{ID: p.name + " and another as " + alias, Kind: Alias, Inputs: twice(other)}, sdk.CodeConflictingInputs))
		}
	}
}

// example returns the id of the case that sends the example of the place unchanged. It
// adds the case if necessary.
func (m *maker) example(p place) string {
	return m.add(Case{ID: exampleID(p.example), Kind: Example, Inputs: m.write(m.examples[p.example], nil)})
}

// differing returns the JSON text of a legal value other than the one at the place.
func differing(p place) (json string, ok bool) {
	switch p.value.Kind() {
	case value.Number, value.Exact:
		if p.number() == 1 {
			return "2", true
		}
		return "1", true
	case value.Bool:
		if p.value.Bool() {
			return "false", true
		}
		return "true", true
	case value.Text:
		if len(p.field.Enum) == 0 {
			return quoted(p.value.Text() + "x"), true
		}
		for _, choice := range p.field.Enum {
			if choice != p.value.Text() {
				return quoted(choice), true
			}
		}
	}
	return "", false
}

// noSuch is a name that no engine is expected to use for an input or an enum value.
const noSuch = "no_such_input"

// enums adds both truths of a boolean and each name of a number. For an enum it adds each
// value, each alias and an illegal value.
func (m *maker) enums(p place) {
	if p.field.Type == sdk.TypeBoolean {
		m.add(Case{ID: p.name + " is true", Kind: Enum, Inputs: m.with(p, "true")})
		m.add(Case{ID: p.name + " is false", Kind: Enum, Inputs: m.with(p, "false")})
	}
	for _, n := range p.field.Names {
		number := string(value.AppendNumber(nil, n.Value))
		like := m.add(Case{ID: p.name + " is the named " + number, Kind: Enum, Inputs: m.with(p, number)})
		m.add(Case{ID: p.name + " is called " + n.Name, Kind: Enum, Inputs: m.with(p, quoted(n.Name)), Like: like})
	}
	if len(p.field.Enum) == 0 {
		return
	}
	id := func(choice string) string { return p.name + " is " + choice }
	for _, choice := range p.field.Enum {
		m.add(Case{ID: id(choice), Kind: Enum, Inputs: m.with(p, quoted(choice))})
	}
	for _, a := range p.field.EnumAliases {
		m.add(Case{ID: id(a.Value) + ", spelled " + a.Alias, Kind: Enum, Inputs: m.with(p, quoted(a.Alias)), Like: id(a.Value)})
	}
	if _, known := p.field.EnumValue(noSuch); !known {
		m.add(m.refused(p, Case{ID: p.name + " is none of its values", Kind: Enum, Inputs: m.with(p, quoted(noSuch))}, request.CodeInvalidMode))
	}
}

// wrongTypes are values that the type does not allow.
var wrongTypes = map[sdk.Type][]string{
	sdk.TypeNumber:  {"true", `"many"`, "[1]", "null", "{}"},
	sdk.TypeInteger: {"1.5", "true", `"many"`, "[1]", "null", "{}"},
	sdk.TypeString:  {"5", "false", "[]", "null", "{}"},
	sdk.TypeBoolean: {"1", `"true"`, "[]", "null", "{}"},
	sdk.TypeArray:   {"1", `"many"`, "null", "{}"},
	sdk.TypeObject:  {"1", `"many"`, "null", "[]"},
}

// maxTypes is how many values of a wrong type are tried at one place.
const maxTypes = 2

func (m *maker) types(p place) {
	code := request.CodeInvalidNumber
	if len(p.field.Enum) > 0 {
		code = request.CodeInvalidMode
	}
	wrong := wrongTypes[p.field.Type]
	for _, n := range m.random.Perm(len(wrong))[:min(len(wrong), maxTypes)] {
		m.add(m.refused(p, Case{ID: p.name + " is " + wrong[n] + ", of another type", Kind: Type, Inputs: m.with(p, wrong[n])}, code))
	}
	switch {
	case p.field.Type == sdk.TypeArray:
		m.add(Case{ID: p.name + " is empty", Kind: Type, Inputs: m.with(p, "[]")})
	case p.field.Type == sdk.TypeString && len(p.field.Enum) == 0:
		m.add(Case{ID: p.name + " is empty", Kind: Type, Inputs: m.with(p, `""`)})
	}
}

// presence leaves an input out. If it has a default, the request must mean the same as a
// request with the default. If it is required, the request must be refused. If no example has
// the input, presence adds it instead.
func (m *maker) presence(input int) {
	f := &m.spec.Inputs[input]
	places := m.places(input)
	if len(places) == 0 {
		m.addition(input)
		return
	}
	p := places[0]
	c := Case{ID: f.Name + " left out", Kind: Presence, Inputs: m.with(p, "")}
	switch {
	case f.Default != "":
		preset, _ := f.DefaultValue() // Validate has checked it
		c.Like = m.add(Case{ID: f.Name + " is its default", Kind: Presence, Inputs: m.with(p, string(appendValue(nil, f, preset)))})
	case f.Required:
		c = m.refused(p, c, sdk.CodeMissingRequiredInput)
	}
	m.add(c)
}

// addition adds an input that no example has to the first example.
func (m *maker) addition(input int) {
	f := &m.spec.Inputs[input]
	json := ""
	switch {
	case f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger:
		json = "1"
	case f.Type == sdk.TypeBoolean:
		json = "true"
	case len(f.Enum) > 0:
		json = quoted(f.Enum[0])
	case f.Type == sdk.TypeString:
		json = `"text"`
	default:
		return
	}
	m.add(Case{
		ID: f.Name + " added", Kind: Presence,
		Inputs: m.write(m.examples[0], &change{more: quoted(f.Name) + ":" + json}),
	})
}

// unknown adds a request with an unknown input, and a request without any input.
func (m *maker) unknown() {
	if m.spec.Input(noSuch) < 0 {
		m.add(Case{
			ID: "an unknown input", Kind: Presence, Code: request.CodeUnknownInput, Field: noSuch,
			Inputs: m.write(m.examples[0], &change{more: quoted(noSuch) + ":1"}),
		})
	}
	nothing := Case{ID: "no input at all", Kind: Presence, Inputs: "{}"}
	if i := slices.IndexFunc(m.spec.Inputs, func(f sdk.Field) bool { return f.Required }); i >= 0 {
		nothing.Code, nothing.Field = sdk.CodeMissingRequiredInput, m.spec.Inputs[i].Name
	}
	m.add(nothing)
}
