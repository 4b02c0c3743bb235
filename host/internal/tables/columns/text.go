package columns

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// textOf returns a text with its own memory.
func textOf[T string | []byte](from T) (string, error) {
	if text := string([]byte(from)); utf8.ValidString(text) {
		return text, nil
	}
	return "", errNotUTF8
}

var errNotUTF8 = errors.New("a text is not UTF-8")

// Limits of a decimal.
const (
	maxScale  = 400 // digits after the point
	maxDigits = 800 // bits/3 of the unscaled number
)

// decimalText returns the digits of a decimal.
func decimalText(unscaled *big.Int, scale int) (string, error) {
	if scale < 0 || scale > maxScale || unscaled.BitLen() > 3*maxDigits {
		return "", fmt.Errorf("a decimal has more than %d digits, or a negative number of digits after the point", maxScale)
	}
	digits, negative := strings.CutPrefix(unscaled.String(), "-")
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if at := len(digits) - scale; scale > 0 {
		digits = digits[:at] + "." + digits[at:]
	}
	if negative {
		digits = "-" + digits
	}
	return digits, nil
}

// unscaledOf returns 10^scale times the decimal with these digits, which are written as by
// [decimalText].
func unscaledOf(digits string, f Form) (*big.Int, error) {
	whole, decimals, _ := strings.Cut(digits, ".")
	unscaled, ok := new(big.Int).SetString(whole+decimals, 10)
	if !ok || len(decimals) != f.Scale {
		return nil, fmt.Errorf("%q is not a decimal with %d digits after the point", digits, f.Scale)
	}
	return unscaled, nil
}
