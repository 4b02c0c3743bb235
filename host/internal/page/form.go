package page

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// form is the form of a release with the entered values.
type form struct {
	Action     string
	Tool       string
	Capability string
	Version    string
	Current    string // "" if there is none
	Fields     []field
	Advanced   []field
	Open       bool // the advanced fields have values or errors
	Versions   []versionState
	Example    string // address of the page with an example, "" if there is none
	Freezable  bool
	Problem    *fieldProblem
}

// Pinned returns the version that the form is pinned to, "" for the current one.
func (f *form) Pinned() string {
	if f.Version == f.Current {
		return ""
	}
	return f.Version
}

// Kinds of fields on a form.
const (
	kindNumber = "number"
	kindText   = "text"
	kindTabs   = "tabs"   // one of a few choices, all visible
	kindSelect = "select" // one of a few choices
	kindList   = "list"   // several values
	kindRows   = "rows"   // rows of several values
)

// field is one input on a form.
type field struct {
	ID, Name, Label string
	Symbol          template.HTML
	Kind            string
	JSON            string // type of the value that the API takes: number, decimal (a number as a string), string or boolean
	Doc, Range      string
	Code            string // error code of values outside the range
	Value           string
	Default         string
	Unit            string // of all values, if there is no choice of units
	OwnUnit         string // id of the unit of a bare number
	Units           []unitOption
	Options         []option
	Columns         []column
	Required        bool
	Error           string
	Focus           bool
	Integer         bool
	Exact           bool // every digit of a number counts
}

// option is one value of a choice.
type option struct {
	Value, Text string
	Chosen      bool
}

// column is one value of a row.
type column struct{ Name, Label, Unit, JSON string }

// Described returns the ids of the texts that explain the field, for aria-describedby.
func (f field) Described() string {
	var ids []string
	if f.Unit != "" {
		ids = append(ids, "u-"+f.Name)
	}
	if f.Helped() {
		ids = append(ids, "h-"+f.Name)
	}
	return strings.Join(append(ids, "e-"+f.Name), " ")
}

// Helped reports whether the field has a help text.
func (f field) Helped() bool { return f.Doc != "" || f.Range != "" || f.Exact || len(f.Columns) > 0 }

// Placeholder returns what applies if nothing is entered.
func (f field) Placeholder() string {
	if f.Default == "" {
		return ""
	}
	return "default " + f.Default
}

// tabs are the inputs whose choices are all visible (spec 4 rule 6).
var tabs = []string{"mode", "dir", "circuit", "phase"}

// newForm returns the form of the release, filled in with the values.
func (p *Pages) newForm(e *calc.Entry, r *calc.Release, s *formValues) *form {
	f := &form{
		Action: p.link(calc.PagePath(&r.Spec)), Tool: r.Spec.Tool, Capability: r.Capability, Version: r.Version, Current: e.Current,
		Versions: versionsOf(e, r), Freezable: p.options.Snapshots != nil,
	}
	if query := p.described(r).example; query != "" {
		f.Example = f.Action + "?" + query
	}
	blank := !s.meaningful()
	for i := range r.Spec.Inputs {
		one := p.newField(&r.Spec, i, s, blank)
		if r.Spec.Inputs[i].Advanced {
			f.Advanced = append(f.Advanced, one)
			f.Open = f.Open || len(s.values[i].names) > 0
		} else {
			f.Fields = append(f.Fields, one)
		}
	}
	return f
}

func (p *Pages) newField(spec *sdk.Spec, i int, s *formValues, blank bool) field {
	f, e := &spec.Inputs[i], &s.values[i]
	v := field{
		ID: "f-" + f.Name, Name: f.Name, Label: label(f), Symbol: p.symbol(f.Symbol), Doc: f.Doc, Range: formatRange(spec, f.Range),
		Value: e.text(), Default: f.Default, Required: f.Required, JSON: jsonType(f), Integer: f.Type == sdk.TypeInteger, Exact: takesExact(f),
	}
	if f.Range != nil {
		v.Code = f.Range.Code
	}
	switch {
	case isChoice(f):
		v.Kind = kindSelect
		if slices.Contains(tabs, f.Name) {
			v.Kind = kindTabs
		}
		v.Options = optionsOf(f, e.text(), blank)
	case f.Type == sdk.TypeArray && typed.IsRow(f.Items):
		v.Kind, v.Columns, v.JSON = kindRows, columnsOf(f.Items), jsonType(cmp.Or(f.Items.Items, f.Items))
	case f.Type == sdk.TypeArray, f.Type == sdk.TypeObject:
		v.Kind = kindList
		if f.Type == sdk.TypeObject {
			v.Columns = columnsOf(f)
		} else {
			v.JSON, v.Unit = jsonType(f.Items), formula.FormatUnit(f.Items.Unit)
		}
	case f.Type == sdk.TypeString:
		v.Kind = kindText
	default:
		v.Kind, v.OwnUnit, v.Units = kindNumber, f.Unit, unitsOf(f, e.unit())
		if len(v.Units) == 0 {
			v.Unit = unitText(f)
		}
	}
	return v
}

// takesExact reports whether the field takes decimal strings, so that every digit counts.
func takesExact(f *sdk.Field) bool {
	return f.Decimal || f.Items != nil && takesExact(f.Items)
}

// jsonType returns the JSON type of the value that a text of the field becomes.
func jsonType(f *sdk.Field) string {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		if f.Decimal {
			return "decimal"
		}
		return "number"
	case sdk.TypeBoolean:
		return "boolean"
	}
	return "string"
}

func columnsOf(row *sdk.Field) []column {
	if row.Type == sdk.TypeArray {
		return nil
	}
	columns := make([]column, len(row.Fields))
	for i := range row.Fields {
		f := &row.Fields[i]
		columns[i] = column{f.Name, label(f), formula.FormatUnit(f.Unit), jsonType(f)}
	}
	return columns
}

// optionsOf returns the values of a choice. On a blank form the first value of a required
// choice is selected, so that the form sends what it shows.
func optionsOf(f *sdk.Field, text string, blank bool) []option {
	values := f.Enum
	if f.Type == sdk.TypeBoolean {
		values = []string{"true", "false"}
	}
	chosen, known := text, slices.Contains(values, text)
	if value, ok := f.EnumValue(text); ok {
		chosen, known = value, true
	}
	if !known {
		chosen = f.Default
	}
	var options []option
	if f.Default == "" && !f.Required {
		options = append(options, option{"", "Not given", !known})
	}
	if f.Default == "" && f.Required && blank && !known {
		chosen = values[0]
	}
	for _, v := range values {
		text := formatChoice(v)
		if f.Type == sdk.TypeBoolean {
			text = map[string]string{"true": "Yes", "false": "No"}[v]
		}
		options = append(options, option{v, text, v == chosen})
	}
	return options
}

func (f *form) field(name string) *field {
	for _, list := range [][]field{f.Fields, f.Advanced} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// versionState is a published version, for the picker.
type versionState struct {
	Version, State string
	Reason         string // why the version is in a state other than active
	Shown          bool   // by this page
	Usable         bool
}

func versionsOf(e *calc.Entry, shown *calc.Release) []versionState {
	list := make([]versionState, len(e.Releases))
	passed := false // the current version
	for i, r := range e.Releases {
		list[i] = versionState{Version: r.Version, Shown: r.Version == shown.Version, Usable: r.Available(), Reason: r.Lifecycle.Reason}
		list[i].State = stateOf(r, e.Current, passed)
		passed = passed || r.Version == e.Current
	}
	return list
}

// active is the state of a version without any statement about its lifecycle.
const active calc.State = "active"

// stateOf returns the state of a version in a word.
func stateOf(r *calc.Release, current string, earlier bool) string {
	switch state := r.State(); {
	case r.Problem != nil:
		return "cannot be served at the moment"
	case r.Version == current && state == active:
		return "current"
	case r.Version == current:
		return "current, " + string(state)
	case state != active:
		return string(state)
	case strings.Contains(r.Version, "-"):
		return "pre-release"
	case earlier || current == "":
		return "earlier"
	}
	return "not yet current"
}
