package cases

import (
	"encoding/json"
	"math"
	"math/big"

	"github.com/slipstick/slipstick/sdk/value"
)

// appendText writes a JSON string.
func appendText(dst []byte, s string) []byte {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return append(dst, text...)
}

func quoted(s string) string { return string(appendText(nil, s)) }

func spell(x float64) string { return string(value.AppendNumber(nil, x)) }

// short returns x cut to 12 binary digits, together with the exact decimal literal of that
// number. An exact literal of x itself could have hundreds of digits.
func short(x float64) (float64, string) {
	const digits = 12
	fraction, exponent := math.Frexp(x)
	near := math.Ldexp(math.Trunc(math.Ldexp(fraction, digits)), exponent-digits)
	return near, new(big.Rat).SetFloat64(near).FloatString(max(0, digits-exponent))
}
