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

// difference returns the exact difference of two numbers in the unit.
func (u *Unit) difference(exact *big.Rat) *big.Rat {
	if u.to.ID == "" || u.to.ID == u.own.Unit.ID {
		return exact
	}
	return units.Convert(exact, u.own.Unit.Difference(), u.to.Difference())
}
