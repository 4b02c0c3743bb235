package table

import (
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/spelling"
)

// maxColumns is the largest number of columns of a table.
const maxColumns = 1000

// readHeader determines the meaning of the columns, and the names of the columns of the answers.
func (t *Sheet) readHeader() error {
	doubtful, err := t.addColumns(t.header)
	for _, c := range doubtful {
		t.passing = append(t.passing, strings.TrimSpace(c.header))
	}
	if !slices.ContainsFunc(t.columns, func(c column) bool { return c.showsMarks() }) {
		t.marks.seeks = false
	}
	return together(t.fits(), err, t.unknown(doubtful), t.nameAnswers(doubtful))
}

// addColumns determines the meaning of each column. It can be an input, perhaps with a unit, a
// pin of its row, a column of former answers, or a column that passes through. addColumns returns the undeclared
// columns that pass through. The error contains every unit that does not fit.
func (t *Sheet) addColumns(columns []column) (doubtful []column, err error) {
	if len(columns) > maxColumns {
		return nil, t.invalid("", "Leave out columns that are not inputs.", "the table has %d columns; at most %d are taken", len(columns), maxColumns)
	}
	old := t.oldColumns(columns)
	var units []error
	for i, c := range columns {
		c.name = strings.TrimSpace(c.header)
		switch {
		case t.isTag(c.name):
		case old[i]:
			c.old = true
		default:
			if err := t.read(&c); err != nil {
				units = append(units, err)
			}
			if c.field == nil {
				c.pin, _ = pinOf(c.name)
			}
			if c.field == nil && c.pin == "" && c.name != "" {
				doubtful = append(doubtful, c)
			}
		}
		if c.pin != "" && slices.ContainsFunc(t.columns, func(other column) bool { return other.pin == c.pin }) {
			return nil, t.invalid(c.name, "Leave one of them out.", "two columns are the pin %s", c.pin)
		}
		if c.field != nil {
			if slices.ContainsFunc(t.columns, func(other column) bool { return other.field != nil && other.name == c.name }) {
				return nil, t.invalid(c.name, "Give each input one column.", "two columns are named %q", c.name)
			}
			if err := t.checkUnit(&c); err != nil {
				units = append(units, err)
			}
			c.input = t.release.Spec.Input(c.field.Name)
			c.takesBare = typed.TakesBare(c.field, c.unit)
		}
		t.pinned, t.replaces = t.pinned || c.pin != "", t.replaces || c.old
		t.columns = append(t.columns, c)
	}
	for _, tag := range t.options.Tags {
		if !slices.ContainsFunc(t.columns, func(c column) bool { return c.passes() && c.name == tag }) {
			return nil, t.invalid(tag, "Write the name as the header does.", "there is no column %q that could pass through", request.Clip(tag))
		}
	}
	return doubtful, together(units...)
}

func (t *Sheet) isTag(name string) bool { return slices.Contains(t.options.Tags, name) }

// invalid returns the problem of a table with an invalid column, which is the field.
func (t *Sheet) invalid(field, suggestion, format string, args ...any) *problem.Problem {
	p := problem.New(t.code, suggestion, format, args...)
	p.Field = request.Clip(field)
	return p
}

// together returns the first of several errors, with the invalid parameters of all of them.
func together(errs ...error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 0 {
		return nil
	}
	first := problem.Of(errs[0])
	for _, err := range errs[1:] {
		first.Invalid = append(wrongIn(first), wrongIn(problem.Of(err))...)
	}
	first.Invalid = first.Invalid[:min(len(first.Invalid), sdk.MaxNotes)]
	return first
}

func wrongIn(p *problem.Problem) []sdk.InvalidParameter {
	if len(p.Invalid) > 0 {
		return p.Invalid
	}
	return []sdk.InvalidParameter{{Name: p.Field, Constraint: p.Detail}}
}

// withUnit matches a name with a unit after it, such as L [ft] or L (ft).
var withUnit = regexp.MustCompile(`^(.*?)\s*(?:\[([^\[\]]*)\]|\((.*)\))$`)

// read finds the input of a column and its unit: the unit after its name, or the unit in the metadata
// of the file. The error is that these differ.
func (t *Sheet) read(c *column) (err error) {
	c.field = t.input(c.name)
	if c.field == nil {
		name, after := c.name, ""
		if parts := withUnit.FindStringSubmatch(c.name); parts != nil {
			name, after = parts[1], strings.TrimSpace(parts[2]+parts[3])
			c.field = t.named(name)
		} else if f, unit, ok := t.apart(c.name); ok {
			c.field, after = f, unit
		}
		if c.field == nil {
			return nil
		}
		c.name = name
		if t.input(name) == nil { // a request accepts names and aliases only
			c.name = c.field.Name
		}
		if c.unit != "" && c.unit != after {
			err = sdk.Reject(request.CodeUnknownUnit, c.field.Name, "the name of the column %q has the unit %s, its metadata %s", c.header, request.Clip(after), request.Clip(c.unit)).
				Suggest("Write one unit, in one place.")
		}
		c.unit = after
	}
	if c.field.Unit == "" && c.field.UnitBy == nil && slices.Contains([]string{"-", "1"}, c.unit) {
		c.unit = "" // people write this for a number without a unit
	}
	return err
}

func (t *Sheet) input(name string) *sdk.Field {
	if i := t.release.Spec.Input(name); i >= 0 {
		return &t.release.Spec.Inputs[i]
	}
	return nil
}

// checkUnit refuses a unit that no number of the column could have. If the unit of an input depends on
// another input, each row is checked instead.
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

// unknown returns the error for columns that are not inputs and cannot pass through. These are all of
// them if a required input is missing, or if the table has no input at all. Otherwise these are the
// columns with a name similar to an input or a pin.
func (t *Sheet) unknown(doubtful []column) error {
	sent := func(f sdk.Field) bool {
		return slices.ContainsFunc(t.columns, func(c column) bool { return c.field != nil && c.field.Name == f.Name })
	}
	spec := &t.release.Spec
	none := !slices.ContainsFunc(spec.Inputs, sent)
	all := none || slices.ContainsFunc(spec.Inputs, func(f sdk.Field) bool { return f.Required && !sent(f) })
	var known []string
	for i := range spec.Inputs {
		known = append(append(known, spec.Inputs[i].Name), spec.Inputs[i].Aliases...)
	}
	object, suggestion := strictjson.Value{Kind: strictjson.Object}, ""
	for _, c := range doubtful {
		meant, near := spelling.Guess(withoutUnit(&sdk.Field{}, c.name), known)
		if f, ok := t.nearest(c.name); ok {
			near, meant = true, asColumn(f, c.name)
		} else if pin, ok := nearPin(c.name); ok {
			near, meant = true, pin
		}
		if !near && !all {
			continue
		}
		if len(object.Members) == 0 && meant != "" {
			suggestion = "Did you mean " + meant + "?"
		}
		object.Members = append(object.Members, strictjson.Member{Name: c.name})
	}
	if len(object.Members) == 0 {
		return nil
	}
	_, _, err := request.Read(spec, object)
	p := problem.Of(err)
	if suggestion != "" {
		p.Suggestion = suggestion
	}
	p.Suggestion += " Rename a column that is not an input, or declare it as a tag."
	if none {
		p.Suggestion += " The first record of a table names its inputs, so leave out a title above it."
	}
	return p
}

// asColumn returns the name for the column of an input, in the unit of a header.
func asColumn(f *sdk.Field, header string) string {
	unit := strings.TrimFunc(header[len(withoutUnit(f, header)):], func(r rune) bool { return endsHead(r) || strings.ContainsRune("[]()", r) })
	if !isUnitOf(f, unit) {
		return f.Name
	}
	return f.Name + " [" + unit + "]"
}
