package vary

import (
	"math"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// bracket is a proposal for both ends between which a goal is sought, as text with units.
type bracket struct{ From, To string }

// bracketOf proposes a bracket for an input around its number in a calculation, within its range. For an input without a
// number, it uses the default or the example. The ends are in the unit of the reader. It returns false if there is no number to start from.
func bracketOf(spec *sdk.Spec, inputs value.Values, i int, in show.Unit) (bracket, bool) {
	f := &spec.Inputs[i]
	number := func(i int) (float64, bool) {
		if i < 0 || i >= len(inputs) || inputs[i].Kind() != value.Number {
			return 0, false
		}
		return inputs[i].Number(), true
	}
	r := new(sdk.Range)
	if f.Range != nil {
		r = f.Range.Within(func(name string) (float64, bool) { return number(spec.Input(name)) })
	}
	x, ok := number(i)
	if !ok && f.Example != nil {
		parsed, err := strconv.ParseFloat(f.Example.Number, 64)
		x, ok = parsed, err == nil
	}
	if !ok && r.Min != nil && r.Max != nil {
		x, ok = (*r.Min+*r.Max)/2, true
	}
	if !ok || !r.Contains(x) {
		return bracket{}, false
	}
	low, high := around(x, f.Unit)
	low, high, x = short(in.Of(low)), short(in.Of(high)), in.Of(x)
	if r.Min != nil {
		low = inside(low, in.Of(*r.Min), x, r.MinOpen)
	}
	if r.Max != nil {
		high = inside(high, in.Of(*r.Max), x, r.MaxOpen)
	}
	if low >= high {
		return bracket{}, false
	}
	return bracket{withUnit(low, in.Text()), withUnit(high, in.Text())}, true
}

// around returns numbers on both sides of x: a tenth and ten times of it. For an absolute temperature it returns half and
// twice.
func around(x float64, unit string) (low, high float64) {
	factor := 10.0
	if unit == "K" {
		factor = 2
	}
	switch {
	case x > 0:
		return x / factor, x * factor
	case x < 0:
		return x * factor, x / factor
	}
	return -1, 1
}

func short(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil { // larger than every number
		return x
	}
	return rounded
}

// inside moves an end of a bracket into a range that ends at a limit. If the limit itself is outside of the range, the end
// is a little nearer to x.
func inside(end, limit, x float64, open bool) float64 {
	if math.Abs(end-x) < math.Abs(limit-x) && (end < x) == (limit < x) {
		return end
	}
	if open {
		return limit + (x-limit)/1000
	}
	return limit
}

func withUnit(x float64, unit string) string {
	return strings.TrimSpace(strconv.FormatFloat(x, 'g', -1, 64) + " " + unit)
}
