package customary

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// OfField returns the quantity of a field. It reports false if the field has only one unit.
func OfField(spec *sdk.Spec, f *sdk.Field) (Quantity, bool) {
	if f.UnitBy != nil {
		return Quantity{}, false // the client asked for the unit
	}
	return Of(spec, f.Unit, IsDifference(f))
}

// IsDifference reports whether a field is the difference of two temperatures. Engines of the first contract cannot declare
// it, so their names and labels decide. Such undeclared differences cannot be entered in units with another zero, such as
// degrees Celsius.
func IsDifference(f *sdk.Field) bool {
	if f.Difference {
		return true
	}
	if own, ok := units.Lookup(f.Unit); !ok || own.Quantity != "temperature" {
		return false
	}
	return slices.ContainsFunc([]string{"change", "difference", "rise", "drop", "delta"}, func(word string) bool {
		return strings.Contains(f.Name, word) || strings.Contains(strings.ToLower(f.Label), word)
	})
}

// Entered returns the unit of an input if it belongs to the reader's system.
func (r *Reader) Entered(id string) (units.Unit, bool) {
	u, ok := units.Lookup(id)
	switch r.system {
	case US:
		ok = ok && isAmerican(u)
	case Metric, SI:
		ok = ok && !isAmerican(u)
	}
	return u, ok
}

// InFormula returns a number of a formula in the unit in which the reader sees it. The unit is the SI unit of the number.
// The unit preferred replaces the customary one; it can be the zero value. Temperatures count from absolute zero. The
// returned unit is "" if the number has only one unit in formulas.
func (r *Reader) InFormula(spec *sdk.Spec, unit string, difference bool, preferred units.Unit, x float64) (y float64, in string) {
	q, listed := Of(spec, unit, difference)
	if !listed {
		return r.product(spec, unit, x)
	}
	if isOther(q.Unit) {
		return x, ""
	}
	to := preferred
	if to.Quantity != q.Unit.Quantity || !q.Fits(x, to) {
		to = r.Unit(q, x)
	}
	if to.Offset != nil && !difference {
		to, _ = units.Lookup("K")
		if isAmerican(r.Unit(q, x)) {
			to, _ = units.Lookup("degR")
		}
	}
	return q.Convert(x, to), to.ID
}

// product returns a number of a unit that only formulas have, such as N m3, with the customary unit of each factor.
func (r *Reader) product(spec *sdk.Spec, unit string, x float64) (y float64, in string) {
	factors, ok := units.Factors(unit)
	if !ok {
		return x, ""
	}
	var above, below []string
	for _, f := range factors {
		q, listed := Of(spec, f.Unit, true)
		if !listed && f.Unit != "mol" && f.Unit != "cd" {
			return x, ""
		}
		word, power := f.Unit, ratio(f.Num, f.Den)
		if to := r.factor(q); listed && to.ID != f.Unit {
			scale := q.Convert(1, to)
			exponent := float64(f.Num) / float64(f.Den)
			if f.Divides {
				exponent = -exponent
			}
			word, x = to.ID, x*math.Pow(scale, exponent)
		}
		if f.Divides {
			below = append(below, word+power)
		} else {
			above = append(above, word+power)
		}
	}
	in = strings.Join(above, " ")
	switch {
	case len(below) == 0:
		return x, in
	case in == "":
		in = "1"
	}
	if len(below) == 1 {
		return x, in + "/" + below[0]
	}
	return x, in + "/(" + strings.Join(below, " ") + ")"
}

// factor returns the unit of a factor of a product. It is one word, and does not depend on the size of a number.
func (r *Reader) factor(q Quantity) units.Unit {
	system := r.system
	if system == AsEntered {
		system = r.leaning()
	}
	if system != US {
		return q.Unit
	}
	to := Preset(US, q)
	switch q.Unit.ID {
	case "N":
		to, _ = units.Lookup("lbf")
	case "K":
		to, _ = units.Lookup("degR")
	}
	if len(words(to.ID)) != 1 || words(to.ID)[0] != to.ID {
		return q.Unit
	}
	return to
}

// ratio returns an exponent as units write it.
func ratio(n, d int64) string {
	switch {
	case n == 1 && d == 1:
		return ""
	case d == 1:
		return strconv.FormatInt(n, 10)
	}
	return "(" + strconv.FormatInt(n, 10) + "/" + strconv.FormatInt(d, 10) + ")"
}

// Steps shows the numbers of worked steps to a reader. It implements the interface Reader of package calc.
type Steps struct {
	*Reader
	Digits int // significant digits of inputs and results

	// Chosen returns the unit of a field that the reader chose or entered. It can be nil.
	Chosen func(spec *sdk.Spec, f *sdk.Field) (units.Unit, bool)
}

func (s Steps) chosen(spec *sdk.Spec, f *sdk.Field) units.Unit {
	if f == nil || s.Chosen == nil {
		return units.Unit{}
	}
	u, ok := s.Chosen(spec, f)
	if !ok {
		return units.Unit{}
	}
	return u
}

// InFormula returns a number of a formula in the unit of the reader. The field is nil if the number has none.
func (s Steps) InFormula(spec *sdk.Spec, f *sdk.Field, unit string, x float64) (shown float64, in string) {
	return s.Reader.InFormula(spec, unit, f != nil && IsDifference(f), s.chosen(spec, f), x)
}

// Value returns a number of an input or a result in the unit of the reader.
func (s Steps) Value(spec *sdk.Spec, f *sdk.Field, x float64) (number, unit string) {
	if f.Money {
		return strconv.FormatFloat(x, 'f', 2, 64), f.Unit
	}
	q, ok := OfField(spec, f)
	if !ok {
		return formula.Rounded(x, s.Digits), f.Unit
	}
	u := s.chosen(spec, f)
	if u.Quantity != q.Unit.Quantity || !q.Fits(x, u) {
		u = s.Unit(q, x)
	}
	return formula.Rounded(q.Convert(x, u), s.Digits), u.ID
}

// InText returns a number of an SI unit for a text that has another unit of its quantity, such as mm or K difference. The
// text keeps a unit that belongs to the reader's system, and kelvins without the word, which can be a difference.
func (r *Reader) InText(spec *sdk.Spec, unit string, x float64) (shown float64, in string) {
	id, difference := strings.CutSuffix(unit, " difference")
	q, listed := Of(spec, id, difference)
	_, belongs := r.Entered(id)
	if !listed || belongs && (r.system != US && r.leaning() != US || isAmerican(q.Unit)) || q.Unit.ID == "K" && !difference {
		return x, ""
	}
	q.Unit = units.SI(q.Unit.Quantity)
	u := r.Unit(q, x)
	return q.Convert(x, u), u.ID
}
