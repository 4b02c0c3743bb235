package calculator

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// form is the form of a release with the entered values.
type form struct {
	Action      string
	Tool        string
	Capability  string
	Version     string
	Current     string // current version, "" if there is none
	Fields      []field
	Advanced    []field
	Open        bool // the advanced fields have values or errors
	Versions    []trust.VersionState
	Blank       string // URL of the page without inputs
	Example     string // URL of the page with an example, "" if there is none
	CanSnapshot bool
	Fill        *fillControl // nil if no row of a table gives more than one field
	Lists       []presetList
	Problem     *address.FieldProblem
	Systems     []wording.Option // of units
	Digits      []wording.Option // significant digits
	View        []address.Pair   // keys of the view for which the form has no control
}

// Pinned returns the version that the form is pinned to, "" if it is the current version.
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
	Hint            string // the meaning of Value, if it is not plain
	Default         string
	Shown           string // the default in the selected unit
	Example         string // a number in the selected unit, with the unit
	ExampleOf       string
	Unit            string // of all values, if the reader cannot choose a unit
	OwnUnit         string // id of the unit of a bare number
	Result          bool   // there is a result of this name, which the page shows in the unit of the field
	Units           []wording.UnitOption
	Options         []wording.Option
	Columns         []address.Column
	Rows            []address.TableRow
	AsText          bool // Rows cannot show Value
	Required        bool
	Error           string
	Focus           bool
	Integer         bool // its values have only digits
	Exact           bool // every digit of a number counts
	Preset          *presetControl
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

// fromTable is shown instead of a number that a row of a table gives.
const fromTable = "from the table"

// Placeholder returns the value of an empty field.
func (f field) Placeholder() string {
	if f.Preset != nil && f.Preset.Value != "" {
		return fromTable
	}
	if f.Default == "" {
		return ""
	}
	return "default " + cmp.Or(f.Shown, f.Default)
}

// exemplify sets the default and the example in the selected unit.
func (f *field) exemplify(of *sdk.Field) {
	if of.Example != nil {
		f.Example, f.ExampleOf = show.WithUnit(of.Example.Number, of.Unit), of.Example.Of
	}
	for _, u := range f.Units {
		if !u.Selected {
			continue
		}
		f.Shown, f.Range = u.Default, cmp.Or(u.Range, f.Range)
		if u.Example != "" {
			f.Example = u.Example + " " + u.Text
		}
	}
}

// unitIn returns the unit of an entered value. A value without a unit is in the unit of the Spec.
func unitIn(f *sdk.Field, v *address.Value) string {
	if v.Given() {
		return cmp.Or(v.Unit(), f.Unit)
	}
	return v.Unit()
}

// tabs are the inputs whose choices are all visible (spec 4 rule 6).
var tabs = []string{"mode", "dir", "circuit", "phase"}

// newForm returns the form of the release, filled in with the values.
func (p *Pages) newForm(ctx context.Context, e *catalog.Entry, r *catalog.Release, s *address.Values) *form {
	f := &form{
		Action: p.Link(catalog.PagePath(&r.Spec)), Tool: r.Spec.Tool, Capability: r.Capability, Version: r.Version, Current: e.Current,
		Versions: trust.VersionsOf(e, r), CanSnapshot: p.snapshots != nil, View: s.Kept(false), Systems: s.View.Systems(), Digits: digitsOf(&s.View),
	}
	if query := p.about.Example(ctx, r, s.View.Units); query != "" {
		shown := s.View.Query()
		if s.View.Units == customary.US {
			shown = s.View.Named().Query()
		}
		f.Example = f.Action + "?" + address.WithQuery(query, shown)
	}
	f.Blank = f.Action
	if query := s.View.Query(); query != "" {
		f.Blank += "?" + query
	}
	blank := !s.Meaningful()
	for i := range r.Spec.Inputs {
		one := p.newField(&r.Spec, i, s, blank)
		if r.Spec.Inputs[i].Advanced {
			f.Advanced = append(f.Advanced, one)
			f.Open = f.Open || s.Values[i].Given()
		} else {
			f.Fields = append(f.Fields, one)
		}
	}
	slices.SortStableFunc(f.Fields, func(a, b field) int { return cmp.Compare(a.rank(), b.rank()) })
	p.addPresets(r, f, s)
	return f
}

// rank orders the fields of a form: required fields and visible choices come first.
func (f field) rank() int {
	if f.Required || f.Kind == kindTabs {
		return 0
	}
	return 1
}

func (p *Pages) newField(spec *sdk.Spec, i int, s *address.Values, blank bool) field {
	f, e := &spec.Inputs[i], &s.Values[i]
	v := field{
		ID: "f-" + f.Name, Name: f.Name, Label: wording.Label(f), Symbol: show.SymbolOf(f.Symbol), Doc: wording.Help(spec, f), Range: wording.RangeOf(spec, f, ""),
		Value: e.Text(), Hint: e.Hint, Default: f.Default, Required: f.Required, Integer: f.Type == sdk.TypeInteger && len(f.Names) == 0, Exact: takesExact(f),
	}
	switch {
	case wording.IsChoice(f):
		v.Kind = kindSelect
		if slices.Contains(tabs, f.Name) {
			v.Kind = kindTabs
		}
		v.Options = wording.OptionsOf(f, e.Text(), blank)
	case address.HasTable(f):
		v.Kind, v.Columns = kindTable, p.columns(f, e, s)
		rows, ok := address.TableOf(f, v.Columns, e.Text())
		v.Rows, v.AsText = rows, !ok
		if f.Items.Type == sdk.TypeArray {
			v.OwnUnit, v.Units = f.Items.Items.Unit, v.Columns[0].Units
		}
	case f.Type == sdk.TypeArray && typed.IsRow(f.Items):
		v.Kind = kindRows
	case f.Type == sdk.TypeArray:
		v.Kind, v.OwnUnit, v.Units = kindList, f.Items.Unit, wording.UnitsOf(spec, f.Items, unitIn(f, e), s.View.Units)
		if len(v.Units) == 0 {
			v.Unit = formula.FormatUnit(f.Items.Unit)
		}
	case f.Type == sdk.TypeObject:
		v.Kind = kindList
	case f.Type == sdk.TypeString:
		v.Kind = kindText
	default:
		v.Kind, v.OwnUnit, v.Units = kindNumber, f.Unit, wording.UnitsOf(spec, f, unitIn(f, e), s.View.Units)
		if len(v.Units) == 0 {
			v.Unit = wording.UnitText(f)
		}
		v.exemplify(f)
		v.Result = slices.ContainsFunc(spec.Outputs, func(out sdk.Field) bool { return out.Name == f.Name })
	}
	return v
}

// digitsOf returns the numbers of digits to choose from.
func digitsOf(v *address.View) []wording.Option {
	list := []wording.Option{{Text: strconv.Itoa(wording.Digits), Chosen: v.Digits == 0}}
	for n := wording.LeastDigits; n <= wording.MostDigits; n++ {
		if text := strconv.Itoa(int(n)); n != wording.Digits {
			list = append(list, wording.Option{Value: text, Text: text, Chosen: n == v.Digits})
		} else if v.Digits == n {
			list[0].Chosen = true
		}
	}
	return list
}

// takesExact reports whether the field takes decimal strings, so that every digit counts.
func takesExact(f *sdk.Field) bool {
	return f.Decimal || f.Items != nil && takesExact(f.Items)
}

// columns returns the columns of a field on a form.
func (p *Pages) columns(f *sdk.Field, e *address.Value, s *address.Values) []address.Column {
	columns := address.ColumnsOf(f, e)
	for i := range columns {
		c := &columns[i]
		unit := e.Units[c.Name]
		if f.Items.Type == sdk.TypeArray {
			unit = e.Unit()
		}
		if e.Given() {
			unit = cmp.Or(unit, c.OwnUnit)
		}
		c.Symbol, c.Units = show.SymbolOf(c.Field.Symbol), wording.UnitsOf(s.Spec, c.Field, unit, s.View.Units)
		if len(c.Units) == 0 {
			c.Unit = formula.FormatUnit(c.OwnUnit)
		}
	}
	return columns
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

// markFaults marks the fields at fault, and puts a summary of the problem above the form. A value that is refused has no
// hint with its meaning.
func (f *form) markFaults(p *problem.Problem, s *address.Values, explained string) {
	f.Problem = address.NewFieldProblem(p, s, explained)
	_, notFilled := s.NotFilled()
	for i, item := range f.Problem.Items {
		if item.Field == address.FillKey && notFilled != nil {
			f.Fill.Error = item.Text
			continue
		}
		one := f.field(item.Field)
		if one == nil {
			continue
		}
		one.Error, one.Focus, one.Hint = item.Text, i == 0, ""
	}
	for i := range f.Advanced {
		f.Open = f.Open || f.Advanced[i].Error != ""
	}
}
