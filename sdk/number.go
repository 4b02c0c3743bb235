package sdk

import (
	"fmt"
	"math"
	"strconv"

	"github.com/slipstick/slipstick/sdk/value"
)

func formatShortest(f float64) string { return string(value.AppendNumber(nil, f)) }

func parseFinite(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, err
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, fmt.Errorf("%q is not finite", s)
	}
	return f, nil
}

// smallestNormal is the least positive binary64 with full precision.
const smallestNormal = 0x1p-1022

func subnormal(f float64) bool { return f != 0 && math.Abs(f) < smallestNormal }
