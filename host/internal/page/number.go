package page

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// digits is how many significant digits of a number a page shows. The exact number is shown
// beside it.
const digits = 6

// number is a number for people: a mantissa and, if there is one, a power of ten.
type number struct{ Mantissa, Exponent string }

// formatNumber returns f with six significant digits, like formatted in the API, but with a
// typographic minus sign.
func formatNumber(f float64) number {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f+0, 'g', digits, 64), "e")
	exponent = strings.TrimPrefix(exponent, "+")
	if negative, ok := strings.CutPrefix(exponent, "-"); ok {
		exponent = "−" + strings.TrimLeft(negative, "0")
	} else {
		exponent = strings.TrimLeft(exponent, "0")
	}
	return number{strings.Replace(mantissa, "-", "−", 1), exponent}
}

// isShort reports whether formatNumber shows f without rounding.
func isShort(f float64) bool {
	back, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
	return err == nil && back == f
}

// shortest returns the decimal that the API answers.
func shortest(f float64) string { return string(value.AppendNumber(nil, f)) }

// inUnit is a quantity in a unit other than the one it was computed in.
type inUnit struct {
	Number number
	Unit   string
}

// scaled returns the quantity in a unit that differs by a power of ten, if the number is very
// small or very large in its own unit. Powers of a thousand are preferred.
func scaled(f float64, unit string) (inUnit, bool) {
	own, ok := units.Lookup(unit)
	if a := math.Abs(f); !ok || f == 0 || a >= 0.1 && a < 10_000 {
		return inUnit{}, false
	}
	// The best unit brings the number closest to 10. Powers of ten that are not powers of a
	// thousand count as one order of magnitude further away.
	best, distance := units.Unit{}, math.Inf(1)
	for _, u := range units.Of(own.Quantity) {
		power, ok := powerOfTen(u.Factor)
		if !ok || u.ID == own.ID || u.Offset != nil || u.Pi {
			continue
		}
		x := math.Abs(convert(f, own, u))
		d := math.Abs(math.Log10(x) - 1)
		if power%3 != 0 {
			d++
		}
		if x >= 1 && x < 10_000 && d < distance {
			best, distance = u, d
		}
	}
	if best.ID == "" {
		return inUnit{}, false
	}
	return inUnit{formatNumber(convert(f, own, best)), formula.FormatUnit(best.ID)}, true
}

// inOthers returns the quantity in all other units of its kind.
func inOthers(f float64, unit string) []inUnit {
	own, ok := units.Lookup(unit)
	if !ok {
		return nil
	}
	var others []inUnit
	seen := map[string]bool{formula.FormatUnit(own.ID): true}
	for _, u := range units.Of(own.Quantity) {
		if text := formula.FormatUnit(u.ID); !seen[text] && u.Offset == nil && own.Offset == nil {
			seen[text] = true
			others = append(others, inUnit{formatNumber(convert(f, own, u)), text})
		}
	}
	return others
}

// convert converts exactly and rounds once.
func convert(f float64, from, to units.Unit) float64 {
	exact := new(big.Rat).SetFloat64(f)
	if exact == nil {
		return f
	}
	x, _ := units.Convert(exact, from, to).Float64()
	return x
}

// powerOfTen returns n if r is 10^n.
func powerOfTen(r *big.Rat) (n int, ok bool) {
	if r == nil {
		return 0, true
	}
	digits := r.Num().String()
	if !r.IsInt() {
		if digits != "1" {
			return 0, false
		}
		digits = r.Denom().String()
	}
	return len(digits) - 1, strings.TrimRight(digits, "0") == "1"
}
