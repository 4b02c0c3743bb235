package customary

import (
	"math/big"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// Shown is the unit of all shown numbers of a field.
type Shown struct {
	ID  string
	own Quantity
	to  units.Unit // zero if the numbers are not converted
}

// In returns the unit for numbers of the quantity, which are converted to it.
func (q Quantity) In(u units.Unit) Shown { return Shown{u.ID, q, u} }

// UnitOf returns the unit of the Spec, for a field with numbers that are not converted.
func UnitOf(f *sdk.Field) Shown { return Shown{ID: f.Unit} }

// Takes reports whether numbers of the field can be shown in the unit.
func (u *Shown) Takes(f *sdk.Field) bool { return u.own.Unit.ID == f.Unit || u.to.ID == "" }

// Text returns the unit for people.
func (u *Shown) Text() string { return formula.FormatUnit(u.ID) }

// Of returns a number in the unit.
func (u *Shown) Of(x float64) float64 {
	if u.to.ID == "" {
		return x
	}
	return u.own.Convert(x, u.to)
}

// Converts reports whether numbers in the unit differ from numbers in the unit of the Spec.
func (u *Shown) Converts() bool { return u.to.ID != "" && u.to.ID != u.own.Unit.ID }

// Step returns a difference of two numbers in the unit.
func (u *Shown) Step(x float64) float64 {
	if !u.Converts() {
		return x
	}
	q := u.own
	q.Difference = true
	return q.Convert(x, u.to)
}

// Difference returns the exact difference of two numbers in the unit.
func (u *Shown) Difference(exact *big.Rat) *big.Rat {
	if !u.Converts() {
		return exact
	}
	return units.Convert(exact, u.own.Unit.Difference(), u.to.Difference())
}

// HasZero reports whether the zero of the unit differs from the zero of the unit of the Spec, as for degrees Celsius.
func (u *Shown) HasZero() bool {
	return u.to.Offset != nil && !u.own.Difference
}
