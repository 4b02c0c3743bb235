package typed

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Reading is what a typed number means.
type Reading struct {
	Literal string // the number as a JSON literal
	Unit    string // its unit, "" if the text names none
	Plain   bool   // Literal is the text itself
	Rounded bool   // Literal is the nearest binary64 number: the exact one has no end
}

// Problem is the way in which a text is no number.
type Problem int

// The problems of texts.
const (
	NotNumber      Problem = iota
	Ambiguous              // it has two readings: Readings
	TooLong                // arithmetic of more than [MaxArithmetic] bytes, or too deep
	DividesByZero          //
	BeyondBinary64         // the result of arithmetic is too large or too small
)

// TextError says why a text is no number.
type TextError struct {
	Problem  Problem
	Text     string
	Readings []string // what it may mean, if it is Ambiguous
}

// Error implements error.
func (e *TextError) Error() string { return e.Text + " is not a number" }

// Read returns what a text means for a field that takes numbers. Besides the literals of JSON,
// people may type a unit after the number (20 ft), arithmetic (2*3, 1/8), a mixed number
// (2 1/2), thousands in groups (1 234.5) and a decimal comma (1,5), and where a field has no
// unit, parts of a hundred (4.8%/12). A text with two readings, such as 1,234, is an error:
// nothing is guessed. The error is a [*TextError].
func Read(f *sdk.Field, text string) (Reading, error) {
	text = strings.TrimSpace(text)
	if IsNumber(text) {
		return Reading{Literal: text, Plain: true}, nil
	}
	if len(text) > MaxArithmetic {
		return Reading{}, &TextError{Problem: TooLong, Text: text}
	}
	number, unit := likeASCII.Replace(text), ""
	if hasUnit(f) || !strings.Contains(number, "%") {
		number, unit = splitUnit(number)
	}
	r, err := readNumber(number)
	if err != nil {
		return Reading{}, &TextError{err.Problem, text, err.Readings}
	}
	if unit != "" {
		if first, _ := utf8.DecodeRuneInString(unit); !unicode.IsLetter(first) && !strings.ContainsRune("1°%′″", first) {
			return Reading{}, &TextError{Problem: NotNumber, Text: text}
		}
		r.Unit = unitID(f, unit)
	}
	return r, nil
}

// hasUnit reports whether numbers of the field have a unit. Others may be typed in parts of a hundred.
func hasUnit(f *sdk.Field) bool { return f.Unit != "" || f.UnitBy != nil }

// Split returns the text of a number without its unit, and that unit. The unit is "" if the
// text names none, or cannot be read, or if the field has no unit to choose.
func Split(f *sdk.Field, text string) (number, unit string) {
	if r, err := Read(f, text); err == nil && r.Unit != "" && hasUnit(f) {
		number, _ = splitUnit(likeASCII.Replace(strings.TrimSpace(text)))
		return number, r.Unit
	}
	return text, ""
}

var likeASCII = strings.NewReplacer("−", "-", "\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'")

func readNumber(text string) (Reading, *TextError) {
	if IsNumber(text) {
		return Reading{Literal: text}, nil
	}
	if literal, err := numeral(text); err == nil || err.Problem == Ambiguous {
		return Reading{Literal: literal}, err
	}
	return arithmetic(text)
}

// IsNumber reports whether the text is a JSON number, possibly surrounded by white space.
func IsNumber(text string) bool {
	_, err := strictjson.ParseNumber(strings.TrimSpace(text))
	return err == nil
}

var (
	numeralForm = regexp.MustCompile(`^([-+]?)([0-9][0-9., ']*|[.,][0-9]+)(?:[eE]([-+]?[0-9]+))?$`)
	grouped     = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:[., '][0-9]{3})+$`)
)

// numeral returns the literal of a number as people write it, with groups of three digits and
// a point or a comma before the decimals.
func numeral(text string) (literal string, err *TextError) {
	parts := numeralForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return "", &TextError{Problem: NotNumber}
	}
	whole, decimals, ok := cutDecimals(parts[2])
	if !ok {
		return "", &TextError{Problem: NotNumber}
	}
	write := func(whole, decimals string) string {
		return literalOf(strings.TrimPrefix(parts[1], "+"), whole, decimals, parts[3])
	}
	if strings.Count(parts[2], ",") == 1 && strings.IndexFunc(parts[2], isSeparator) == strings.LastIndexFunc(parts[2], isSeparator) && grouped.MatchString(parts[2]) {
		return "", &TextError{Problem: Ambiguous, Readings: []string{write(whole, decimals), write(whole+decimals, "")}}
	}
	return write(whole, decimals), nil
}

func isSeparator(r rune) bool { return strings.ContainsRune("., '", r) }

// cutDecimals returns the digits before and after the decimal separator. That is the last
// point or comma, unless it occurs more than once, and then groups.
func cutDecimals(text string) (whole, decimals string, ok bool) {
	whole = text
	if i := strings.LastIndexAny(text, ".,"); i >= 0 && strings.Count(text, text[i:i+1]) == 1 {
		whole, decimals = text[:i], text[i+1:]
	}
	if i := strings.IndexFunc(whole, isSeparator); i >= 0 {
		mark := whole[i : i+1]
		plain := strings.ReplaceAll(whole, mark, "")
		if !grouped.MatchString(whole) || strings.ContainsFunc(plain, isSeparator) {
			return "", "", false
		}
		whole = plain
	}
	return whole, decimals, !strings.ContainsFunc(decimals, isSeparator)
}

func literalOf(sign, whole, decimals, exponent string) string {
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if decimals != "" {
		decimals = "." + decimals
	}
	if exponent != "" {
		exponent = "e" + exponent
	}
	return sign + whole + decimals + exponent
}
