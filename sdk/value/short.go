package value

import "math"

const (
	shortDigits = 15   // decimals with so many digits are all different in binary64
	shortMost   = 1e15 // the first integer with more digits
	shortLeast  = 1e-6 // smaller numbers are written with an exponent
)

// powers are the powers of ten that binary64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// appendShort appends a number that has a decimal of at most 15 digits, as most numbers of
// people and programs do. It is faster than strconv, which has to find the shortest one of
// many decimals. Only one decimal of 15 digits reads back as f, and without its trailing zeros
// it is the shortest. appendShort reports false, and appends nothing, for all other numbers.
func appendShort(dst []byte, f float64) ([]byte, bool) {
	a := math.Abs(f)
	if !(a >= shortLeast && a < shortMost) {
		return dst, false
	}
	// With this number of places the number has 15 digits. The quotient of two exact numbers
	// is rounded once, like the decimal when it is read.
	binary := int(math.Float64bits(a)>>52) - 1023
	places := shortDigits - 1 - binary*1233>>12 // log10(2) is 1233/4096
	scaled := a * powers[places]
	if scaled >= shortMost {
		places--
		scaled = a * powers[places]
	}
	scaled = math.Round(scaled)
	if scaled/powers[places] != a {
		return dst, false
	}
	if f < 0 {
		dst = append(dst, '-')
	}
	return appendDecimal(dst, uint64(scaled), places), true
}

// appendDecimal appends the positive number digits / 10^places, without zeros at its end.
func appendDecimal(dst []byte, digits uint64, places int) []byte {
	for places >= 4 && digits%1e4 == 0 {
		digits, places = digits/1e4, places-4
	}
	for places > 0 && digits%10 == 0 {
		digits, places = digits/10, places-1
	}
	var text [24]byte // 0. and 20 places
	at := len(text)
	for left := places; left > 0; left-- {
		at--
		text[at] = byte('0' + digits%10)
		digits /= 10
	}
	if places > 0 {
		at--
		text[at] = '.'
	}
	for {
		at--
		text[at] = byte('0' + digits%10)
		digits /= 10
		if digits == 0 {
			return append(dst, text[at:]...)
		}
	}
}
