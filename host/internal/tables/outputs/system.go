package outputs

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// Systems are the names of the systems of units that callers can ask for.
var Systems = []string{string(customary.US), string(customary.Metric), string(customary.SI)}

// InSystem adds the customary units of a system to the units of outputs, for all outputs that have none there. Each output
// has one unit, so that it fits a column.
func InSystem(spec *sdk.Spec, inUnits []string, system customary.System) []string {
	if system == customary.AsEntered {
		return inUnits
	}
	isNamed := func(name string) bool {
		return slices.ContainsFunc(inUnits, func(text string) bool { return !strings.Contains(text, "=") || strings.HasPrefix(text, name+"=") })
	}
	all := slices.Clone(inUnits)
	for i := range spec.Outputs {
		f := &spec.Outputs[i]
		q, ok := customary.OfField(spec, f)
		if !ok || !isNumber(f) || isNamed(f.Name) {
			continue
		}
		if u := customary.Preset(system, q); u.ID != f.Unit {
			all = append(all, f.Name+"="+u.ID)
		}
	}
	return all
}

// In shows outputs without a chosen unit in the customary units of a system. The size of a number decides among them.
func (c *Choice) In(system customary.System) *Choice {
	c.system = system
	return c
}

// inSystem returns a number in the customary unit of the system.
func (c *Choice) inSystem(spec *sdk.Spec, f *sdk.Field, v value.Value) (*sdk.Field, value.Value, error) {
	if !c.HasSystem() || v.Kind() != value.Number {
		return f, v, nil
	}
	q, ok := customary.OfField(spec, f)
	if !ok {
		return f, v, nil
	}
	u := customary.NewReader(c.system).Unit(q, v.Number())
	if u.ID == f.Unit {
		return f, v, nil
	}
	own := *f
	own.Unit, own.Type = u.ID, sdk.TypeNumber
	return &own, value.NumberOf(q.Convert(v.Number(), u)), nil
}

// HasSystem reports whether outputs are shown in the units of a system.
func (c *Choice) HasSystem() bool { return c.system != customary.AsEntered }

// Inputs returns the inputs of a result in the units of the system, or in the units of the Spec if there is no system.
func (c *Choice) Inputs(o *sdk.Outcome) (fields []sdk.Field, values value.Values, err error) {
	spec := c.spec.At(o.Inputs)
	fields, values = slices.Clone(spec.Inputs), slices.Clone(o.Inputs)
	for i := range fields {
		f, v, err := c.inSystem(spec, &spec.Inputs[i], o.Inputs[i])
		if err != nil {
			return nil, nil, err
		}
		fields[i], values[i] = *f, v
	}
	return fields, values, nil
}

// Formatted returns the result for people, as [response.Format] does. The errors are the same as from Of.
func (c *Choice) Formatted(o *sdk.Outcome) (string, error) {
	fields, values, err := c.Of(o)
	if err != nil {
		return "", err
	}
	_, text := response.Format(fields, values)
	return text, nil
}

// digits is the number of significant digits of numbers for people.
const digits = 6

// Steps returns what shows the numbers of worked steps in the units of the system, nil if there is no system.
func (c *Choice) Steps() calc.Reader {
	if !c.HasSystem() {
		return nil
	}
	return customary.Steps{Reader: customary.NewReader(c.system), Digits: digits, Chosen: func(spec *sdk.Spec, f *sdk.Field) (units.Unit, bool) {
		if spec.Capability != c.spec.Capability {
			return units.Unit{}, false
		}
		return c.Unit(f.Name)
	}}
}
