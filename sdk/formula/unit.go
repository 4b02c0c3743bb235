package formula

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/units"
)

// ReadUnit returns the unit that a text means where one of a quantity is expected, such as force. It
// may be spelled as the table of units does, or as people write it: °C, N/mm², µm, N·m, Nm. A product
// may be written in another way than in the table: W/m2/K and W/(m2 degC) are W/(m2 K), because a
// degree Celsius in a product is a difference of temperatures.
func ReadUnit(text, quantity string) (units.Unit, bool) {
	if u, ok := units.Lookup(text); ok {
		return u, true
	}
	text = likeLetters.Replace(text)
	written := factorsIn(text)
	for _, u := range units.Of(quantity) {
		if isSpelled(text, u.ID) || isSpelled(text, FormatUnit(u.ID)) || written != nil && maps.Equal(written, factorsIn(u.ID)) {
			return u, true
		}
	}
	return units.Unit{}, false
}

// likeLetters replaces characters that are written for others, and the marks of powers.
var likeLetters = strings.NewReplacer(
	"μ", "µ", "\u2126", "Ω", "℃", "°C", "℉", "°F", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁻", "-", "^", "", "⋅", "·", "*", "·",
)

// isSpelled reports whether a text is this spelling of a unit, perhaps without what separates its
// factors. A separator that the spelling does not have makes another unit: m·m is not mm.
func isSpelled(text, as string) bool {
	letters, cuts := withoutMarks(text)
	of, known := withoutMarks(likeLetters.Replace(as))
	return letters == of && !slices.ContainsFunc(cuts, func(at int) bool { return !slices.Contains(known, at) })
}

// withoutMarks leaves out what separates the factors of a unit, and returns where that was.
func withoutMarks(unit string) (letters string, cuts []int) {
	var b strings.Builder
	for _, r := range strings.TrimFunc(unit, isMark) {
		if isMark(r) {
			cuts = append(cuts, b.Len())
			continue
		}
		b.WriteRune(r)
	}
	return b.String(), cuts
}

func isMark(r rune) bool { return unicode.IsSpace(r) || r == '.' || r == '·' }

var asNamed = strings.NewReplacer("°C", "K", "degC", "K", "°F", "degF", "°R", "degR")

// factorsIn returns the factors of a product of units with their exponents, such as kg, m-1 and s-1
// for kg/m/s. It returns nil for a text that is not a product.
func factorsIn(text string) map[string]int64 {
	if text == "" || asNamed.Replace(text) == "K" {
		return nil // a temperature is not a difference
	}
	exponents := map[string]int64{}
	for i, part := range divided(asNamed.Replace(text)) {
		part = strings.TrimFunc(part, isMark)
		isGroup := i > 0 && strings.HasPrefix(part, "(") && strings.HasSuffix(part, ")")
		if isGroup {
			part = part[1 : len(part)-1]
		}
		if i == 0 && (part == "" || part == "1") {
			continue
		}
		list, ok := units.Factors(part)
		if !ok {
			return nil
		}
		for k, f := range list {
			if f.Den != 1 || f.Divides {
				return nil
			}
			if i > 0 && (isGroup || k == 0) {
				f.Num = -f.Num
			}
			exponents[nameOf(f.Unit)] += f.Num
		}
	}
	maps.DeleteFunc(exponents, func(_ string, n int64) bool { return n == 0 })
	return exponents
}

// divided cuts a text at the slashes that are not within parentheses.
func divided(text string) (parts []string) {
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '/' && depth == 0:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

// nameOf returns the name in the table of a unit as pages write it: um for µm.
func nameOf(word string) string {
	if first, _ := utf8.DecodeRuneInString(word); first < utf8.RuneSelf {
		return word
	}
	for id, as := range unitWords {
		if as == word {
			return id
		}
	}
	return word
}
