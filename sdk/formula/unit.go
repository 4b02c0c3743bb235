package formula

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/units"
)

// ReadUnit returns the unit that a text means if a unit of a quantity is expected, such as
// force. The spelling can be the one in the table of units or on pages: °C, N/mm², µm, N·m or Nm. It
// can also be a spelling of [units.Spelled], such as gpm. A product can have another form than
// in the table. W/m2/K and W/(m2 degC) are W/(m2 K), because a degree Celsius in a product is a
// difference of temperatures. For a text that means no unit of the quantity, ReadUnit returns the
// unit of another quantity with this id.
func ReadUnit(text, quantity string) (units.Unit, bool) {
	shown, known := ReadShown(text, quantity)
	if known && shown.Quantity == quantity {
		return shown, true
	}
	if u, ok := units.Spelled(text, quantity); ok {
		return u, true
	}
	return shown, known
}

// ReadShown is ReadUnit without the spellings of [units.Spelled].
func ReadShown(text, quantity string) (units.Unit, bool) {
	exact, known := units.Lookup(text)
	if known && exact.Quantity == quantity {
		return exact, true
	}
	if u, ok := shownUnit(text, quantity); ok {
		return u, true
	}
	return exact, known
}

// shownUnit returns the unit of a quantity in a spelling of the table or of pages.
func shownUnit(text, quantity string) (units.Unit, bool) {
	text = likeLetters.Replace(text)
	letters, cuts := withoutMarks(text)
	factors := factorsIn(text)
	for _, s := range unitSpellings()[quantity] {
		if s.letters == letters && !slices.ContainsFunc(cuts, func(at int) bool { return !slices.Contains(s.cuts, at) }) || len(factors) > 0 && maps.Equal(factors, s.factors) {
			return s.unit, true
		}
	}
	return units.Unit{}, false
}

// unitSpelling is one way to write a unit. A text can omit the separators of its factors. It
// must not have a separator that the spelling lacks: m·m is not mm.
type unitSpelling struct {
	unit    units.Unit
	letters string           // without the separators of factors
	cuts    []int            // positions of the separators
	factors map[string]int64 // with their exponents, nil if it is not a product
}

// unitSpellings returns the spellings of the units of each quantity: as in the table, and as
// pages print them.
var unitSpellings = sync.OnceValue(func() map[string][]unitSpelling {
	all := map[string][]unitSpelling{}
	for _, quantity := range units.Quantities() {
		for _, u := range units.Of(quantity) {
			for _, as := range []string{u.ID, FormatUnit(u.ID), formatUnit(u.ID, func(string) string { return "" })} {
				s := unitSpelling{unit: u, factors: factorsIn(u.ID)}
				s.letters, s.cuts = withoutMarks(likeLetters.Replace(as))
				all[quantity] = append(all[quantity], s)
			}
		}
	}
	return all
})

// likeLetters replaces common substitutes of characters, and the marks of powers.
var likeLetters = strings.NewReplacer(
	"μ", "µ", "\u2126", "Ω", "℃", "°C", "℉", "°F", "¹", "1", "²", "2", "³", "3", "⁴", "4", "₂", "2", "⁻", "-", "^", "", "⋅", "·", "*", "·",
)

// withoutMarks removes the separators of the factors of a unit, and returns their positions.
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

// factorsIn returns the factors of a product of units with their exponents, such as kg, m-1
// and s-1 for kg/m/s. It returns nil if the text is not a product.
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

// divided splits a text at the slashes outside of parentheses.
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

// nameOf returns the name in the table of a unit in the spelling of pages: um for µm.
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

// SameDimension reports whether two units have the same dimension.
func SameDimension(a, b string) bool {
	x, ok := parseUnit(a)
	y, also := parseUnit(b)
	return ok && also && slices.Equal(x.dim, y.dim)
}
