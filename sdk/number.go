package sdk

import (
	"fmt"
	"math"
	"strconv"
)

// AppendNumber appends the JSON form of a finite f: the shortest decimal that
// reads back as f, in the notation of RFC 8785. Negative zero is 0.
func AppendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv writes at least two exponent digits; RFC 8785 writes no leading zero.
	if n := len(dst); n-start >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

func formatShortest(f float64) string { return string(AppendNumber(nil, f)) }

// appendQuantity appends f for people: six significant digits and the unit.
func appendQuantity(dst []byte, f float64, unit string) []byte {
	dst = strconv.AppendFloat(dst, f, 'g', 6, 64)
	if unit == "" {
		return dst
	}
	return append(append(dst, ' '), unit...)
}

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
