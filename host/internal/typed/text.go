package typed

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Text is the text that [Value] reads as the value of a field, and its unit: the engine
// computes the same from it, to the bit. Not every value has one: in a row only the last
// values can be left out, and no number has more than [strictjson.MaxNumber] characters.
func Text(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	switch {
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange && f.Decimal:
		text = exactDecimal(v.Float)
		return text, "", len(text) <= strictjson.MaxNumber
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange:
		return string(value.AppendNumber(nil, v.Float)), "", true
	case v.Kind == strictjson.String && strings.TrimSpace(v.Text) != "":
		return v.Text, "", f.Type == sdk.TypeString || f.Decimal
	case v.Kind == strictjson.Bool:
		return strconv.FormatBool(v.Bool), "", true
	case v.Kind == strictjson.Array && f.Type == sdk.TypeArray:
		return listText(f, v)
	case v.Kind == strictjson.Object && f.Type == sdk.TypeObject:
		return rowText(f, v)
	case v.Kind == strictjson.Object:
		return quantityText(f, v)
	}
	return "", "", false
}

// inFull is the number with all of its digits: a decimal string that is exactly f. Those
// are many where f is the nearest binary64 of what somebody wrote, and not the same:
// 0.1 is 0.1000000000000000055511151231257827021181583404541015625.
func exactDecimal(f float64) string {
	shortest := string(value.AppendNumber(nil, f))
	if ratOf(shortest).Cmp(new(big.Rat).SetFloat64(f)) == 0 {
		return shortest
	}
	const most = 767 // significant digits of any binary64 number
	if math.Abs(f) >= 1e-6 {
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', most, 64), "0"), ".")
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', most, 64), "e")
	return strings.TrimRight(digits, "0") + "e" + exponent
}

// ratOf is the value of a number literal whose exponent binary64 can hold.
func ratOf(literal string) *big.Rat {
	r, _ := new(big.Rat).SetString(literal)
	return r
}

// asWritten is the number in the notation of the API, unless that is another number.
func asWritten(v strictjson.Value) string {
	short := string(value.AppendNumber(nil, v.Float))
	if a, b := ratOf(short), ratOf(v.Text); a != nil && b != nil && a.Cmp(b) == 0 {
		return short
	}
	return v.Text
}

func listText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	apart, ends := " ", func(r rune) bool { return endsWord(r) || endsRow(r) }
	if IsRow(f.Items) {
		apart, ends = "; ", endsRow
	}
	words := make([]string, len(v.Items))
	for i := range v.Items {
		if words[i], ok = word(f.Items, v.Items[i], ends); !ok {
			return "", "", false
		}
	}
	return strings.Join(words, apart), "", len(words) > 0
}

func rowText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	spec := sdk.Spec{Inputs: f.Fields}
	words := make([]string, len(v.Members))
	for i := range v.Members {
		at := spec.Input(v.Members[i].Name)
		if at < 0 || at >= len(words) {
			return "", "", false
		}
		words[at], ok = word(&f.Fields[at], v.Members[i].Value, func(r rune) bool { return endsWord(r) || endsRow(r) })
		if !ok {
			return "", "", false
		}
	}
	return strings.Join(words, " "), "", len(words) > 0
}

// word is the text of a value in a list, where it has one in which nothing ends it.
func word(f *sdk.Field, v strictjson.Value, ends func(rune) bool) (text string, ok bool) {
	text, unit, ok := Text(f, v)
	return text, ok && unit == "" && !strings.ContainsFunc(text, ends)
}

// quantityText is the text of a number with a unit, which is converted from the number as
// it is written. Where the field takes decimal strings, text would be converted exactly
// and a bare number is not: there is no text for it.
func quantityText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	held, hasValue := v.Member("value")
	u, hasUnit := v.Member("unit")
	if !hasValue || !hasUnit || len(v.Members) != 2 || u.Kind != strictjson.String {
		return "", "", false
	}
	switch {
	case held.Kind == strictjson.Number:
		return asWritten(held), u.Text, !f.Decimal && held.Range == strictjson.InRange
	case held.Kind == strictjson.String && f.Decimal:
		return held.Text, u.Text, held.Text != ""
	}
	return "", "", false
}
