package main

import (
	"math"
	"strconv"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// e24 are the values of one decade of the series E24 of IEC 60063, times ten.
var e24 = [...]int{10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91}

// standard is a value of the series as a decimal literal, such as 36e1.
type standard string

func (s standard) of(x *adaptive.X) adaptive.Num { return x.Literal(string(s)) }

// nextE24 returns the first value of the series that is not below r. Values that agree to
// 12 digits count as equal: finer than any resistor, and coarser than the rounding of the
// inputs.
func nextE24(r float64) (standard, error) {
	if math.IsInf(r, 0) {
		return "", sdk.Reject(sdk.CodeNonFiniteResult, "resistance", "resistance is beyond the range of binary64 numbers for these inputs").
			Suggest("Use a larger current.")
	}
	least := r * (1 - 1e-12)
	first := max(-330, math.Floor(math.Log10(least))-1) // a guess: below it, however the logarithm is rounded
	for decade := int(first); ; decade++ {
		for _, value := range e24 {
			literal := strconv.Itoa(value) + "e" + strconv.Itoa(decade-1)
			v := math.Inf(1) // beyond the range, which strconv takes long to find out
			if decade < 308 || decade == 308 && value < 18 {
				v, _ = strconv.ParseFloat(literal, 64)
			}
			if v >= least {
				return standard(literal), nil
			}
		}
	}
}
