package wording

import (
	"math"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Digits is the number of significant digits on a page. The exact number is next to the rounded one.
const Digits = 6

// Number is a number for people: a mantissa and an optional power of ten.
type Number struct{ Mantissa, Exponent string }

// String returns the number in one line.
func (n *Number) String() string {
	if n.Exponent == "" {
		return n.Mantissa
	}
	return n.Mantissa + " × 10^" + n.Exponent
}

// Precision is the number of significant digits that a reader chose, 0 without a choice.
type Precision int

// The precisions to choose from.
const (
	LeastDigits Precision = 3
	MostDigits  Precision = 10
)

// FormatNumber returns f with six significant digits, as in the member formatted of the API, but with a typographic minus
// sign.
func FormatNumber(f float64) Number { return Precision(0).Format(f) }

// Format returns f with the digits. A power of ten is separate where it is with six digits, or from the digits on.
func (p Precision) Format(f float64) Number {
	digits := int(p)
	if p == 0 {
		digits = Digits
	}
	if digits < Digits {
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
		digits = Digits
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f+0, 'g', digits, 64), "e")
	exponent = strings.TrimPrefix(exponent, "+")
	if negative, ok := strings.CutPrefix(exponent, "-"); ok {
		exponent = "−" + strings.TrimLeft(negative, "0")
	} else {
		exponent = strings.TrimLeft(exponent, "0")
	}
	return Number{strings.Replace(mantissa, "-", "−", 1), exponent}
}

// FormatField returns a number of the field: money with cents, other numbers with six digits.
func FormatField(f *sdk.Field, x float64) Number { return Precision(0).FormatField(f, x) }

// FormatField returns a number of the field: money with cents, other numbers with the digits.
func (p Precision) FormatField(f *sdk.Field, x float64) Number {
	if f.Money {
		return Number{Mantissa: formatMoney(x)}
	}
	return p.Format(x)
}

// formatMoney returns an amount with two decimals. From ten thousand on, it separates groups of three digits.
func formatMoney(x float64) string {
	sign, text := "", strconv.FormatFloat(math.Abs(x), 'f', 2, 64)
	if x < 0 && text != "0.00" {
		sign = "−"
	}
	whole, cents, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0 && len(text) > len("9999.99"); at -= 3 {
		whole = whole[:at] + "\u202f" + whole[at:]
	}
	return sign + whole + "." + cents
}

// Shortest returns the decimal that the API writes.
func Shortest(f float64) string { return string(value.AppendNumber(nil, f)) }

// InUnit is a number of a quantity in one of its units.
type InUnit struct {
	Number Number
	Unit   string
}

// Direction is the side to which a number is rounded.
type Direction int

// The directions of [Round].
const (
	Nearest Direction = iota
	Up
	Down
)

// Round returns x with the significant digits. A result that is rounded up is not below x, and a result that is rounded down
// is not above x. The noise of conversions in binary64 does not count.
func Round(x float64, digits int, toward Direction) float64 {
	const noise = 1e-13
	rounded := nearest(x, digits)
	off := rounded - x
	if math.Abs(off) <= noise*math.Abs(x) || toward == Nearest || (off > 0) == (toward == Up) {
		return rounded
	}
	step := math.Pow10(int(math.Floor(math.Log10(math.Abs(x)))) - digits + 1)
	return nearest(rounded-math.Copysign(step, off), digits)
}

// nearest returns the nearest number with the significant digits.
func nearest(x float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil { // beyond the largest number
		return x
	}
	return rounded
}
