package page

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// written are words of names and choices that are written otherwise than they are spelled
// there.
var written = map[string]string{
	"ac": "AC", "dc": "DC", "rms": "RMS", "led": "LED", "awg": "AWG", "ntu": "NTU", "lmtd": "LMTD",
	"kw": "kW", "kva": "kVA", "kwh": "kWh", "wh": "Wh", "va": "VA", "hp": "hp",
	"rc": "RC", "rl": "RL", "rlc": "RLC", "e24": "E24", "euler": "Euler", "bernoulli": "Bernoulli",
	"timoshenko": "Timoshenko", "johnson": "Johnson", "reynolds": "Reynolds", "poisson": "Poisson", "thevenin": "Thevenin",
}

// sayName is a name such as elastic_modulus for people: Elastic modulus.
func sayName(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for i, w := range words {
		if as, ok := written[strings.ToLower(w)]; ok && len(w) > 1 {
			words[i] = as
		}
	}
	text := strings.Join(words, " ")
	if len(words) == 0 || text == "" || words[0] != strings.ToLower(words[0]) {
		return text
	}
	return sentence(text)
}

// sentence begins with a capital, unless the first word is one that never does.
func sentence(text string) string {
	word, _, _ := strings.Cut(text, " ")
	for _, as := range written {
		if word == as {
			return text
		}
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// fullSentence makes a sentence of the text of an error.
func fullSentence(text string) string {
	if text == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(text)
	return strings.TrimSuffix(string(unicode.ToUpper(r))+text[size:], ".") + "."
}

// label is what a field is called on a page.
func label(f *sdk.Field) string {
	if f.Label != "" {
		return f.Label
	}
	if len(f.Name) == 1 {
		return f.Name
	}
	return sayName(f.Name)
}

// underscored is a name as it stands in the texts of a Spec.
var underscored = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+`)

// sayFields puts the labels of fields and choices for their names in a text, for who sees only labels.
func sayFields(text string, fields []sdk.Field) string {
	return underscored.ReplaceAllStringFunc(text, func(name string) string {
		for i := range fields {
			switch f := &fields[i]; {
			case f.Name == name:
				return "“" + label(f) + "”"
			case slices.Contains(f.Enum, name):
				return "“" + sayChoice(name) + "”"
			}
		}
		return name
	})
}

// sayChoice is one value of an enum for people. Some are units.
func sayChoice(value string) string {
	if _, ok := units.Lookup(value); ok {
		return sayUnit(value)
	}
	return sayName(value)
}

// sayRange says where the numbers of a field must lie, "" if anywhere.
func sayRange(spec *sdk.Spec, r *sdk.Range) string {
	if r == nil {
		return ""
	}
	return r.Words(func(input string) string {
		if i := spec.Input(input); i >= 0 {
			return "“" + label(&spec.Inputs[i]) + "”"
		}
		return input
	})
}
