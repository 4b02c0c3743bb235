package show

import (
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// Unit is the unit of all shown numbers of a field.
type Unit = customary.Shown

// ShownIn returns the unit for all numbers of an output. It is chosen for the largest number.
func (r *Reading) ShownIn(f *sdk.Field, largest float64) Unit {
	own, ok := r.quantity(f)
	if !ok {
		return Unit{ID: f.Unit}
	}
	u := r.unit(f, own, largest)
	return own.In(u)
}

// UnitOf returns the unit of the Spec, for a field with numbers that are not converted.
func UnitOf(f *sdk.Field) Unit { return customary.UnitOf(f) }

// InputIn returns the unit for numbers of an input: its entered unit, otherwise a unit of the reader. The largest number
// decides; 0 means the usual unit of the quantity. A bare number has no entered unit, so a reader of US units sees it in a US
// unit.
func (r *Reading) InputIn(at int, largest float64) Unit {
	f := &r.Spec.Inputs[at]
	own, ok := r.quantity(f)
	if !ok {
		return Unit{ID: f.Unit}
	}
	own.Field = f.Name
	u := customary.Preset(r.View.Units, own)
	if largest != 0 {
		u = r.reader.Unit(own, largest)
	}
	if sent, known := units.Lookup(r.sent[at]); known && sent.Quantity == own.Unit.Quantity && (sent.ID != f.Unit || r.View.Units != customary.US) {
		u = sent
	}
	return own.In(u)
}

// inputUnit returns the unit for an input that was not sent. Zero has no size. It is in the unit of another entered input of
// the quantity, otherwise in its usual unit.
func (r *Reading) inputUnit(at int, own customary.Quantity, x float64) units.Unit {
	if x != 0 {
		return r.reader.Unit(own, x)
	}
	if u, ok := r.reader.EnteredFor(own); ok {
		return u
	}
	own.Field = r.Spec.Inputs[at].Name
	return customary.Preset(r.View.Units, own)
}
