// Package outputs selects the results of a calculation for a table or a cell, converts them to the
// requested units, and writes them. Use [Choose] once per request, and [Choice.Of] or
// [Choice.AppendTexts] for each result.
package outputs

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Choice is a selection of outputs of a Spec. A number may have another unit than in the Spec.
type Choice struct {
	spec  *sdk.Spec
	at    []int         // indexes of the chosen outputs, in the order of their names
	units []*units.Unit // of each output; nil: the unit of the Spec

	system customary.System // for outputs without a unit
}

// Choose selects the outputs with these names, or all outputs if there are none. inUnits has their units:
// "delta=mm", or "mm" if one output is chosen. The error is an [*sdk.Error].
func Choose(spec *sdk.Spec, names, inUnits []string) (*Choice, error) {
	c := &Choice{spec: spec}
	for _, name := range names {
		at, err := c.find("output", name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(c.at, at) {
			return nil, sdk.Conflict("output", "%s is asked for twice", name).Suggest("Name each output once.")
		}
		c.at = append(c.at, at)
	}
	if len(names) == 0 {
		for i := range spec.Outputs {
			c.at = append(c.at, i)
		}
	}
	c.units = make([]*units.Unit, len(c.at))
	for _, text := range inUnits {
		if err := c.setUnit(text); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// find returns the index of an output in the Spec.
func (c *Choice) find(field, name string) (int, error) {
	var known []string
	for i := range c.spec.Outputs {
		if c.spec.Outputs[i].Name == name {
			return i, nil
		}
		known = append(known, c.spec.Outputs[i].Name)
	}
	suggestion := "The outputs are " + strings.Join(known, ", ") + "."
	if guess, ok := spelling.Guess(name, known); ok {
		suggestion = "Did you mean " + guess + "?"
	}
	return 0, sdk.Reject(request.CodeUnknownOutput, field, "%q is not an output of this calculation", request.Clip(name)).Suggest(suggestion)
}

func (c *Choice) setUnit(text string) error {
	name, unit, named := strings.Cut(text, "=")
	k := 0
	switch {
	case named:
		at, err := c.find("unit", name)
		if err != nil {
			return err
		}
		k = slices.Index(c.at, at)
		if k < 0 {
			return sdk.Reject(request.CodeUnknownOutput, "unit", "a unit is chosen for %s, which is not asked for", name).Suggest("Leave it out, or ask for " + name + ", too.")
		}
	case len(c.at) == 1:
		unit = text
	default:
		return sdk.Reject(request.CodeUnknownOutput, "unit", "%q does not say which output it is for", request.Clip(text)).
			Suggest("Name the output: " + c.spec.Outputs[c.at[0]].Name + "=" + request.Clip(text) + ".")
	}
	f := &c.spec.Outputs[c.at[k]]
	if c.units[k] != nil {
		return sdk.Conflict("unit", "two units are chosen for %s", f.Name).Suggest("Choose one.")
	}
	u, err := ReadUnit(f, unit)
	c.units[k] = u
	return err
}

// ReadUnit returns the unit with this text for an output. If the unit of an output depends on an input,
// it is compared later, when the input is known.
func ReadUnit(f *sdk.Field, text string) (*units.Unit, error) {
	own, known := units.Lookup(f.Unit)
	if !isNumber(f) || !known && f.UnitBy == nil {
		return nil, sdk.Reject(request.CodeIncompatibleUnit, "unit", "%s cannot be converted to %s: it is not a number with a unit of the table", f.Name, request.Clip(text)).
			Suggest("Leave the unit out.")
	}
	u, ok := formula.ReadUnit(strings.TrimSpace(text), own.Quantity)
	switch {
	case !ok:
		return nil, sdk.Reject(request.CodeUnknownUnit, "unit", "unknown unit %q", request.Clip(text)).Suggest(others(own, text))
	case f.UnitBy == nil && u.Quantity != own.Quantity:
		return nil, incompatible(f.Name, f.Unit, u, own)
	}
	return &u, nil
}

// Unit returns the unit that was chosen for an output.
func (c *Choice) Unit(name string) (units.Unit, bool) {
	for k, at := range c.at {
		if c.spec.Outputs[at].Name == name && c.units[k] != nil {
			return *c.units[k], true
		}
	}
	return units.Unit{}, false
}

func incompatible(name, unit string, to, own units.Unit) error {
	return sdk.Reject(request.CodeIncompatibleUnit, "unit", "%s (%s) cannot be converted to %s", name, formula.FormatUnit(unit), formula.FormatUnit(to.ID)).Suggest(others(own, ""))
}

// others suggests units instead of a text.
func others(own units.Unit, text string) string {
	if own.Quantity == "" {
		return "GET /api/v1/calc/{id} has the unit of each output."
	}
	return request.SuggestUnit(text, own.Quantity)
}

func isNumber(f *sdk.Field) bool { return f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger }

// Fields returns the chosen outputs in their chosen units. A unit that depends on an input is not
// known yet.
func (c *Choice) Fields() []sdk.Field {
	fields := make([]sdk.Field, len(c.at))
	for k, at := range c.at {
		fields[k] = c.spec.Outputs[at]
		if c.units[k] != nil {
			fields[k].Unit, fields[k].Type = c.units[k].ID, sdk.TypeNumber
		}
	}
	return fields
}

// Header returns the names of the outputs, each with its unit in brackets.
func (c *Choice) Header() []string {
	var header []string
	for _, f := range c.Fields() {
		if f.Unit != "" {
			f.Name += " [" + f.Unit + "]"
		}
		header = append(header, f.Name)
	}
	return header
}

// Of returns the chosen outputs of a result: fields with their actual units, and the values in these
// units. It converts the decimal from the API response exactly and rounds once. The error is an
// [*sdk.Error] in two cases. A unit that depends on an input does not fit the chosen one. Or a number in
// the chosen unit is beyond binary64.
func (c *Choice) Of(o *sdk.Outcome) (fields []sdk.Field, values value.Values, err error) {
	spec := c.spec.At(o.Inputs)
	fields, values = make([]sdk.Field, len(c.at)), make(value.Values, len(c.at))
	for k := range c.at {
		f, v, err := c.of(spec, o, k)
		if err != nil {
			return nil, nil, err
		}
		fields[k], values[k] = *f, v
	}
	return fields, values, nil
}

// of returns the k-th chosen output, of a Spec with the units of the result.
func (c *Choice) of(spec *sdk.Spec, o *sdk.Outcome, k int) (*sdk.Field, value.Value, error) {
	at := c.at[k]
	f, v := &spec.Outputs[at], o.Result[at]
	if c.units[k] == nil || v.Kind() == value.Absent {
		return c.inSystem(spec, f, v)
	}
	own := *f
	v, err := convert(spec, &own, v, *c.units[k])
	return &own, v, err
}

func convert(spec *sdk.Spec, f *sdk.Field, v value.Value, to units.Unit) (value.Value, error) {
	q, ok := customary.Of(spec, f.Unit, f.Difference)
	if !ok || q.Unit.Quantity != to.Quantity {
		return v, incompatible(f.Name, f.Unit, to, q.Unit)
	}
	x := v.Number()
	converted := q.Convert(x, to)
	if vanished := converted == 0 && x != 0 && to.Offset == nil && q.Unit.Offset == nil; vanished || math.IsInf(converted, 0) {
		return v, sdk.Reject(sdk.CodeNonFiniteResult, "unit", "%s is %s %s, which binary64 cannot hold in %s", f.Name, value.AppendNumber(nil, x), f.Unit, to.ID).
			Suggest("Choose another unit.")
	}
	f.Unit, f.Type = to.ID, sdk.TypeNumber // an integer may become a fraction in another unit
	return value.NumberOf(converted), nil
}

// Each calls f with each chosen output of a result. The errors are the same as from Of.
func (c *Choice) Each(o *sdk.Outcome, f func(*sdk.Field, value.Value)) error {
	spec := c.spec.At(o.Inputs)
	for k := range c.at {
		field, v, err := c.of(spec, o, k)
		if err != nil {
			return err
		}
		f(field, v)
	}
	return nil
}

// AppendTexts appends the chosen outputs of a result as texts, with all digits and the given decimal
// mark. The errors are the same as from Of.
func (c *Choice) AppendTexts(texts []string, o *sdk.Outcome, d typed.Decimals) ([]string, error) {
	err := c.Each(o, func(f *sdk.Field, v value.Value) {
		text := Text(f, v)
		if v.Kind() == value.Number {
			text = d.Write(text)
		}
		texts = append(texts, text)
	})
	return texts, err
}

// Text returns a value as the text of a cell: text without quotes, all other values as JSON.
func Text(f *sdk.Field, v value.Value) string {
	switch v.Kind() {
	case value.Absent:
		return ""
	case value.Text, value.Exact:
		return v.Text()
	case value.Number:
		var buffer [32]byte
		return string(v.AppendNumber(buffer[:0]))
	}
	return string(response.AppendValue(nil, f, v))
}

// HarmlessCell is [visible.Cell] for a cell that may contain a number. A signed number stays unchanged,
// with or without a unit.
func HarmlessCell(cell string) string {
	if harmless := visible.Cell(cell); len(harmless) == len(cell) || !signedNumber.MatchString(cell) {
		return harmless
	}
	return cell
}

var signedNumber = regexp.MustCompile(`^[-+][0-9.,][^(|!]*$`)
