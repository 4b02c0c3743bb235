package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// axis is one direction of a picture. It counts in shown units: units of the Spec times a power of ten, so that all
// calculations use numbers of moderate size.
type axis struct {
	name     string
	symbol   string // as LaTeX
	unit     string // with its prefix or power of ten
	power    bool   // the unit starts with a power of ten
	exponent int    // of ten
	log      bool   // logarithmic: ticks divide it into decades

	low, high float64   // shown range; of a logarithmic axis exponents of ten
	step      float64   // between ticks; of a logarithmic axis in decades
	multiples []float64 // of powers of ten that have ticks on a logarithmic axis; several only if step is 1
	decimals  int       // of ticks

	from, to float64 // pixels of low and high
}

// newAxis returns the axis for numbers of an order of magnitude. Its range is not set yet.
func newAxis(a *sdk.Axis, order int) *axis {
	out := &axis{name: a.Label, symbol: a.Symbol, log: a.Log}
	if a.Log {
		out.count(a.Unit, 0)
		return out
	}
	out.count(a.Unit, exponentFor(a.Unit, order))
	return out
}

// exponentFor returns the power of ten for readable numbers of an order of magnitude.
func exponentFor(unit string, order int) int {
	if order >= -1 && order < 3 || !prefixable(unit) && order >= -2 && order < 5 {
		return 0
	}
	return 3 * floorDiv(order, 3)
}

// count sets the power of ten of the unit in which the axis counts.
func (a *axis) count(unit string, exponent int) {
	a.exponent, a.unit, a.power = exponent, formula.FormatUnit(unit), false
	switch prefix, ok := prefixes[exponent]; {
	case exponent == 0:
	case ok && prefixable(unit) && !(unit == "s" && exponent > 0):
		a.unit = prefix + a.unit
	default:
		a.power = true
		a.unit = strings.TrimSpace("10" + superscript(exponent) + " " + a.unit)
	}
}

// order returns the order of magnitude of x: 0 from 1 to 10.
func order(x float64) int {
	if x == 0 {
		return 0
	}
	digits := strconv.FormatFloat(x, 'e', -1, 64)
	exponent, err := strconv.Atoi(digits[strings.IndexByte(digits, 'e')+1:])
	if err != nil {
		panic(err) // FormatFloat always writes an exponent
	}
	return exponent
}

func floorDiv(a, b int) int { return int(math.Floor(float64(a) / float64(b))) }

// scaled returns a value in shown units. It divides in two steps, to prevent overflow and underflow.
func (a *axis) scaled(v float64) float64 {
	half := a.exponent / 2
	return v / math.Pow10(half) / math.Pow10(a.exponent-half)
}

// along returns the position of a value between low and high. A logarithmic axis has no position for values below zero, and
// uses its start for them.
func (a *axis) along(v float64) float64 {
	switch {
	case !a.log:
		return a.scaled(v)
	case v <= 0:
		return a.low
	}
	return math.Log10(v)
}

// span sets the shown range, and widens it if it is too narrow. A logarithmic axis starts and ends at 1, 2 or 5 times a
// power of ten.
func (a *axis) span(low, high float64) {
	if a.log {
		const least = 0.6 // decades
		a.low, a.high = roundDecades(low, false), roundDecades(high, true)
		for a.high-a.low < least {
			a.low, a.high = roundDecades(a.low-least/2, false), roundDecades(a.high+least/2, true)
		}
		return
	}
	if size := max(math.Abs(low), math.Abs(high)); high-low <= 1e-6*size || size == 0 {
		if size == 0 {
			size = 1
		}
		low, high = low-size/2, high+size/2
	}
	a.low, a.high = low, high
}

// within is the tolerance of logarithms, because math.Log10(1000) is not exactly 3.
const within = 1e-9

// roundDecades returns the logarithm of 1, 2 or 5 times a power of ten: the largest below v, or the smallest above it.
func roundDecades(v float64, up bool) float64 {
	decade := math.Floor(v + within)
	if up {
		for _, m := range []float64{1, 2, 5} {
			if rounded := decade + math.Log10(m); rounded >= v-within {
				return min(rounded, math.Log10(math.MaxFloat64))
			}
		}
		return decade + 1
	}
	for _, m := range []float64{5, 2} {
		if rounded := decade + math.Log10(m); rounded <= v+within {
			return rounded
		}
	}
	return decade
}

// divideDecades chooses the ticks of a logarithmic axis: as many as fit next to each other.
func (a *axis) divideDecades(fit func(v, next float64) bool) {
	fits := func() bool {
		ticks := a.ticks()
		for i := 1; i < len(ticks); i++ {
			if !fit(ticks[i-1], ticks[i]) {
				return false
			}
		}
		return len(ticks) < mostTicks
	}
	a.step = 1
	for _, a.multiples = range [][]float64{{1, 2, 3, 4, 5, 6, 8}, {1, 2, 3, 4, 6, 8}, {1, 2, 5}, {1}} {
		if fits() {
			return
		}
	}
	for _, a.step = range []float64{2, 5, 10, 20, 50, 100} {
		if fits() {
			return
		}
	}
}

// divide chooses steps of 1, 2 or 5 times a power of ten, about the given number of them.
func (a *axis) divide(steps float64) {
	raw := (a.high - a.low) / max(1, steps)
	k := order(raw)
	power := math.Pow10(k)
	i := slices.IndexFunc([]float64{1, 2, 5}, func(m float64) bool { return m*power >= raw*(1-1e-9) })
	if i < 0 {
		i, k = 0, k+1
	}
	a.step = []float64{1, 2, 5}[i]
	if k < 0 {
		a.step /= math.Pow10(-k)
	} else {
		a.step *= math.Pow10(k)
	}
	a.decimals = max(0, -k)
}

// round extends the shown range to whole steps.
func (a *axis) round() {
	a.low = math.Floor(a.low/a.step+1e-6) * a.step
	a.high = math.Ceil(a.high/a.step-1e-6) * a.step
}

const mostTicks = 50

// ticks returns the positions of numbers on the axis, in shown units.
func (a *axis) ticks() []float64 {
	if len(a.multiples) > 1 {
		return a.among(a.multiples)
	}
	var out []float64
	for i := math.Ceil(a.low/a.step - 1e-6); i <= math.Floor(a.high/a.step+1e-6) && len(out) < mostTicks; i++ {
		out = append(out, i*a.step+0) // adding 0 turns negative zero into zero
	}
	return out
}

// among returns the positions of multiples of powers of ten.
func (a *axis) among(multiples []float64) (places []float64) {
	for decade := math.Floor(a.low); decade <= a.high; decade++ {
		for _, m := range multiples {
			if v := decade + math.Log10(m); v > a.low-within && v < a.high+within {
				places = append(places, v)
			}
		}
	}
	return places
}

// minors returns positions between ticks, at 1 to 9 times each power of ten, if the axis has few decades.
func (a *axis) minors() []float64 {
	if !a.log || a.step > 1 || a.high-a.low > 6 {
		return nil
	}
	ticks := a.ticks()
	return slices.DeleteFunc(a.among([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}), func(v float64) bool {
		return slices.ContainsFunc(ticks, func(tick float64) bool { return math.Abs(tick-v) < within })
	})
}

func (a *axis) tick(v float64) string {
	if a.log {
		decade := math.Floor(v + within)
		power, m := int(decade), math.Round(math.Pow(10, v-decade))
		switch {
		case a.low >= -3 && a.high <= 4:
			return strconv.FormatFloat(m*math.Pow10(power), 'f', max(0, -power), 64)
		case m == 1:
			return "10" + superscript(power)
		}
		return strconv.FormatFloat(m, 'f', 0, 64) + "×10" + superscript(power)
	}
	if v == 0 {
		return "0"
	}
	return minus(strconv.FormatFloat(v, 'f', a.decimals, 64))
}

// at returns the pixel of a value in shown units, or of an exponent of ten.
func (a *axis) at(v float64) float64 {
	return a.from + (v-a.low)/(a.high-a.low)*(a.to-a.from)
}

// px returns the pixel of a value.
func (a *axis) px(v float64) float64 { return a.at(a.along(v)) }

// format returns a value in shown units with the given number of digits and the unit.
func (a *axis) format(v float64, digits int) string {
	text := formatNumber(a.scaled(v), digits)
	switch {
	case a.unit == "":
		return text
	case v == 0 && a.power:
		return text
	case a.power:
		return text + " × " + a.unit
	}
	return text + "\u00a0" + a.unit
}
