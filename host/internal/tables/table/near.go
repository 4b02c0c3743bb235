package table

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/versions"
)

// greekNames maps the Greek letters in symbols to their names.
var greekNames = func() map[rune]string {
	names := map[rune]string{'ϕ': "phi", 'ϵ': "epsilon", 'µ': "mu", '∆': "Delta", 'Ω': "Omega"}
	const letters = "αβγδεζηθικλμνξοπρςστυφχψω"
	list := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega")
	for i, r := range []rune(letters) {
		names[r] = list[i]
		names[unicode.ToUpper(r)] = strings.ToUpper(list[i][:1]) + list[i][1:]
	}
	return names
}()

// spelled returns the letters and digits of a name. Greek letters are replaced by their names.
func spelled(name string) string {
	var b strings.Builder
	for _, r := range name {
		if greek, ok := greekNames[r]; ok {
			b.WriteString(greek)
		} else if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wordsOf returns the words of a name in lower case. innerDia, inner_dia and "inner dia" have two words.
func wordsOf(name string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words, word = append(words, strings.ToLower(string(word))), nil
		}
	}
	for _, r := range name {
		if greek, ok := greekNames[r]; ok {
			end()
			words = append(words, strings.ToLower(greek))
			continue
		}
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && unicode.IsLower(word[len(word)-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// sameLetters replaces the variant forms of letters in TeX.
var sameLetters = strings.NewReplacer("varepsilon", "epsilon", "vartheta", "theta", "varrho", "rho", "varphi", "phi")

// symbolOf returns the symbol of a field in letters, or "" if it has none.
func symbolOf(f *sdk.Field) string {
	name, _ := formula.NameOf(f.Symbol)
	return sameLetters.Replace(spelled(name))
}

// named returns the input with this name, alias or symbol. It returns nil if there is none, or if several
// inputs have the symbol.
func (t *Sheet) named(name string) (f *sdk.Field) {
	f = t.input(name)
	if f != nil || name == "" {
		return f
	}
	for i := range t.release.Spec.Inputs {
		if one := &t.release.Spec.Inputs[i]; symbolOf(one) == spelled(name) && spelled(name) != "" {
			if f != nil {
				return nil
			}
			f = one
		}
	}
	return f
}

// endsHead reports whether a unit can follow the rune in a header.
func endsHead(r rune) bool { return r == '_' || r == '/' || unicode.IsSpace(r) }

// apart splits a header such as "d_mm" or "V/mV" into an input and a unit of its quantity. It reports
// false if the header has no such reading, or several.
func (t *Sheet) apart(header string) (f *sdk.Field, unit string, ok bool) {
	for i, r := range header {
		if !endsHead(r) {
			continue
		}
		one := t.named(strings.TrimRightFunc(header[:i], endsHead))
		text := strings.TrimLeftFunc(header[i:], endsHead)
		switch {
		case one == nil || text == "" || !isUnitOf(one, text):
		case f != nil && (one != f || text != unit):
			return nil, "", false
		default:
			f, unit = one, text
		}
	}
	return f, unit, f != nil
}

// isUnitOf reports whether a text is a unit of the quantity of the field.
func isUnitOf(f *sdk.Field, text string) bool {
	own, ok := units.Lookup(f.Unit)
	if f.Items != nil && f.Unit == "" {
		own, ok = units.Lookup(f.Items.Unit)
	}
	if !ok || f.UnitBy != nil {
		return false
	}
	u, ok := formula.ReadUnit(text, own.Quantity)
	return ok && u.Quantity == own.Quantity && !isIndex(text, u)
}

// isIndex reports whether a letter after the name of an input can be an index as well as a unit.
// V_m is not a voltage in mV. A letter that is the id of the unit, or a degree, is a unit.
func isIndex(text string, u units.Unit) bool {
	return len(text) == 1 && text != u.ID && !slices.Contains(looseUnits, text)
}

// looseUnits are common spellings of degrees in headers.
var looseUnits = []string{"C", "F"}

// areUnits reports whether all words are units, of any quantity.
func areUnits(f *sdk.Field, words []string) bool {
	for _, word := range words {
		if _, known := units.Lookup(word); !known && !isUnitOf(f, word) && !slices.Contains(looseUnits, word) {
			return false
		}
	}
	return len(words) > 0
}

// withoutUnit removes the unit at the end of a header.
func withoutUnit(f *sdk.Field, header string) string {
	if parts := withUnit.FindStringSubmatch(header); parts != nil {
		return parts[1]
	}
	at := strings.LastIndexFunc(header, endsHead)
	if at > 0 && areUnits(f, []string{strings.TrimSpace(strings.TrimLeftFunc(header[at:], endsHead))}) {
		return header[:at]
	}
	return header
}

// shortest is the minimum length of an abbreviation, in letters.
const shortest = 3

// like reports whether a word equals another one or starts it.
func like(word, of string) bool {
	return word == of || len(word) >= shortest && strings.HasPrefix(of, word)
}

// nearest returns an input without a column that a header probably means. The header has another
// spelling of its name, alias, label or symbol, abbreviations or initials of its words, or a wrong
// unit. The default of this input must not be used silently. Names with only a common start do not match.
func (t *Sheet) nearest(header string) (f *sdk.Field, ok bool) {
	for i := range t.release.Spec.Inputs {
		f := &t.release.Spec.Inputs[i]
		sent := slices.ContainsFunc(t.columns, func(c column) bool { return c.field == f })
		if !sent && means(f, header) {
			return f, true
		}
	}
	return nil, false
}

func means(f *sdk.Field, header string) bool {
	bare := withoutUnit(f, header)
	names := append([]string{f.Name, symbolOf(f), f.Label}, f.Aliases...)
	for _, name := range names {
		if name == "" {
			continue
		}
		for _, one := range []string{spelled(header), spelled(bare)} {
			if one == spelled(name) || len(one) > 1 && strings.EqualFold(one, spelled(name)) {
				return true
			}
		}
		if startsWith(f, header, name) || alike(wordsOf(bare), wordsOf(name)) {
			return true
		}
	}
	return initialsOf(f.Name) == bare || f.Label != "" && initialsOf(f.Label) == bare
}

// startsWith reports whether a header is a name followed by units of any quantity.
func startsWith(f *sdk.Field, header, name string) bool {
	for i, r := range header {
		if endsHead(r) && spelled(header[:i]) == spelled(name) && areUnits(f, strings.FieldsFunc(header[i:], endsHead)) {
			return true
		}
	}
	return false
}

// alike reports whether words are the words of a name or their abbreviations, in order. A single letter
// matches only in the same case: t and T are two symbols.
func alike(words, of []string) bool {
	if len(words) != len(of) || len(words) == 0 || len(words) == 1 && len(words[0]) == 1 {
		return false
	}
	for i := range words {
		if !like(words[i], of[i]) {
			return false
		}
	}
	return true
}

// initialsOf returns the initials of a name of several words, such as ID of inner_diameter.
func initialsOf(name string) string {
	words := wordsOf(name)
	if len(words) < 2 {
		return "\x00" // no header has this text
	}
	var initials strings.Builder
	for _, word := range words {
		initials.WriteString(strings.ToUpper(word[:1]))
	}
	return initials.String()
}

// pinNames are the columns that pin the version of their row.
var pinNames = map[string]versions.Meaning{"calculation_version": versions.Exactly, versions.AsOfName: versions.AsOf}

// pinOf returns the pin in a column, for any case and separators in its name.
func pinOf(header string) (name string, ok bool) {
	for name := range pinNames {
		if strings.EqualFold(spelled(header), spelled(name)) {
			return name, true
		}
	}
	return "", false
}

// nearPin returns the pin that a header probably means: with a typo, or with the start of each word.
func nearPin(header string) (name string, ok bool) {
	words, known := wordsOf(header), slices.Sorted(maps.Keys(pinNames))
	for _, name := range known {
		of := wordsOf(name)
		if len(words) >= len(of) && alike(words[:len(of)], of) || len(words) > 0 && words[0] == spelled(name) {
			return name, true
		}
	}
	return spelling.Guess(header, known)
}
