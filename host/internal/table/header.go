package table

import (
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/spelling"
)

// maxColumns is how many columns a table may have.
const maxColumns = 1000

// addColumns finds out what each column is: an input, with a unit perhaps, or a column that passes
// through. It returns those that are no inputs, and were not declared to be none. The error tells of
// every unit that does not fit.
func (t *Sheet) addColumns(columns []column) (doubtful []column, err error) {
	if len(columns) > maxColumns {
		return nil, t.invalid("", "Leave out columns that are no inputs.", "the table has %d columns; at most %d are taken", len(columns), maxColumns)
	}
	var units []error
	for _, c := range columns {
		c.name = strings.TrimSpace(c.header)
		if !slices.Contains(t.options.Tags, c.name) {
			if err := t.read(&c); err != nil {
				units = append(units, err)
			}
			if c.field == nil && c.name != "" {
				doubtful = append(doubtful, c)
			}
		}
		if c.field != nil {
			if slices.ContainsFunc(t.columns, func(other column) bool { return other.field != nil && other.name == c.name }) {
				return nil, t.invalid(c.name, "Give each input one column.", "two columns are named %q", c.name)
			}
			if err := t.checkUnit(&c); err != nil {
				units = append(units, err)
			}
			c.input = t.release.Spec.Input(c.name)
			c.takesBare = typed.TakesBare(c.field, c.unit)
		}
		t.columns = append(t.columns, c)
	}
	for _, tag := range t.options.Tags {
		if !slices.ContainsFunc(t.columns, func(c column) bool { return c.field == nil && c.name == tag }) {
			return nil, t.invalid(tag, "Write the name as the header does.", "there is no column %q that could pass through", request.Clip(tag))
		}
	}
	return doubtful, together(units...)
}

// invalid returns the problem of a table whose column at fault is the field.
func (t *Sheet) invalid(field, suggestion, format string, args ...any) *calc.Problem {
	p := calc.NewProblem(t.code, suggestion, format, args...)
	p.Field = request.Clip(field)
	return p
}

// together returns the first of several errors, with what is wrong according to each.
func together(errs ...error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 0 {
		return nil
	}
	first := calc.ProblemOf(errs[0])
	for _, err := range errs[1:] {
		first.Invalid = append(wrongIn(first), wrongIn(calc.ProblemOf(err))...)
	}
	first.Invalid = first.Invalid[:min(len(first.Invalid), sdk.MaxNotes)]
	return first
}

func wrongIn(p *calc.Problem) []sdk.InvalidParameter {
	if len(p.Invalid) > 0 {
		return p.Invalid
	}
	return []sdk.InvalidParameter{{Name: p.Field, Constraint: p.Detail}}
}

// withUnit is a name with a unit behind it, such as L [ft] or L (ft).
var withUnit = regexp.MustCompile(`^(.*?)\s*(?:\[([^\[\]]*)\]|\((.*)\))$`)

// read finds the input of a column, and its unit: that behind its name, or what the file says beside
// it. The error is that these are two.
func (t *Sheet) read(c *column) (err error) {
	if c.field = t.input(c.name); c.field == nil {
		if parts := withUnit.FindStringSubmatch(c.name); parts != nil {
			c.name = parts[1]
			c.field = t.input(c.name)
			behind := strings.TrimSpace(parts[2] + parts[3])
			if c.field != nil && c.unit != "" && c.unit != behind {
				err = sdk.Reject(request.CodeUnknownUnit, c.field.Name, "the name of the column %q has the unit %s, its metadata %s", c.header, request.Clip(behind), request.Clip(c.unit)).
					Suggest("Write one unit, in one place.")
			}
			c.unit = behind
		}
	}
	if c.field != nil && c.field.Unit == "" && c.field.UnitBy == nil && slices.Contains([]string{"-", "1"}, c.unit) {
		c.unit = "" // as people write of a number without one
	}
	return err
}

func (t *Sheet) input(name string) *sdk.Field {
	if i := t.release.Spec.Input(name); i >= 0 {
		return &t.release.Spec.Inputs[i]
	}
	return nil
}

// checkUnit refuses a unit that no number of the column could have. Where the unit of an input
// depends on another one, that is seen row by row.
func (t *Sheet) checkUnit(c *column) error {
	if c.unit == "" || c.field.UnitBy != nil {
		return nil
	}
	one, err := typed.Cell(c.field, "1", c.unit, typed.Either)
	if err != nil {
		return err
	}
	if c.field.Type == sdk.TypeArray && typed.IsRow(c.field.Items) || c.field.Type == sdk.TypeObject || c.field.Type == sdk.TypeString || c.field.Type == sdk.TypeBoolean {
		return t.invalid(c.name, "Leave the unit out of the header.", "%s has no unit of its own", c.name)
	}
	_, _, err = request.Read(&t.release.Spec, inputs(c.name, one))
	faults, _ := err.(request.Faults)
	for _, f := range faults {
		if f.Kind != request.Missing { // of the other inputs
			return request.Faults{f}
		}
	}
	return nil
}

func inputs(name string, v strictjson.Value) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: name, Value: v}}}
}

// refused returns the names of columns among those that are no inputs which cannot pass through: all
// of them if an input is missing that every calculation needs, or if there is no input at all, and
// else those whose name is nearly that of an input.
func (t *Sheet) refused(doubtful []column) (names []string) {
	sent := func(f sdk.Field) bool {
		return slices.ContainsFunc(t.columns, func(c column) bool { return c.field != nil && c.field.Name == f.Name })
	}
	spec := &t.release.Spec
	missing := func(f sdk.Field) bool { return f.Required && !sent(f) }
	all := !slices.ContainsFunc(spec.Inputs, sent) || slices.ContainsFunc(spec.Inputs, missing)
	var known []string
	for i := range spec.Inputs {
		known = append(append(known, spec.Inputs[i].Name), spec.Inputs[i].Aliases...)
	}
	for _, c := range doubtful {
		if _, near := spelling.Guess(c.name, known); all || near {
			names = append(names, c.name)
		}
	}
	return names
}

// unknown returns what any request with inputs of these names is told, nil if there are none.
func (t *Sheet) unknown(names []string) error {
	if len(names) == 0 {
		return nil
	}
	object := strictjson.Value{Kind: strictjson.Object}
	for _, name := range names {
		object.Members = append(object.Members, strictjson.Member{Name: name})
	}
	_, _, err := request.Read(&t.release.Spec, object)
	p := calc.ProblemOf(err)
	p.Suggestion += " Rename a column that is no input, or declare it as a tag."
	return p
}
