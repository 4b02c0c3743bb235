package typed

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Text returns the text, and the unit, that [Value] reads as this value of a field. The engine
// computes the same result from it, to the bit. Some values have no text: no number may
// have more than [sdk.MaxDecimal] characters.
func Text(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	switch {
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange && f.Decimal:
		text = exactDecimal(v.Float)
		return text, "", len(text) <= sdk.MaxDecimal
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

// exactDecimal returns the decimal string that is exactly f. It is long if f is not the number
// that was written but the nearest binary64: 0.1 is
// 0.1000000000000000055511151231257827021181583404541015625.
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

// ratOf returns the exact value of a number literal. Its exponent must be one that binary64
// can represent.
func ratOf(literal string) *big.Rat {
	r, _ := new(big.Rat).SetString(literal)
	return r
}

// asWritten returns the literal in the API's notation, if that is exactly the same number.
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
	words := slices.Repeat([]string{Blank}, len(f.Fields))
	for i := range v.Members {
		at := spec.Input(v.Members[i].Name)
		if at < 0 {
			return "", "", false
		}
		words[at], ok = word(&f.Fields[at], v.Members[i].Value, func(r rune) bool { return endsWord(r) || endsRow(r) })
		if !ok {
			return "", "", false
		}
	}
	for len(words) > 0 && words[len(words)-1] == Blank {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " "), "", len(words) > 0
}

// word returns the text of a value in a list, if it has one without separators.
func word(f *sdk.Field, v strictjson.Value, ends func(rune) bool) (text string, ok bool) {
	text, unit, ok := Text(f, v)
	if unit != "" {
		text += unitWord(unit)
		if r, err := Read(f, text); err != nil || r.Unit != unit {
			return "", false
		}
	}
	return text, ok && text != Blank && !strings.ContainsFunc(text, ends)
}

// quantityText returns the text of a number with a unit. A bare number has no text if the
// field takes decimal strings: the text would be converted exactly, the number is not.
func quantityText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	number, hasValue := v.Member("value")
	u, hasUnit := v.Member("unit")
	if !hasValue || !hasUnit || len(v.Members) != 2 || u.Kind != strictjson.String {
		return "", "", false
	}
	switch {
	case number.Kind == strictjson.Number:
		return asWritten(number), u.Text, !f.Decimal && number.Range == strictjson.InRange
	case number.Kind == strictjson.String && f.Decimal:
		return number.Text, u.Text, number.Text != ""
	}
	return "", "", false
}
