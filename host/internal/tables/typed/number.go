package typed

import (
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// Level selects the texts that are accepted as numbers. Levels can be combined: Arithmetic | CommaGroups.
type Level int

// The levels. A text that two levels accept has the same value at both.
const (
	Numbers     Level = 0
	Arithmetic  Level = 1 // also calculations such as 2*3 or 5 - 3, for readers who see the interpretation
	CommaGroups Level = 2 // also 350,000, which is 350000 for people whose language groups digits with commas
)

// MaxText is the maximum length of a text that is read as a number, in bytes. JSON literals may be longer.
const MaxText = 200

// Reading is the interpretation of a typed number.
type Reading struct {
	Literal string // the number as a JSON literal
	Unit    string // its unit, "" if the text contains none
	Number  string // the text without its unit
	Plain   bool   // Literal is the text itself
	Rounded bool   // Literal is the nearest binary64 number, because the exact number has infinitely many digits
}

// Read reads a text for a field that takes numbers. In addition to JSON literals, it
// accepts
//
//   - a unit after the number: 20 ft, and for lengths 20', 240" and feet with inches: 5' 3-1/2"
//   - a fraction, 3/8
//   - a mixed number: a whole number, a hyphen or a blank, and a fraction below 1, such as 3-1/2,
//     3 1/2 or 3½
//   - digits in groups of three, and a decimal comma: 1 234.5 and 1,5
//   - a percentage, 4.8%, where the field has no unit
//   - the names that the field declares for numbers, such as 4/0
//
// At the level [Arithmetic] it also takes calculations with + - * / and parentheses. Each of + - /
// needs blanks around it, unless the text has * or parentheses. At the level [CommaGroups] a comma
// before three digits groups them: 1,234 is 1234. Otherwise such a text has two readings and is an
// error, and so are dates, ranges and other texts that contain numbers. The error is a [*TextError].
func Read(f *sdk.Field, text string, level Level) (Reading, error) {
	text = strings.TrimSpace(text)
	if IsNumber(text) {
		return Reading{Literal: text, Number: text, Plain: true}, nil
	}
	if x, ok := f.Named(text); ok {
		return Reading{Literal: string(value.AppendNumber(nil, x)), Number: text}, nil
	}
	if len(text) > MaxText {
		return Reading{}, &TextError{Problem: TooLong, Text: text, Field: f}
	}
	r, err := readAs(f, ascii(text), level)
	if err != nil {
		err.Text, err.Field = text, f
		return Reading{}, err
	}
	return r, nil
}

// readAs reads a text that [ascii] has returned.
func readAs(f *sdk.Field, text string, level Level) (Reading, *TextError) {
	if strings.ContainsAny(text, `'"′″`) || strings.Contains(text, "ft") { // few texts are feet and inches
		if r, ok, err := feetAndInches(text, level); ok && isLength(f) {
			return r, err
		}
	}
	number, unit := text, ""
	if hasUnit(f) || !strings.Contains(text, "%") {
		number, unit = splitUnit(text)
	}
	r, err := readNumber(f, number, level)
	if err == nil && unit != "" && (!canBeUnit(unit) || number == "0" && hexadecimal.MatchString(unit)) {
		err = &TextError{}
	}
	if err != nil {
		return Reading{}, diagnose(f, text, number, level, err)
	}
	r.Number = number
	if unit != "" {
		r.Unit = unitID(f, unit)
	}
	return r, nil
}

// hasUnit reports whether numbers of the field have a unit. Without a unit, they can be percentages.
func hasUnit(f *sdk.Field) bool { return f.Unit != "" || f.UnitBy != nil }

func isLength(f *sdk.Field) bool {
	own, ok := units.Lookup(f.Unit)
	return ok && own.Quantity == "length"
}

// likeASCII replaces signs that resemble ASCII signs, and fractions of one character. A minus sign or a
// dash between two numbers is not a hyphen: 3−1/2 and 3–1/2 could be subtractions or ranges.
var likeASCII = func() *strings.Replacer {
	pairs := []string{
		"\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'", "\u2010", "-", "\u2011", "-", "\u2044", "/", "”", `"`,
		"e−", "e-", "E−", "E-",
	}
	for sign, fraction := range map[string]string{
		"¼": "1/4", "½": "1/2", "¾": "3/4", "⅐": "1/7", "⅑": "1/9", "⅒": "1/10", "⅓": "1/3", "⅔": "2/3", "⅕": "1/5", "⅖": "2/5",
		"⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
	} {
		pairs = append(pairs, "-"+sign, "-"+fraction, sign, " "+fraction)
	}
	return strings.NewReplacer(pairs...)
}()

// ascii replaces all signs by ASCII signs where possible.
func ascii(text string) string { return strings.TrimSpace(likeASCII.Replace(text)) }

// IsNumber reports whether the text is a JSON number, possibly surrounded by white space.
func IsNumber(text string) bool {
	_, err := strictjson.ParseNumber(strings.TrimSpace(text))
	return err == nil
}

// readNumber reads a number without its unit.
func readNumber(f *sdk.Field, text string, level Level) (Reading, *TextError) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "−"); ok {
		text = "-" + rest
	}
	isInteger := f.Type == sdk.TypeInteger
	if percent, ok := strings.CutSuffix(text, "%"); ok && !isInteger && !hasUnit(f) {
		if x, isFraction, err := magnitude(strings.TrimSpace(percent), level); err == nil && !isFraction {
			return decimalOf(x.Quo(x, hundred))
		}
	}
	literal, err := numeral(text, level)
	switch {
	case err == nil || err.Problem != NotNumber:
		return Reading{Literal: literal}, err
	case isInteger && fractionForm.MatchString(text):
		return Reading{}, &TextError{Problem: NotWhole}
	}
	x, _, err := fraction(text, false)
	switch {
	case err == nil:
		return decimalOf(x)
	case err.Problem == NotNumber && level&Arithmetic != 0 && len(f.Names) == 0:
		return arithmetic(text, level)
	}
	return Reading{}, err
}

// magnitude returns the value of a numeral, a fraction or a mixed number.
func magnitude(text string, level Level) (x *big.Rat, isFraction bool, err *TextError) {
	literal, err := numeral(text, level)
	if err == nil {
		x, err = exactly(literal)
		return x, false, err
	}
	if err.Problem != NotNumber {
		return nil, false, err
	}
	return fraction(text, false)
}

// exactly returns the value of a literal, if its exponent is within the range of binary64.
func exactly(literal string) (*big.Rat, *TextError) {
	v, err := strictjson.ParseNumber(literal)
	switch {
	case err != nil:
		return nil, &TextError{Problem: TooLong}
	case v.Range != strictjson.InRange:
		return nil, &TextError{Problem: BeyondBinary64}
	case v.Float == 0:
		return new(big.Rat), nil // the exponent of zero can have any size
	}
	return ratOf(literal), nil
}

// fractionForm has a sign, a whole number and its separator, a numerator and a denominator.
var fractionForm = regexp.MustCompile(`^([-+]?)(?:(0|[1-9][0-9]*)(-| +))?([1-9][0-9]*)/(0|[1-9][0-9]*)$`)

// fraction returns the value of a fraction or a mixed number. It reports whether the text is a
// fraction alone. The whole number can be 0 only between feet and inches. In a mixed number, the
// numerator has at most two digits and the denominator three. A longer one would be a group of
// thousands, or a year.
func fraction(text string, zero bool) (x *big.Rat, alone bool, err *TextError) {
	parts := fractionForm.FindStringSubmatch(text)
	if parts == nil {
		return nil, false, &TextError{}
	}
	whole, above, below := parts[2], ratOf(parts[4]), ratOf(parts[5])
	switch {
	case below.Sign() == 0:
		return nil, false, &TextError{Problem: DividesByZero}
	case whole == "":
		x = above.Quo(above, below)
	case len(parts[4]) > 2 || len(parts[5]) > 3 || whole == "0" && !zero:
		return nil, false, &TextError{}
	case above.Cmp(below) >= 0:
		return nil, false, &TextError{Problem: Improper}
	default:
		x = above.Quo(above, below)
		x.Add(x, ratOf(whole))
	}
	if parts[1] == "-" {
		x.Neg(x)
	}
	return x, whole == "", nil
}

var (
	feetForm   = regexp.MustCompile(`^([-+−]?)([0-9]+) ?(?:'|′|ft)(?: *|-)([0-9].*?) ?(?:"|″|''|in)$`)
	lengthMark = regexp.MustCompile(`^(.*[^'′ ]) ?(?:('|′)|("|″|''))$`)
	twelve     = big.NewRat(12, 1)
)

// feetAndInches reads lengths such as 20', 240" and 5' 3-1/2". It reports false for all other texts.
func feetAndInches(text string, level Level) (r Reading, isLength bool, err *TextError) {
	if parts := feetForm.FindStringSubmatch(text); parts != nil {
		feet, wrong := numeral(parts[2], level)
		inches, _, err := magnitude(parts[3], level)
		if err != nil && err.Problem == NotNumber {
			inches, _, err = fraction(parts[3], true)
		}
		if wrong != nil || err != nil || inches.Cmp(twelve) >= 0 {
			return r, true, &TextError{Problem: FeetInches}
		}
		all := ratOf(feet)
		inches.Add(inches, all.Mul(all, twelve))
		if parts[1] != "" && parts[1] != "+" {
			inches.Neg(inches)
		}
		r, err = decimalOf(inches)
		r.Unit, r.Number = "in", r.Literal
		return r, true, err
	}
	parts := lengthMark.FindStringSubmatch(text)
	if parts == nil {
		return r, false, nil
	}
	x, _, err := magnitude(strings.Replace(parts[1], "−", "-", 1), level)
	if err != nil {
		return r, false, nil // readAs returns the reason
	}
	r, err = decimalOf(x)
	r.Number, r.Unit = parts[1], "ft"
	if parts[3] != "" {
		r.Unit = "in"
	}
	return r, true, err
}

// hexadecimal matches the part of a hexadecimal number after its 0.
var hexadecimal = regexp.MustCompile(`^[xX][0-9a-fA-F]+$`)

var blankAndDigit = regexp.MustCompile(` [0-9]`)

// canBeUnit reports whether a text after a number can be a unit.
func canBeUnit(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return (unicode.IsLetter(first) || strings.ContainsRune("1/°%′″", first)) && !blankAndDigit.MatchString(text)
}

var (
	numeralForm = regexp.MustCompile(`^([-+]?)([0-9][0-9., ']*|[.,][0-9]+)(?:[eE]([-+]?[0-9]+))?$`)
	grouped     = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:[., '][0-9]{3})+$`)
)

// numeral returns the literal of a number with groups of three digits and a point or a comma before
// the decimals. Only [CommaGroups] decides whether the comma of 1,234 groups digits.
func numeral(text string, level Level) (literal string, err *TextError) {
	parts := numeralForm.FindStringSubmatch(text)
	if parts == nil {
		return "", &TextError{}
	}
	whole, decimals, ok := cutDecimals(parts[2])
	if !ok {
		return "", &TextError{}
	}
	write := func(whole, decimals string) string {
		return literalOf(strings.TrimPrefix(parts[1], "+"), whole, decimals, parts[3])
	}
	if len(whole) > 1 && whole[0] == '0' {
		return "", &TextError{Problem: LeadingZero, Readings: []string{write(whole, decimals)}}
	}
	if strings.Count(parts[2], ",") == 1 && strings.IndexFunc(parts[2], isSeparator) == strings.LastIndexFunc(parts[2], isSeparator) && grouped.MatchString(parts[2]) {
		if level&CommaGroups != 0 {
			return write(whole+decimals, ""), nil
		}
		return "", &TextError{Problem: Ambiguous, Readings: []string{write(whole, decimals), write(whole+decimals, "")}}
	}
	return write(whole, decimals), nil
}

func isSeparator(r rune) bool { return strings.ContainsRune("., '", r) }

// cutDecimals returns the digits before and after the decimal separator. It is the last point or
// comma, unless that mark occurs more than once and therefore groups digits.
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
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
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
