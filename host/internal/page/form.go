package page

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
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
	Blank      string // address of the page without inputs
	Example    string // address of the page with an example, "" if there is none
	Freezable  bool
	Fill       *fillControl // nil if no row of a table gives more than one field
	Lists      []presetList
	Problem    *fieldProblem
	Systems    []option   // of units
	View       []viewPair // what the address asks to see, for which there is no control
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
	kindRows   = "rows"   // rows of several values, as text
	kindTable  = "table"  // rows of several values, each with a control
)

// field is one input on a form.
type field struct {
	ID, Name, Label string
	Symbol          template.HTML
	Kind            string
	Doc, Range      string
	Value           string
	Hint            string // what was understood of Value
	Default         string
	Shown           string // the default in the selected unit
	Example         string // a number in the selected unit, with the unit
	ExampleOf       string
	Unit            string // of all values, if there is no choice of units
	OwnUnit         string // id of the unit of a bare number
	Result          bool   // there is a result of this name, shown in the unit of the field
	Units           []unitOption
	Options         []option
	Columns         []column
	Rows            []tableRow
	AsText          bool // Rows cannot show Value
	Required        bool
	Error           string
	Focus           bool
	Integer         bool // its values are written with digits alone
	Exact           bool // every digit of a number counts
	Preset          *presetControl
}

// option is one value of a choice.
type option struct {
	Value, Text string
	Chosen      bool
}

// Described returns the ids of the texts that explain the field, for aria-describedby.
func (f field) Described() string {
	var ids []string
	if f.Unit != "" {
		ids = append(ids, "u-"+f.Name)
	}
	if f.Helped() {
		ids = append(ids, "h-"+f.Name)
	}
	return strings.Join(append(ids, "n-"+f.Name, "e-"+f.Name), " ")
}

// Helped reports whether the field has a help text.
func (f field) Helped() bool {
	return f.Doc != "" || f.Example != "" || f.Range != "" || f.Exact || f.Kind == kindList || f.Kind == kindRows
}

// Placeholder returns what applies if nothing is entered.
func (f field) Placeholder() string {
	if f.Default == "" {
		return ""
	}
	return "default " + cmp.Or(f.Shown, f.Default)
}

// exemplify says the default and the example in the selected unit.
func (f *field) exemplify(of *sdk.Field) {
	if of.Example != nil {
		f.Example, f.ExampleOf = withUnit(of.Example.Number, of.Unit), of.Example.Of
	}
	for _, u := range f.Units {
		if !u.Selected {
			continue
		}
		f.Shown = u.Default
		if u.Example != "" {
			f.Example = u.Example + " " + u.Text
		}
	}
}

// unitIn returns the unit that an entered value has. Without one it is in the unit of the Spec.
func unitIn(f *sdk.Field, v *formValue) string {
	if len(v.names) > 0 {
		return cmp.Or(v.unit(), f.Unit)
	}
	return v.unit()
}

// tabs are the inputs whose choices are all visible (spec 4 rule 6).
var tabs = []string{"mode", "dir", "circuit", "phase"}

// newForm returns the form of the release, filled in with the values.
func (p *Pages) newForm(e *calc.Entry, r *calc.Release, s *formValues) *form {
	f := &form{
		Action: p.link(calc.PagePath(&r.Spec)), Tool: r.Spec.Tool, Capability: r.Capability, Version: r.Version, Current: e.Current,
		Versions: versionsOf(e, r), Freezable: p.options.Snapshots != nil, View: s.kept(false), Systems: systemsOf(&s.view),
	}
	if query := p.described(r).example; query != "" {
		f.Example = f.Action + "?" + withQuery(query, s.view.query())
	}
	f.Blank = f.Action
	if query := s.view.query(); query != "" {
		f.Blank += "?" + query
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
	slices.SortStableFunc(f.Fields, func(a, b field) int { return cmp.Compare(a.rank(), b.rank()) })
	p.addPresets(r, f, s)
	return f
}

// rank orders the fields of a form: those that decide what is asked for and those that are
// required come first.
func (f field) rank() int {
	if f.Required || f.Kind == kindTabs {
		return 0
	}
	return 1
}

func (p *Pages) newField(spec *sdk.Spec, i int, s *formValues, blank bool) field {
	f, e := &spec.Inputs[i], &s.values[i]
	v := field{
		ID: "f-" + f.Name, Name: f.Name, Label: label(f), Symbol: symbolOf(f.Symbol), Doc: help(spec, f), Range: rangeOf(spec, f),
		Value: e.text(), Hint: e.hint, Default: f.Default, Required: f.Required, Integer: f.Type == sdk.TypeInteger && len(f.Names) == 0, Exact: takesExact(f),
	}
	switch {
	case isChoice(f):
		v.Kind = kindSelect
		if slices.Contains(tabs, f.Name) {
			v.Kind = kindTabs
		}
		v.Options = optionsOf(f, e.text(), blank)
	case hasTable(f):
		v.Kind, v.Columns = kindTable, p.columns(f, e, s)
		rows, ok := tableOf(f, v.Columns, e.text())
		v.Rows, v.AsText = rows, !ok
		if f.Items.Type == sdk.TypeArray {
			v.OwnUnit, v.Units = f.Items.Items.Unit, v.Columns[0].Units
		}
	case f.Type == sdk.TypeArray && typed.IsRow(f.Items):
		v.Kind = kindRows
	case f.Type == sdk.TypeArray:
		v.Kind, v.OwnUnit, v.Units = kindList, f.Items.Unit, unitsOf(spec, f.Items, unitIn(f, e), s.view.Units)
		if len(v.Units) == 0 {
			v.Unit = formula.FormatUnit(f.Items.Unit)
		}
	case f.Type == sdk.TypeObject:
		v.Kind = kindList
	case f.Type == sdk.TypeString:
		v.Kind = kindText
	default:
		v.Kind, v.OwnUnit, v.Units = kindNumber, f.Unit, unitsOf(spec, f, unitIn(f, e), s.view.Units)
		if len(v.Units) == 0 {
			v.Unit = unitText(f)
		}
		v.exemplify(f)
		v.Result = slices.ContainsFunc(spec.Outputs, func(out sdk.Field) bool { return out.Name == f.Name })
	}
	return v
}

// systemsOf returns the systems of units to choose from.
func systemsOf(v *view) []option {
	var list []option
	for _, system := range customary.Systems() {
		list = append(list, option{string(system), systemNames[system], system == v.Units})
	}
	return list
}

var systemNames = map[customary.System]string{customary.AsEntered: "As entered", customary.Metric: "Metric", customary.US: "US", customary.SI: "SI"}

// withQuery joins two queries, of which either may be empty.
func withQuery(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// takesExact reports whether the field takes decimal strings, so that every digit counts.
func takesExact(f *sdk.Field) bool {
	return f.Decimal || f.Items != nil && takesExact(f.Items)
}

// columns returns the columns of a field as a form shows them.
func (p *Pages) columns(f *sdk.Field, e *formValue, s *formValues) []column {
	columns := columnsOf(f, e)
	for i := range columns {
		c := &columns[i]
		unit := e.units[c.Name]
		if f.Items.Type == sdk.TypeArray {
			unit = e.unit()
		}
		if len(e.names) > 0 {
			unit = cmp.Or(unit, c.OwnUnit)
		}
		c.Symbol, c.Units = symbolOf(c.field.Symbol), unitsOf(s.spec, c.field, unit, s.view.Units)
		if len(c.Units) == 0 {
			c.Unit = formula.FormatUnit(c.OwnUnit)
		}
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
		if slices.Contains(f.Unlisted, v) && v != chosen {
			continue
		}
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
	Changes        string // since the version before, in its own words
	Against        string // version that the current one is compared with from here, "" for none
}

func versionsOf(e *calc.Entry, shown *calc.Release) []versionState {
	list := make([]versionState, len(e.Releases))
	passed := false // the current version
	for i, r := range e.Releases {
		list[i] = versionState{Version: r.Version, Shown: r.Version == shown.Version, Usable: r.Available(), Reason: r.Lifecycle.Reason, Changes: r.Spec.Changes}
		if !list[i].Shown && list[i].Usable {
			if list[i].Against = r.Version; r.Version == e.Current {
				list[i].Against = shown.Version
			}
		}
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
