// Package stats evaluates repeated measurements. Use [Median] for one kind, and [Ratio] or [Excess] to compare two kinds
// that were measured in the same rounds. [Percentile] is for the tail of many values.
package stats

import (
	"cmp"
	"math"
	"slices"
)

// Median returns the middle of the values, or the mean of the two middle values if their number is
// even. It returns 0 for no values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Percentile returns the smallest of the sorted values that is at least as large as p percent of them. It returns 0 for
// no values.
func Percentile[T cmp.Ordered](sorted []T, p float64) T {
	var none T
	if len(sorted) == 0 {
		return none
	}
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Ratio returns the median of a/b over the rounds. Comparing within a round cancels effects
// that slow the whole round. It is 0 if no round has both.
func Ratio(a, b []float64) float64 {
	return pairs(a, b, func(x, y float64) (float64, bool) { return x / y, y != 0 })
}

// Excess returns the median of a-b over the rounds.
func Excess(a, b []float64) float64 {
	return pairs(a, b, func(x, y float64) (float64, bool) { return x - y, true })
}

func pairs(a, b []float64, compare func(x, y float64) (float64, bool)) float64 {
	var compared []float64
	for i := range min(len(a), len(b)) {
		if value, ok := compare(a[i], b[i]); ok {
			compared = append(compared, value)
		}
	}
	return Median(compared)
}
