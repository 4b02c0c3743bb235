package page

import (
	"math/big"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// shownUnit is the unit in which all numbers of a field are shown.
type shownUnit struct {
	id  string
	own customary.Quantity
	to  units.Unit // zero if the numbers are shown as they are
}

// shownIn returns the unit in which the reader is shown numbers of an output up to the largest one.
func (r *reading) shownIn(f *sdk.Field, largest float64) shownUnit {
	own, ok := r.quantity(f)
	if !ok {
		return shownUnit{id: f.Unit}
	}
	u := r.unit(f, own, largest)
	return shownUnit{u.ID, own, u}
}

func (u *shownUnit) text() string { return formula.FormatUnit(u.id) }

// of returns a number in the unit.
func (u *shownUnit) of(x float64) float64 {
	if u.to.ID == "" {
		return x
	}
	return u.own.Convert(x, u.to)
}

// difference returns the exact difference of two numbers in the unit.
func (u *shownUnit) difference(exact *big.Rat) *big.Rat {
	if u.to.ID == "" || u.to.ID == u.own.Unit.ID {
		return exact
	}
	return units.Convert(exact, u.own.Unit.Difference(), u.to.Difference())
}
