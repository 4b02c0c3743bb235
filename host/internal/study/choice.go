package study

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/units"
)

// Choice holds the units that a client chose for the inputs and outputs of a study.
type Choice struct {
	System customary.System
	Unit   []string // delta=mm, or mm if the study has one output

	spec   *sdk.Spec
	inputs map[string]units.Unit
	of     *outputs.Choice
}

// Choose reads the units that a client chose, nil if it chose none. The error is an [*sdk.Error].
func (s *Study) Choose(system customary.System, inUnits []string) (*Choice, error) {
	if system == customary.AsEntered && len(inUnits) == 0 {
		return nil, nil
	}
	c := &Choice{System: system, Unit: inUnits, spec: s.spec, inputs: map[string]units.Unit{}}
	known := s.withUnits()
	var rest []string
	for _, text := range inUnits {
		name, unit, named := strings.Cut(text, "=")
		at := s.spec.Input(name)
		isOutput := slices.Contains(s.Plan.Output, name)
		if !named || isOutput || at < 0 {
			rest = append(rest, text)
		}
		if !named || at < 0 {
			continue
		}
		f := &s.spec.Inputs[at]
		if !slices.Contains(s.changed, at) {
			if !isOutput {
				return nil, sdk.Reject(request.CodeUnknownOutput, "unit", "a unit is chosen for %s, which the study does not change", f.Name).Suggest("Leave it out.")
			}
			continue
		}
		if _, twice := c.inputs[f.Name]; twice {
			return nil, sdk.Conflict("unit", "two units are chosen for %s", f.Name).Suggest("Choose one.")
		}
		u, err := outputs.ReadUnit(&known.Inputs[at], unit)
		if err != nil {
			return nil, err
		}
		c.inputs[f.Name] = *u
	}
	of, err := outputs.Choose(known, s.Plan.Output, rest)
	if err != nil {
		return nil, err
	}
	c.of = of.In(system)
	return c, nil
}

// In returns the result in the chosen units. A nil choice returns the result itself. The error is an [*sdk.Error].
func (c *Choice) In(r *Result) (*Result, error) {
	if c == nil {
		return r, nil
	}
	in, ok := r.In(c)
	if !ok {
		return nil, sdk.Reject(sdk.CodeNonFiniteResult, "unit", "binary64 cannot have a number of the study in the chosen units").Suggest("Choose other units.")
	}
	return in, nil
}

// Show adds the table of a result in the chosen units to the result, if there is a choice. The error is an [*sdk.Error].
func (c *Choice) Show(r *Result) error {
	if c == nil {
		return nil
	}
	in, err := c.In(r)
	if err != nil {
		return err
	}
	t := in.Table(nil)
	r.Shown = &Shown{c.System, c.Unit, t.Head, t.Rows}
	return nil
}

// Input implements [Units].
func (c *Choice) Input(q *Quantity, largest float64) customary.Shown {
	f := &c.spec.Inputs[c.spec.Input(q.Name)]
	u, chosen := c.inputs[f.Name]
	return c.shown(f, u, chosen, largest)
}

// Output implements [Units].
func (c *Choice) Output(q *Quantity, largest float64) customary.Shown {
	f := &c.spec.Outputs[slices.IndexFunc(c.spec.Outputs, func(f sdk.Field) bool { return f.Name == q.Name })]
	u, chosen := c.of.Unit(f.Name)
	return c.shown(f, u, chosen, largest)
}

func (c *Choice) shown(f *sdk.Field, u units.Unit, chosen bool, largest float64) customary.Shown {
	q, ok := customary.Of(c.spec, f.Unit, customary.IsDifference(f))
	switch {
	case !ok, !chosen && (f.UnitBy != nil || c.System == customary.AsEntered):
		return customary.UnitOf(f)
	case !chosen:
		u = customary.NewReader(c.System).Unit(q, largest)
	}
	return q.In(u)
}

// Texts implements [Units].
func (c *Choice) Texts() calc.Reader { return c.of.Steps() }

// withUnits returns the Spec for reading chosen units. A unit that depends on an input is known, unless the study changes the input.
func (s *Study) withUnits() *sdk.Spec {
	spec := *s.spec
	known := func(list []sdk.Field) []sdk.Field {
		list = slices.Clone(list)
		for i := range list {
			f := &list[i]
			if f.UnitBy != nil && slices.Contains(s.changed, spec.Input(f.UnitBy.Input)) {
				f.Unit = ""
			}
			f.UnitBy = nil
		}
		return list
	}
	spec.Inputs, spec.Outputs = known(s.spec.Inputs), known(s.spec.Outputs)
	return &spec
}
