// Package show formats the values of a calculation in the units and with the digits of the reader. [NewReading] makes
// a [Reading] from the view of a URL. Its methods return each [Quantity], [Listing] and [Difference] for a page.
// [Drawn] converts a plot to the axes that [AskedAxes] reads from a query.
package show

import (
	"cmp"

	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// Reading formats the numbers of one calculation for one reader.
type Reading struct {
	Spec    *sdk.Spec
	View    *address.View
	sent    []string            // units of inputs as the client sent them, in the order of the Spec; "" for no unit
	entered []string            // texts of inputs with their units, "" if not sent
	lists   []*strictjson.Value // lists as the client sent them, nil if not sent
	reader  *customary.Reader
}

// NewReading returns the Reading of an answer. The inputs are a JSON object as the client sent it.
func NewReading(v *address.View, spec *sdk.Spec, inputs strictjson.Value) *Reading {
	n := len(spec.Inputs)
	r := &Reading{Spec: spec, View: v, sent: make([]string, n), entered: make([]string, n), lists: make([]*strictjson.Value, n)}
	var all []string
	for i := range inputs.Members {
		m := &inputs.Members[i]
		at := spec.Input(m.Name)
		if at < 0 {
			continue
		}
		f := &spec.Inputs[at]
		if m.Value.Kind == strictjson.Array {
			r.lists[at] = &m.Value
			continue
		}
		text, unit := Literal(f, m.Value)
		if text == "" || f.Type != sdk.TypeNumber {
			continue
		}
		if unit != "" { // the unit of a bare number is not a choice: the client may only have SI, or not care
			all = append(all, unit)
		}
		unit = cmp.Or(unit, f.Unit)
		r.sent[at], r.entered[at] = unit, WithUnit(text, unit)
	}
	r.reader = customary.NewReader(v.Units, all...)
	return r
}

// Literal returns a number as the client sent it, and its unit if it has one. One text can have both.
func Literal(f *sdk.Field, v strictjson.Value) (number, unit string) {
	if v.Kind == strictjson.Object {
		in, _ := v.Member("unit")
		v, _ = v.Member("value")
		unit = in.Text
	}
	switch v.Kind {
	case strictjson.Number:
		return v.Text, unit
	case strictjson.String:
		if unit == "" {
			if r, err := typed.Read(f, v.Text, typed.Numbers); err == nil {
				return r.Number, r.Unit
			}
		}
		return v.Text, unit
	}
	return "", ""
}

// WithUnit returns a number with its unit, which can be "".
func WithUnit(number, unit string) string {
	if unit == "" {
		return number
	}
	return number + " " + formula.FormatUnit(unit)
}

// quantity returns the quantity of a field. It reports false if there is only one unit for the field.
func (r *Reading) quantity(f *sdk.Field) (customary.Quantity, bool) {
	if f.UnitBy != nil {
		return customary.Quantity{}, false // the client asked for the unit
	}
	return customary.Of(r.Spec, f.Unit, wording.IsDifference(f))
}

// unit returns the unit for an output: the chosen one, otherwise the unit of the input with the same name, otherwise a
// customary unit.
func (r *Reading) unit(f *sdk.Field, q customary.Quantity, x float64) units.Unit {
	id := r.View.Unit(f.Name)
	if at := r.Spec.Input(f.Name); id == "" && at >= 0 && r.View.Units == customary.AsEntered && r.sent[at] != f.Unit {
		id = r.sent[at]
	}
	if u, ok := units.Lookup(id); ok && u.Quantity == q.Unit.Quantity && q.Fits(x, u) {
		return u
	}
	return r.reader.Unit(q, x)
}

// Steps returns what shows the numbers of worked steps to the reader.
func (r *Reading) Steps() customary.Steps {
	return customary.Steps{Reader: r.reader, Digits: cmp.Or(int(r.View.Digits), wording.Digits), Chosen: func(spec *sdk.Spec, f *sdk.Field) (units.Unit, bool) {
		if spec.Capability != r.Spec.Capability {
			return units.Unit{}, false // a calculation that this one calls
		}
		if id := r.View.Unit(f.Name); id != "" {
			return units.Lookup(id)
		}
		if at := r.Spec.Input(f.Name); at >= 0 && r.sent[at] != f.Unit {
			return r.reader.Entered(r.sent[at])
		}
		return units.Unit{}, false
	}}
}
