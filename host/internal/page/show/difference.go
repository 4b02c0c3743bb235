package show

import (
	"math"
	"math/big"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// Difference is the difference of a number B from a number A. Both parts are computed exactly from the two binary64 numbers,
// and rounded once.
type Difference struct {
	Relative *inexact // in percent of the magnitude of A; nil if A is zero
	Absolute inexact
	Unit     string // of Absolute

	Ratio float64 // of Relative
}

// inexact is a number for people, and the binary64 nearest to its exact value.
type inexact struct {
	Number wording.Number // with a sign
	Full   string
}

// DifferenceOf returns the difference of b from a. Both are in the unit of the field, and the difference is in the given unit.
// ok is false if they have the same bits.
func DifferenceOf(a, b float64, unit Unit, digits wording.Precision) (d Difference, ok bool) {
	if math.Float64bits(a) == math.Float64bits(b) {
		return d, false
	}
	from := new(big.Rat).SetFloat64(a)
	exact := new(big.Rat).SetFloat64(b)
	exact.Sub(exact, from)
	d.Absolute, d.Unit = inexactOf(unit.Difference(exact), 1, digits), unit.Text()
	if from.Sign() != 0 {
		from.Abs(from)
		ratio := inexactOf(new(big.Rat).Quo(exact, from), 100, digits)
		d.Relative = &ratio
		d.Ratio, _ = new(big.Rat).Quo(exact, from).Float64()
	}
	return d, true
}

// inexactOf returns a number times a factor for people, and the number in full precision.
func inexactOf(exact *big.Rat, factor int64, digits wording.Precision) inexact {
	full, _ := exact.Float64()
	shown, _ := new(big.Rat).Mul(exact, big.NewRat(factor, 1)).Float64()
	n := digits.Format(shown)
	if exact.Sign() > 0 {
		n.Mantissa = "+" + n.Mantissa
	}
	return inexact{n, strconv.FormatFloat(full, 'g', -1, 64)}
}

// InUnitOf converts a number of one field into the unit of another field, exactly and rounded once. It returns false if the
// fields do not have the same quantity.
func InUnitOf(x float64, from, to *sdk.Field) (float64, bool) {
	if from.Unit == to.Unit || from.Unit == "" || to.Unit == "" {
		return x, true
	}
	f, known := units.Lookup(from.Unit)
	t, also := units.Lookup(to.Unit)
	if !known || !also || f.Quantity != t.Quantity {
		return 0, false
	}
	if wording.IsDifference(from) {
		f, t = f.Difference(), t.Difference()
	}
	exact := new(big.Rat).SetFloat64(x)
	converted, _ := units.Convert(exact, f, t).Float64()
	return converted, true
}
