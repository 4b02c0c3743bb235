// Package boundary finds numbers of requests at which a comparison changes. Generated requests and the judgement of
// mutants use it. Describe the comparison with a [Line], and call [Line.Turn].
package boundary

import (
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk/value"
)

// Line is a number that is varied, with the order of a comparison: the sign of its left side minus its right side.
type Line struct {
	Order func(x float64) (sign int, known bool)
	Legal func(x float64) bool
	Whole bool
}

// Turn looks for an interval between numbers with the order start and with another order, by halving it. It starts between
// from and the first number with another order: an example, a multiple of from, or one of the ends. If small is 0, it goes on
// until no number is between. Otherwise it stops when the interval is relatively small. If both sides are equal at a number
// that it tries, it stops there, and this number is high.
func (l *Line) Turn(from float64, start int, examples, ends []float64, small float64) (low, high float64, equal, found bool) {
	list := examples
	for _, factor := range []float64{2, 0.5, 16, 1. / 16, 1 << 12, 1. / (1 << 12), 0, -1, -16, 1 << 40} {
		list = append(list, from*factor)
	}
	list = append(list, ends...)
	var to float64
	var order int
	for i := 0; i < len(list) && !found; i++ {
		to = list[i]
		if l.Whole {
			to = math.Round(to)
		}
		if !slices.Contains(list[:i], to) && to != from && !math.IsInf(to, 0) && l.Legal(to) {
			order, found = l.Order(to)
			found = found && order != start
		}
	}
	if start == 0 {
		return from, from, true, found
	}
	if !found || order == 0 && small > 0 {
		return from, to, true, found
	}
	for range 80 {
		middle := Between(from, to, l.Whole)
		if middle == from || middle == to || math.Abs(to-from) <= small*max(math.Abs(to), math.Abs(from)) {
			break
		}
		order, found = l.Order(middle)
		switch {
		case !found || order == 0:
			return from, middle, true, found
		case order == start:
			from = middle
		default:
			to = middle
		}
	}
	return from, to, false, true
}

// Between returns a number with few digits from the middle of an interval. Boundaries in
// formulas mostly have few digits, so this often finds them exactly.
func Between(a, b float64, whole bool) float64 {
	if a > b {
		a, b = b, a
	}
	middle, low, high := a/2+b/2, a+(b-a)/3, b-(b-a)/3
	if whole {
		return math.Floor(middle)
	}
	if a > 0 && b/a > 4 || b < 0 && a/b > 4 {
		middle = math.Copysign(math.Sqrt(math.Abs(a))*math.Sqrt(math.Abs(b)), a)
		low, high = min(middle*0.7, middle*1.4), max(middle*0.7, middle*1.4)
	}
	for digits := range 17 {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(middle, 'e', digits, 64), 64)
		if low <= x && x <= high {
			return x
		}
	}
	return middle
}

// Put returns a value with a number at the path within it.
func Put(v value.Value, path []int, x float64) value.Value {
	if len(path) == 0 {
		return value.NumberOf(x)
	}
	items := slices.Clone(v.Items())
	items[path[0]] = Put(items[path[0]], path[1:], x)
	if v.Kind() == value.Record {
		return value.RecordOf(items...)
	}
	return value.ListOf(items...)
}
