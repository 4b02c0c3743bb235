package strictjson

import (
	"math"
	"math/bits"
)

// powers are the powers of ten that binary64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Bounds of short numbers.
const (
	exactIntegers  = 1 << 53 // binary64 has every integer up to this one
	mostDigits     = 19      // that fit in 64 bits
	mostExponent   = len(powers) - 1
	exponentDigits = 3
)

// integers are the powers of ten that 64 bits hold.
var integers = [...]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// shortNumber reads a number with few digits, the most frequent form, into v. If its
// significand and the power of ten are exact in binary64, one division or product rounds to
// the nearest binary64 (Clinger, 1990). A longer significand is divided as an integer.
// shortNumber returns the length of the number. It returns 0 for a longer number, or if the
// text does not start with a number.
func (v *Value) shortNumber(text string) int {
	at := 0
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		at = 1
	}
	first := at
	significand, at := readDigits(0, text, at)
	digits := at - first
	if digits == 0 || digits > 1 && text[first] == '0' {
		return 0
	}
	places := 0
	if at < len(text) && text[at] == '.' {
		point := at
		significand, at = readDigits(significand, text, at+1)
		places = at - point - 1
		if places == 0 {
			return 0
		}
	}
	if digits+places > mostDigits {
		return 0
	}
	exponent := -places
	if at < len(text) && text[at]|0x20 == 'e' {
		power, end := readExponent(text, at+1)
		if end == 0 {
			return 0
		}
		exponent, at = exponent+power, end
	}
	f := float64(significand)
	switch {
	case significand > exactIntegers:
		if exponent > 0 || -exponent >= len(integers) {
			return 0
		}
		f = quotient(significand, integers[-exponent])
	case exponent < -mostExponent || exponent > mostExponent:
		return 0
	case exponent < 0:
		f /= powers[-exponent]
	default:
		f *= powers[exponent]
	}
	if negative && f != 0 {
		f = -f
	}
	v.Kind, v.Text, v.Float = Number, text[:at], f
	return at
}

// quotient returns the binary64 that is nearest to n/d. Neither n nor d is 0.
func quotient(n, d uint64) float64 {
	up, down := bits.LeadingZeros64(n), bits.LeadingZeros64(d)
	n, d = n<<up, d<<down
	q, rest := bits.Div64(n>>1, n<<63, d) // 63 or 64 bits; the last ones are rounded
	if rest != 0 {
		q |= 1 // a sticky bit, so that more than one half is not rounded as one half
	}
	return float64(q) * math.Float64frombits(uint64(1023+down-up-63)<<52) // a power of two
}

// readDigits appends the decimal digits of the text, from an index on, to a significand. It
// returns the index after them. The significand is correct if it has at most mostDigits
// digits.
func readDigits(significand uint64, text string, at int) (uint64, int) {
	for at < len(text) && isDigit(text[at]) {
		significand = 10*significand + uint64(text[at]-'0')
		at++
	}
	return significand, at
}

// readExponent reads an exponent and its sign, from an index on. It returns the index after
// it, or 0 if there is none, or if it has too many digits.
func readExponent(text string, at int) (power, end int) {
	negative := at < len(text) && text[at] == '-'
	if negative || at < len(text) && text[at] == '+' {
		at++
	}
	digits, end := readDigits(0, text, at)
	if end == at || end-at > exponentDigits {
		return 0, 0
	}
	if negative {
		return -int(digits), end
	}
	return int(digits), end
}
