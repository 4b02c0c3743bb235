package adaptive

import (
	"math"
	"strconv"
)

// powersOfTen are those that binary64 holds: 5^22 < 2^53.
var powersOfTen = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

const largestPower = len(powersOfTen) - 1

// integer returns i.
func integer(i int64) Num {
	high, low := i>>32, i&math.MaxUint32 // each a binary64
	hi, lo := twoSum(float64(float64(high)*0x1p32), float64(low))
	return Num{hi: hi, lo: lo}
}

// decimal returns the value of a decimal literal if two numbers hold its digits, and
// two its power of ten. Any other is unknown, and left to the exact evaluation.
func decimal(literal string) Num {
	digits, power, ok := scan(literal)
	size := max(power, -power)
	if !ok || size > 2*largestPower {
		return unknown
	}
	scale := Num{hi: powersOfTen[min(size, largestPower)]}
	if size > largestPower {
		scale = scale.times(Num{hi: powersOfTen[size-largestPower]})
	}
	if power < 0 {
		return integer(digits).Div(scale)
	}
	return integer(digits).times(scale)
}

// scan reads a decimal literal of at most 18 digits as digits * 10^power.
func scan(literal string) (digits int64, power int, ok bool) {
	const most = 1e17 // beyond which another digit may not fit
	text, negative, fraction := literal, false, false
	if text != "" && text[0] == '-' {
		text, negative = text[1:], true
	}
	for ; text != ""; text = text[1:] {
		switch c := text[0]; {
		case c == '.' && !fraction:
			fraction = true
			continue
		case c == 'e' || c == 'E':
			exponent, err := strconv.Atoi(text[1:])
			if err != nil || exponent > math.MaxInt16 {
				return 0, 0, false
			}
			return signed(digits, negative), power + exponent, ok
		case c < '0' || c > '9' || digits >= most:
			return 0, 0, false
		default:
			digits, ok = 10*digits+int64(c-'0'), true
		}
		if fraction {
			power--
		}
	}
	return signed(digits, negative), power, ok
}

func signed(i int64, negative bool) int64 {
	if negative {
		return -i
	}
	return i
}
