package sdk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/value"
)

// UnitBy is the unit of a number that depends on a choice, such as the direction of a
// conversion.
type UnitBy struct {
	Input string            `json:"input"`           // an input that is a choice, and always there
	Units map[string]string `json:"units,omitempty"` // by value of the input; left out if its values are the units
}

// Unit returns the unit for a value of the input.
func (u *UnitBy) Unit(choice string) string {
	if u.Units == nil {
		return choice
	}
	return u.Units[choice]
}

// String describes the units, such as "kVA or A, by dir".
func (u *UnitBy) String() string {
	if u.Units == nil {
		return "that of " + u.Input
	}
	var units []string
	for _, unit := range u.Units {
		units = append(units, unit)
	}
	slices.Sort(units)
	return strings.Join(slices.Compact(units), " or ") + ", by " + u.Input
}

// At returns s with the units of its fields for the inputs. It returns s itself if no unit
// depends on an input.
func (s *Spec) At(inputs value.Values) *Spec {
	if !anyUnitBy(s.Inputs) && !anyUnitBy(s.Outputs) {
		return s
	}
	at := *s
	at.Inputs, at.Outputs = slices.Clone(s.Inputs), slices.Clone(s.Outputs)
	for _, fields := range [][]Field{at.Inputs, at.Outputs} {
		for i := range fields {
			if by := fields[i].UnitBy; by != nil {
				if k := s.Input(by.Input); k >= 0 && k < len(inputs) && inputs[k].Kind() == value.Text {
					fields[i].Unit = by.Unit(inputs[k].Text())
				}
			}
		}
	}
	return &at
}

// anyUnitBy reports whether the unit of a field depends on an input. It copies no fields,
// because it is called for every result.
func anyUnitBy(fields []Field) bool {
	for i := range fields {
		if fields[i].UnitBy != nil {
			return true
		}
	}
	return false
}

// parseUnitBy reads "dir:kva_to_amps=kVA,amps_to_kva=A", or "from" for an input whose values are
// units.
func parseUnitBy(tag string) (*UnitBy, error) {
	if tag == "" {
		return nil, nil
	}
	input, list, listed := strings.Cut(tag, ":")
	u := &UnitBy{Input: input}
	if !listed {
		return u, nil
	}
	u.Units = map[string]string{}
	for _, part := range strings.Split(list, ",") {
		choice, unit, ok := strings.Cut(part, "=")
		if _, twice := u.Units[choice]; !ok || unit == "" || twice {
			return nil, fmt.Errorf("unit_by %q is not an input and its units, such as dir:volts_to_amps=V,amps_to_volts=A", tag)
		}
		u.Units[choice] = unit
	}
	return u, nil
}

// checkUnitsBy returns an error for each unit that a choice does not determine.
func (s *Spec) checkUnitsBy() []error {
	var errs []error
	for _, f := range slices.Concat(s.Inputs, s.Outputs) {
		if f.UnitBy == nil {
			continue
		}
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("unit_by of %q: %s", f.Name, fmt.Sprintf(format, args...)))
		}
		if f.Unit != "" || f.Type != TypeNumber && f.Type != TypeInteger {
			bad("it is for a number that has no other unit")
		}
		at := slices.IndexFunc(s.Inputs, func(in Field) bool { return in.Name == f.UnitBy.Input })
		if at < 0 || len(s.Inputs[at].Enum) == 0 || !s.Inputs[at].Required && s.Inputs[at].Default == "" {
			bad("%q is not an input with an enum that is required or has a default", f.UnitBy.Input)
			continue
		}
		for _, choice := range s.Inputs[at].Enum {
			if f.UnitBy.Unit(choice) == "" {
				bad("there is no unit for %s", choice)
			}
		}
		for choice := range f.UnitBy.Units {
			if !slices.Contains(s.Inputs[at].Enum, choice) {
				bad("%q is not a value of %s", choice, f.UnitBy.Input)
			}
		}
	}
	return errs
}
