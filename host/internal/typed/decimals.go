package typed

import (
	"errors"
	"regexp"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Decimals is the mark before the decimals of the numbers in a table.
type Decimals string

// The marks before decimals.
const (
	Either Decimals = "" // one or the other, as in [Read]
	Point  Decimals = "point"
	Comma  Decimals = "comma"
)

// Cell returns the JSON value that a cell of a table means for the field of its column. It reads what
// [Argument] reads, in the unit of the column unless the text names its own, and with the declared
// mark before decimals; the other mark may only group digits by three. The error is an [*sdk.Error]
// for a number that is not written so, or has two readings because nothing is declared.
func Cell(f *sdk.Field, text, unit string, d Decimals) (strictjson.Value, error) {
	plain, ok := d.plain(f, text)
	if !ok {
		return strictjson.Value{}, sdk.Reject(request.CodeInvalidNumber, f.Name, "%s: %s is not written with decimal=%s", f.Name, request.Clip(text), d).
			Suggest("Write decimals as declared, or declare the other mark.")
	}
	if isNumber(f) {
		_, err := Read(f, plain)
		if e, ok := errors.AsType[*TextError](err); ok && e.Problem == Ambiguous {
			return strictjson.Value{}, sdk.Reject(request.CodeInvalidNumber, f.Name, "%s: %s has two readings, %s", f.Name, request.Clip(text), strings.Join(e.Readings, " and ")).
				Suggest("Declare what stands before decimals: decimal=comma or decimal=point.")
		}
	}
	return argument(f, plain, Units{"": unit}), nil
}

// TakesBare reports whether a number that stands alone, in a column of the unit, is the value of the
// field as it is: it needs no conversion.
func TakesBare(f *sdk.Field, unit string) bool {
	return isNumber(f) && !f.Decimal && (unit == "" || unit == f.Unit)
}

// Bare returns the number that a text is in every reading of it, as [Cell] reads it for a field of
// its unit. It reports false for a text that is more than a number, or that only looks like one.
func (d Decimals) Bare(text string) (strictjson.Value, bool) {
	if d == Comma {
		if strings.IndexByte(text, '.') >= 0 {
			return strictjson.Value{}, false
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strictjson.ParseNumber(text)
	return v, err == nil
}

func isNumber(f *sdk.Field) bool { return f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger }

var digits = regexp.MustCompile(`[.,]*[0-9][0-9.,]*`)

// plain returns the text with a point before decimals, and without groups. It reports false for one
// that is not written as declared.
func (d Decimals) plain(f *sdk.Field, text string) (string, bool) {
	isList := f.Type == sdk.TypeArray
	isJSON := strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")
	isPreset := strings.HasPrefix(text, "data.")
	switch {
	case d == Either || isJSON || isPreset, isList && d == Point, !isList && !isNumber(f):
		return text, true
	}
	number, unit := text, ""
	if !isList {
		number, _ = splitUnit(likeASCII.Replace(text))
		unit = strings.TrimPrefix(likeASCII.Replace(text), number)
	}
	all := true
	number = digits.ReplaceAllStringFunc(number, func(token string) string {
		literal, ok := d.literal(token)
		all = all && ok
		return literal
	})
	return number + unit, all
}

// literal returns the digits of a number as JSON has them.
func (d Decimals) literal(token string) (string, bool) {
	mark, group := ".", ","
	if d == Comma {
		mark, group = group, mark
	}
	whole, decimals, _ := strings.Cut(token, mark)
	if strings.Contains(whole, group) && !grouped.MatchString(whole) || strings.ContainsAny(decimals, ".,") {
		return "", false
	}
	whole = strings.ReplaceAll(whole, group, "")
	if decimals != "" {
		decimals = "." + decimals
	}
	return whole + decimals, true
}

// Write returns a number as JSON has it with the declared mark before its decimals.
func (d Decimals) Write(number string) string {
	if d == Comma {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}
