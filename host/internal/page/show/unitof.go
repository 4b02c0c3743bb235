package show

import (
	"math/big"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// Unit is the unit of all shown numbers of a field.
type Unit struct {
	ID  string
	own customary.Quantity
	to  units.Unit // zero if the numbers are not converted
}

// ShownIn returns the unit for all numbers of an output. It is chosen for the largest number.
func (r *Reading) ShownIn(f *sdk.Field, largest float64) Unit {
	own, ok := r.quantity(f)
	if !ok {
		return Unit{ID: f.Unit}
	}
	u := r.unit(f, own, largest)
	return Unit{u.ID, own, u}
}

// UnitOf returns the unit of the Spec, for a field with numbers that are not converted.
func UnitOf(f *sdk.Field) Unit { return Unit{ID: f.Unit} }

// Takes reports whether numbers of the field can be shown in the unit.
func (u *Unit) Takes(f *sdk.Field) bool { return u.own.Unit.ID == f.Unit || u.to.ID == "" }

// Text returns the unit for people.
func (u *Unit) Text() string { return formula.FormatUnit(u.ID) }

// Of returns a number in the unit.
func (u *Unit) Of(x float64) float64 {
	if u.to.ID == "" {
		return x
	}
	return u.own.Convert(x, u.to)
}

// Converts reports whether numbers in the unit differ from numbers in the unit of the Spec.
func (u *Unit) Converts() bool { return u.to.ID != "" && u.to.ID != u.own.Unit.ID }

// Step returns a difference of two numbers in the unit.
func (u *Unit) Step(x float64) float64 {
	if !u.Converts() {
		return x
	}
	q := u.own
	q.Difference = true
	return q.Convert(x, u.to)
}

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
	return Unit{u.ID, own, u}
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

// difference returns the exact difference of two numbers in the unit.
func (u *Unit) difference(exact *big.Rat) *big.Rat {
	if u.to.ID == "" || u.to.ID == u.own.Unit.ID {
		return exact
	}
	return units.Convert(exact, u.own.Unit.Difference(), u.to.Difference())
}
