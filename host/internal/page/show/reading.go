// Package show shows the values of a calculation to a reader, in the units of that reader.
package show

import (
	"cmp"
	"slices"

	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// Reading is how the numbers of one calculation are shown to one reader.
type Reading struct {
	Spec    *sdk.Spec
	View    *address.View
	sent    []string            // units in which inputs were sent, in the order of the Spec; "" for no unit
	entered []string            // texts of those inputs with their units, "" if not sent
	lists   []*strictjson.Value // lists as they were sent, nil if not sent
	reader  *customary.Reader
}

// NewReading returns the reading of an answer to the inputs, a JSON object as it was sent.
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
		if unit != "" { // what is bare may be so because SI is at hand, or because nobody chose
			all = append(all, unit)
		}
		unit = cmp.Or(unit, f.Unit)
		r.sent[at], r.entered[at] = unit, WithUnit(text, unit)
	}
	r.reader = customary.NewReader(v.Units, all...)
	return r
}

// Literal returns a number as it was sent, and its unit if it has one. Both may have been sent as one text.
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

// WithUnit returns a number with its unit, which may be "".
func WithUnit(number, unit string) string {
	if unit == "" {
		return number
	}
	return number + " " + formula.FormatUnit(unit)
}

// quantity returns what a field measures. It reports false if there is only one unit to show its
// numbers in.
func (r *Reading) quantity(f *sdk.Field) (customary.Quantity, bool) {
	if f.UnitBy != nil {
		return customary.Quantity{}, false // the unit is what was asked for
	}
	return customary.Of(r.Spec, f.Unit, wording.IsDifference(f))
}

// unit returns the unit in which the reader is shown a number of an output: the one that was chosen
// for it, that of the input of the same name, or the one that people use.
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

// Elsewhere returns the number of an output as the reader is shown it, if that is in another unit
// than the one of the Spec.
func (r *Reading) Elsewhere(output string, x float64) *wording.InUnit {
	at := slices.IndexFunc(r.Spec.Outputs, func(f sdk.Field) bool { return f.Name == output })
	if at < 0 {
		return nil
	}
	f := &r.Spec.Outputs[at]
	q, ok := r.quantity(f)
	if !ok {
		return nil
	}
	u := r.unit(f, q, x)
	if u.ID == f.Unit {
		return nil
	}
	return &wording.InUnit{Number: wording.FormatNumber(q.Convert(x, u)), Unit: formula.FormatUnit(u.ID)}
}
