package plot

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prefixes are the SI prefixes for powers of a thousand.
var prefixes = map[int]string{-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 3: "k", 6: "M", 9: "G", 12: "T"}

var firstUnit = regexp.MustCompile(`^[A-Za-z]+`)

// prefixable reports whether a prefix can precede the unit: its first part takes prefixes and has no exponent.
func prefixable(unit string) bool {
	first := firstUnit.FindString(unit)
	rest := unit[len(first):]
	switch first {
	case "m", "s", "N", "Pa", "W", "V", "A", "J", "Hz", "F", "H", "C", "ohm", "S", "T", "Wb", "var":
		return rest == "" || rest[0] == ' ' || rest[0] == '/'
	}
	return false
}

var (
	superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "-", "⁻")
)

func superscript(n int) string { return superscripts.Replace(strconv.Itoa(n)) }

// formatNumber returns a number with the given number of significant digits, for people.
func formatNumber(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	exponent, _ := strconv.Atoi(power) // FormatFloat always writes an exponent
	if exponent >= -4 && exponent <= 6 {
		return minus(trim(strconv.FormatFloat(v, 'f', max(0, digits-1-exponent), 64)))
	}
	return minus(trim(mantissa)) + "×10" + superscript(exponent)
}

// trim cuts zeros at the end of a fraction.
func trim(number string) string {
	if strings.Contains(number, ".") {
		return strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number
}

func minus(number string) string { return strings.Replace(number, "-", "−", 1) }

var spelled = regexp.MustCompile(`\b(alpha|beta|gamma|delta|epsilon|eta|theta|lambda|mu|nu|rho|sigma|tau|phi|omega)_([0-9])\b`)

// formatLabel returns the label of an engine as a picture shows it: with a capital, and with Greek letters for their names.
func formatLabel(label string) string {
	if !spelled.MatchString(label) {
		return capital(label)
	}
	return spelled.ReplaceAllStringFunc(label, func(symbol string) string {
		m := spelled.FindStringSubmatch(symbol)
		return greek[m[1]] + string('₀'+rune(m[2][0]-'0'))
	})
}

// capital returns a title with a capital at its start, unless the title starts with a symbol.
func capital(title string) string {
	r, n := utf8.DecodeRuneInString(title)
	if next, _ := utf8.DecodeRuneInString(title[n:]); !unicode.IsLower(next) {
		return title
	}
	return string(unicode.ToUpper(r)) + title[n:]
}

var hasNumber = regexp.MustCompile(`[0-9]\.[0-9]|(^|[ =])[0-9]`)

// fontSize is the size of all texts, as in plot.css.
const fontSize = 13

// width estimates the width of a text. The font of the browser is unknown, so the estimate is rather too wide than too narrow.
func width(text string) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("iljIft.,:;'|!()[]/ \u00a0·", r):
			sum += 0.36
		case strings.ContainsRune("mwMW%@", r):
			sum += 0.92
		case unicode.IsUpper(r):
			sum += 0.70
		case r > 0x2e80:
			sum += 1.05
		default:
			sum += 0.60
		}
	}
	return math.Ceil(sum * fontSize)
}
