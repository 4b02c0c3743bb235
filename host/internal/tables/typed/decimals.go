package typed

import (
	"regexp"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Decimals is the decimal mark of the numbers in a table.
type Decimals string

// The decimal marks.
const (
	Either Decimals = "" // point or comma, as in [Read]
	Point  Decimals = "point"
	Comma  Decimals = "comma"
	ByFile Decimals = "file" // of a whole table: the mark of its first unambiguous number
)

// MarkOf returns the decimal mark of a number in a text, or Either if the number shows none. A number
// such as 1.234 can have decimals or a group of three digits. In this case doubt is its mark, else Either.
func MarkOf(text string) (mark, doubt Decimals) {
	if !strings.ContainsAny(text, ".,") {
		return Either, Either
	}
	number, _ := splitUnit(likeASCII.Replace(strings.TrimSpace(text)))
	for _, at := range numbers.FindAllStringIndex(number, -1) {
		token, rest := strings.TrimRight(number[at[0]:at[1]], " '"), number[at[1]:]
		switch m, two := markOf(token, strings.HasPrefix(rest, "e") || strings.HasPrefix(rest, "E")); {
		case m != Either:
			return m, Either
		case two != Either && doubt == Either:
			doubt = two
		}
	}
	return Either, doubt
}

// numbers matches the digits of numbers with the marks between them.
var numbers = regexp.MustCompile(`[.,]?[0-9][0-9., ']*`)

// markOf is MarkOf for the digits of one number or of a mantissa.
func markOf(digits string, mantissa bool) (mark, doubt Decimals) {
	last := strings.LastIndexAny(digits, ".,")
	if last < 0 {
		return Either, Either
	}
	of := map[byte]Decimals{'.': Point, ',': Comma}
	own, other := of[digits[last]], of['.'+','-digits[last]]
	before, after := digits[:last], digits[last+1:]
	switch {
	case strings.Count(digits, digits[last:last+1]) > 1: // the mark groups digits
		if grouped.MatchString(digits) {
			return other, Either
		}
		return Either, Either
	case mantissa, len(after) != 3, before == "", before[0] == '0', len(before) > 3, strings.ContainsAny(before, ".,"):
		return own, Either
	}
	return Either, own
}

// Cell returns the JSON value of a table cell for the field of its column. It accepts the texts that
// [Value] accepts at the level [Numbers], and names of table values. Numbers are in the unit of the
// column unless the text contains a unit. With a declared decimal mark, the other mark can only group
// digits by three. The error is an [*sdk.Error].
func Cell(f *sdk.Field, text, unit string, d Decimals) (strictjson.Value, error) {
	v, err := reader{marks: d, unit: unit}.argument(f, text)
	if err == nil {
		return v, nil
	}
	e := err.rejection(f)
	if err.Problem == Ambiguous && d == Either && strings.Contains(err.Text, ",") {
		e.Suggestion = "Declare the decimal mark: decimal=comma or decimal=point."
	}
	return strictjson.Value{}, e
}

// TakesBare reports whether a bare number, in a column with the unit, needs no conversion to be a value
// of the field.
func TakesBare(f *sdk.Field, unit string) bool {
	return isNumber(f) && !f.Decimal && (unit == "" || unit == f.Unit)
}

// Bare returns the number in a text if all readings of the text agree on it. [Cell] returns the same
// number for a field with the unit of the column. Bare reports false for any other text.
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

// plain returns the text of a number with a decimal point and without groups. It reports false for a
// number that does not follow the declared mark.
func (d Decimals) plain(text string) (string, bool) {
	text = ascii(text)
	number, _ := splitUnit(text)
	unit := strings.TrimPrefix(text, number)
	all := true
	number = digits.ReplaceAllStringFunc(number, func(token string) string {
		literal, ok := d.literal(token)
		all = all && ok
		return literal
	})
	return number + unit, all
}

// literal returns the digits of a number in JSON notation.
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

// Write returns a JSON number with the declared decimal mark.
func (d Decimals) Write(number string) string {
	if d == Comma {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}
