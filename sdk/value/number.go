package value

import (
	"math"
	"strconv"
)

// AppendNumber appends the JSON form of a finite f. It is the shortest decimal that reads back
// as f, in the notation of RFC 8785. Negative zero is 0.
func AppendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if short, ok := appendShort(dst, f); ok {
		return short
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
