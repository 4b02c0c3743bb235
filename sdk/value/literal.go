package value

import "math"

// NumberAs returns the Number f, which was read from the JSON literal. If AppendNumber would
// write this literal for f, the Number keeps it. Then it is copied instead of formatted.
func NumberAs(f float64, literal string) Value {
	v := NumberOf(f)
	if canonical(literal, f) {
		v.text = literal
	}
	return v
}

// AppendNumber appends the JSON form of a Number, as the function AppendNumber does.
func (v *Value) AppendNumber(dst []byte) []byte {
	if v.text != "" {
		return append(dst, v.text...)
	}
	return AppendNumber(dst, v.num)
}

// exactDigits is the number of decimal digits that binary64 always keeps: two decimals with so
// many digits are never the same binary64. So such a decimal is the shortest one for its
// number.
const exactDigits = 15

// canonical reports whether AppendNumber would write this JSON literal for f, its value. It
// recognizes decimals of up to exactDigits digits, and returns false for longer ones.
func canonical(literal string, f float64) bool {
	if f == 0 {
		return literal == "0"
	}
	if math.Abs(f) < 1e-6 || len(literal) > exactDigits+len("-.") {
		return false // it has an exponent, or more digits
	}
	digits, point := 0, false
	for i := range len(literal) {
		switch c := literal[i]; {
		case c == '.':
			point = true
		case '0' <= c && c <= '9':
			digits++
		case c != '-':
			return false
		}
	}
	return digits <= exactDigits && !(point && literal[len(literal)-1] == '0')
}
