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

// model is what the templates are filled with: names and types are those of one language.
type model struct {
	*Source
	Package    string // of Go
	Functions  []*function
	Quantities []*quantity // that have values here, sorted
	Choices    []*choice   // of Go, which has no types for some texts only

	language   *syntax
	types      names
	functions  names
	quantities map[string]*quantity
}

// function is one locked version.
type function struct {
	Name    string // of the function
	Type    string // what the names of its types begin with
	Spec    *sdk.Spec
	Engines []engine
	Records []*record // that inputs contain, before those that contain them
	Input   *record
	Result  *record
}

// engine is the digest of an engine for a platform.
type engine struct{ Platform, Digest string }

// record is a type with fields.
type record struct {
	Name   string
	Fields []*field
}

// field is a field of the Spec with its name and type in the language.
type field struct {
	*sdk.Field
	Name string
	Type string
}

// quantity is what a number with a unit measures.
type quantity struct {
	Name  string // such as Length
	Unit  string // that results have
	Units []string

	Input, Decimal bool // it is sent as a number, as a decimal string
}

// choice is the type of a text that is one of few.
type choice struct {
	Name   string
	Values []value
	of     string // its name, where no other has that
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

// function names one version. That which is current is called as its tool, and others say their
// version, too.
func (m *model) function(locked *lockfile.Release, spec *sdk.Spec) *function {
	words := split(spec.Tool)
	if !locked.Current {
		words = append(words, "v"+strings.Map(wordOrLine, spec.Version))
	}
	f := &function{Spec: spec, Type: m.types.free(camel(words), "*Input", "*Result", "locked*")}
	f.Name = m.language.function(m, words)
	for _, platform := range slices.Sorted(maps.Keys(locked.Engines)) {
		f.Engines = append(f.Engines, engine{platform, locked.Engines[platform]})
	}
	f.Input = m.record(f, f.Type+"Input", spec.Inputs, true)
	f.Result = m.record(f, f.Type+"Result", spec.Outputs, false)
	return f
}

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

// typeOf returns the type of a field, and adds what that consists of to the model. Name is what
// the type of a record or choice is called.
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

// quantityOf returns what a number measures. An input can be sent in each of its units; a result
// has one.
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

// unitWords makes words of a unit.
var unitWords = strings.NewReplacer("/", " per ", "%", "percent", "1/", "per ")

// names are those that are taken.
type names map[string]bool

// free takes a name in the forms, in which * stands for it. Where one of them is taken, the name
// gets a line behind it.
func (n names) free(name string, forms ...string) string {
	taken := func(form string) bool { return n[strings.Replace(form, "*", name, 1)] }
	for slices.ContainsFunc(forms, taken) {
		name += "_"
	}
	for _, form := range forms {
		n[strings.Replace(form, "*", name, 1)] = true
	}
	return name
}

// split splits a name into words: at signs that are neither letters nor digits.
func split(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// camel joins words, each with a capital letter. It begins with a letter.
func camel(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return identifier(b.String())
}

// identifier is the name, or one in front of which a letter stands because it begins with a digit.
func identifier(name string) string {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "N" + name
	}
	return name
}

func wordOrLine(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}
