package client

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// model is the data of the templates. Names and types are in the syntax of one language.
type model struct {
	*Source
	Package    string // name of the Go package
	Functions  []*function
	Quantities []*quantity // quantities of the inputs and results, sorted
	Choices    []*choice   // only for Go, which has no type for an enumeration of texts

	language   *syntax
	types      names
	functions  names
	quantities map[string]*quantity
}

// function is the function for one locked version.
type function struct {
	Name    string // name of the function
	Type    string // prefix of the names of its types
	Spec    *sdk.Spec
	Engines []engine
	Records []*record // records that inputs contain; each precedes the records that contain it
	Input   *record
	Result  *record

	InputUnits, ResultUnits []unit // where quantities are; for languages in which types do not exist at run time
}

// unit is the unit of the number at a place, such as layers.thickness. An array and its items have one place.
type unit struct{ Place, Unit string }

// engine is the digest of an engine for a platform.
type engine struct{ Platform, Digest string }

// record is a type with fields.
type record struct {
	Name   string
	Fields []*field
}

// field is a field of the Spec, with its name and type in the language.
type field struct {
	*sdk.Field
	Name string
	Type string
}

// quantity is the quantity of a number with a unit.
type quantity struct {
	Name  string   // such as Length
	Unit  string   // unit of results
	Units []string // units of inputs

	Input, Decimal bool // an input is a number; an input is a decimal text
}

// choice is the type of a text with a fixed set of values.
type choice struct {
	Name   string
	Values []value
	of     string // the wanted name, which another type can have already
}

type value struct{ Name, Text string }

func newModel(l Language, s *Source, pkg string, releases map[*lockfile.Release]*registry.Release) *model {
	m := &model{Source: s, Package: pkg, language: languages[l], types: names{}, functions: names{}, quantities: map[string]*quantity{}}
	for _, name := range m.language.reserved {
		m.types[name], m.functions[name] = true, true
	}
	for i := range s.Lock.Releases {
		locked := &s.Lock.Releases[i]
		if r := releases[locked]; r != nil {
			m.Functions = append(m.Functions, m.function(locked, &r.Spec))
		}
	}
	m.Quantities = slices.SortedFunc(maps.Values(m.quantities), func(a, b *quantity) int { return strings.Compare(a.Name, b.Name) })
	return m
}

// function returns the function for one version. The version with the plain name has the name of its tool.
// Other versions have their version in the name.
func (m *model) function(locked *lockfile.Release, spec *sdk.Spec) *function {
	words := split(spec.Tool)
	if m.Lock.Names[locked.Capability] != locked.Version {
		words = append(words, "v"+strings.Map(wordOrUnderscore, spec.Version))
	}
	f := &function{Spec: spec, Type: m.types.free(camel(words), "*Input", "*Result", "locked*")}
	f.Name = m.language.function(m, words)
	for _, platform := range slices.Sorted(maps.Keys(locked.Engines)) {
		f.Engines = append(f.Engines, engine{platform, locked.Engines[platform]})
	}
	f.Input = m.record(f, f.Type+"Input", spec.Inputs, true)
	f.Result = m.record(f, f.Type+"Result", spec.Outputs, false)
	f.InputUnits, f.ResultUnits = unitsIn("", spec.Inputs), unitsIn("", spec.Outputs)
	return f
}

// unitsIn returns the units of fields at their names and their aliases.
func unitsIn(prefix string, fields []sdk.Field) (list []unit) {
	for i := range fields {
		f := &fields[i]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			list = append(list, unitsAt(prefix+name, f)...)
		}
	}
	return list
}

func unitsAt(place string, f *sdk.Field) []unit {
	switch {
	case f.Type == sdk.TypeArray:
		return unitsAt(place, f.Items)
	case f.Type == sdk.TypeObject:
		return unitsIn(place+".", f.Fields)
	case f.Unit != "":
		return []unit{{place, f.Unit}}
	}
	return nil
}

// record returns the type with these fields.
func (m *model) record(f *function, name string, fields []sdk.Field, input bool) *record {
	r := &record{Name: name}
	own := names{}
	for i := range fields {
		in := &fields[i]
		named := &field{Field: in, Name: m.language.field(in.Name, own)}
		named.Type = m.typeOf(f, f.Type+camel(split(in.Name)), in, input)
		r.Fields = append(r.Fields, named)
	}
	return r
}

// typeOf returns the type of a field, and adds the types in it to the model. Name is the name for a record
// or choice.
func (m *model) typeOf(f *function, name string, in *sdk.Field, input bool) string {
	t := m.language
	switch {
	case in.Type == sdk.TypeArray:
		return t.list(m.typeOf(f, name, in.Items, input))
	case in.Type == sdk.TypeObject:
		inner := m.record(f, m.types.free(name, "*"), in.Fields, input)
		f.Records = append(f.Records, inner)
		return inner.Name
	case in.Type == sdk.TypeString && len(in.Enum) > 0:
		return t.choice(m, name, in.Enum)
	case in.Unit != "":
		return t.quantity(m.quantityOf(in, input), in, input)
	}
	return t.plain(in, input)
}

// quantityOf returns the quantity of a number. An input can have each unit of the quantity; a result has one
// unit.
func (m *model) quantityOf(in *sdk.Field, input bool) *quantity {
	q := &quantity{Name: in.Unit, Unit: in.Unit, Units: []string{in.Unit}}
	if u, ok := units.Lookup(in.Unit); ok {
		q.Units = nil
		for _, other := range units.Of(u.Quantity) {
			q.Units = append(q.Units, other.ID)
		}
		if in.Difference {
			u = u.Difference()
		}
		q.Name = u.Quantity
		if input {
			q.Unit = q.Units[0]
		} else if in.Unit != q.Units[0] {
			q.Name += " " + in.Unit
		}
	}
	known := m.quantities[q.Name]
	if known == nil {
		known = q
		m.quantities[q.Name] = known
		known.Name = m.types.free(camel(split(unitWords.Replace(q.Name))), "*", "*Unit", "*Decimal", "New*", "New*Decimal", "in*")
	}
	known.Input = known.Input || input && !in.Decimal
	known.Decimal = known.Decimal || input && in.Decimal
	return known
}

// unitWords replaces the signs in a unit by words.
var unitWords = strings.NewReplacer("/", " per ", "%", "percent", "1/", "per ")

// names are the names that are in use.
type names map[string]bool

// free reserves a name in all forms, and returns it. In a form, * represents the name. If a form is in use,
// free appends underscores to the name.
func (n names) free(name string, forms ...string) string {
	used := func(form string) bool { return n[strings.Replace(form, "*", name, 1)] }
	for slices.ContainsFunc(forms, used) {
		name += "_"
	}
	for _, form := range forms {
		n[strings.Replace(form, "*", name, 1)] = true
	}
	return name
}

// split splits a name into words, at characters that are neither letters nor digits.
func split(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// camel joins words into a name that starts with a letter. Each word gets a capital letter.
func camel(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return identifier(b.String())
}

// identifier returns the name, with the prefix N if it is empty or starts with a digit.
func identifier(name string) string {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "N" + name
	}
	return name
}

// wordOrUnderscore returns letters and digits, and replaces other characters by an underscore.
func wordOrUnderscore(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}
