// Package wording turns names, numbers and units of a Spec into text for people. [Label] names a field, [FormatNumber]
// formats a number, [UnitsOf] lists the units of a menu, and [OptionsOf] the choices. [InWords] replaces field names in
// a message with their labels. The package knows no HTML and no requests.
package wording

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/units"
)

// spellings maps words in names and choices to their usual spelling.
var spellings = map[string]string{
	"ac": "AC", "dc": "DC", "rms": "RMS", "led": "LED", "awg": "AWG", "ntu": "NTU", "lmtd": "LMTD",
	"kw": "kW", "kva": "kVA", "kwh": "kWh", "wh": "Wh", "va": "VA", "hp": "hp",
	"rc": "RC", "rl": "RL", "rlc": "RLC", "e24": "E24", "euler": "Euler", "bernoulli": "Bernoulli",
	"timoshenko": "Timoshenko", "johnson": "Johnson", "reynolds": "Reynolds", "poisson": "Poisson", "thevenin": "Thevenin",
}

// FormatName returns a name for people: Elastic modulus for elastic_modulus.
func FormatName(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for i, w := range words {
		if as, ok := spellings[strings.ToLower(w)]; ok && len(w) > 1 {
			words[i] = as
		}
	}
	text := strings.Join(words, " ")
	if len(words) == 0 || text == "" || words[0] != strings.ToLower(words[0]) {
		return text
	}
	return Sentence(text)
}

// Sentence returns the text with a capital at its start, unless its first word has a fixed spelling.
func Sentence(text string) string {
	word, _, _ := strings.Cut(text, " ")
	for _, as := range spellings {
		if word == as {
			return text
		}
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// AsSentence returns a clause of the service as a sentence: with a capital and a period.
func AsSentence(clause string) string {
	if clause == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(clause)
	text := string(unicode.ToUpper(r)) + clause[size:]
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// Label returns the name of a field on pages.
func Label(f *sdk.Field) string {
	if f.Label != "" {
		return f.Label
	}
	if len(f.Name) == 1 {
		return f.Name
	}
	return FormatName(f.Name)
}

// Labels names inputs and choices by their labels, in words about a fault.
type Labels struct{}

// Field implements [request.Namer].
func (Labels) Field(f *sdk.Field) string { return "“" + Label(f) + "”" }

// Choice implements [request.Namer].
func (Labels) Choice(value string) string { return "“" + FormatChoice(value) + "”" }

// Place implements [request.Namer]. It counts items from 1, as people do.
func (l Labels) Place(f *request.Fault) string {
	if f.Input == nil {
		return "“" + f.Name() + "”"
	}
	text, at := l.Field(f.Input), f.Input
	for _, step := range f.Path {
		if at.Type == sdk.TypeArray {
			n, _ := strconv.Atoi(step)
			text, at = text+", item "+strconv.Itoa(n+1), at.Items
			continue
		}
		members := sdk.Spec{Inputs: at.Fields}
		at = &at.Fields[members.Input(step)]
		text += ", " + l.Field(at)
	}
	return text
}

// plainWords are words in lower case with underscores between them.
var plainWords = regexp.MustCompile(`^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$`)

// FormatChoice returns a value of an enum for people. Some values are units. A designation, such as the bolt class 8.8 or
// the steel A4-70, keeps each character.
func FormatChoice(value string) string {
	if _, ok := units.Lookup(value); ok {
		return formula.FormatUnit(value)
	}
	if plainWords.MatchString(value) {
		return FormatName(value)
	}
	return value
}

// formatRange describes the range of a field's numbers, "" if there is none.
func formatRange(spec *sdk.Spec, r *sdk.Range) string {
	if r == nil {
		return ""
	}
	return r.Words(func(input string) string {
		if i := spec.Input(input); i >= 0 {
			return Labels{}.Field(&spec.Inputs[i])
		}
		return input
	})
}

// apiName matches names of several words, which only the API uses.
var apiName = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+`)

// InWords replaces the names of fields and values in a text of an engine by labels.
func InWords(spec *sdk.Spec, text string) string {
	if !strings.Contains(text, "_") && !strings.Contains(text, " is ") {
		return text
	}
	if name, rest, ok := strings.Cut(text, " is "); ok {
		if f := FieldNamed(spec, name); f != nil {
			text = Label(f) + " is " + rest
		}
	}
	return apiName.ReplaceAllStringFunc(text, func(name string) string {
		if f := FieldNamed(spec, name); f != nil {
			return Labels{}.Field(f)
		}
		if _, isUnit := units.Lookup(name); isUnit {
			return formula.FormatUnit(name)
		}
		if isChoiceOf(spec, name) {
			return Labels{}.Choice(name)
		}
		return name
	})
}

// FieldNamed returns the input or output of the name, or a field within one, nil if there is none.
func FieldNamed(spec *sdk.Spec, name string) *sdk.Field {
	for _, fields := range [][]sdk.Field{spec.Inputs, spec.Outputs} {
		for i := range fields {
			f := &fields[i]
			if f.Name == name || slices.Contains(f.Aliases, name) && strings.Contains(name, "_") {
				return f
			}
			inner := f.Fields
			if f.Items != nil {
				inner = f.Items.Fields
			}
			for k := range inner {
				if inner[k].Name == name {
					return &inner[k]
				}
			}
		}
	}
	return nil
}

func isChoiceOf(spec *sdk.Spec, name string) bool {
	return slices.ContainsFunc(spec.Inputs, func(f sdk.Field) bool { return slices.Contains(f.Enum, name) }) ||
		slices.ContainsFunc(spec.Outputs, func(f sdk.Field) bool { return slices.Contains(f.Enum, name) })
}

// quantityName matches a name in the expression of a limit.
var quantityName = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

var absolute = regexp.MustCompile(`abs\(([^()]*)\)`)

// QuantityInWords returns the expression of a limit with labels instead of names.
func QuantityInWords(spec *sdk.Spec, text string) string {
	text = absolute.ReplaceAllString(text, "|$1|")
	text = quantityName.ReplaceAllStringFunc(text, func(name string) string {
		if f := FieldNamed(spec, name); f != nil && len(name) > 1 {
			return lower(Label(f))
		}
		if isChoiceOf(spec, name) {
			return lower(FormatChoice(name))
		}
		return name
	})
	return Sentence(strings.NewReplacer("/", " / ", "  ", " ").Replace(text))
}

// lower returns a label within a sentence. Names keep their capital.
func lower(label string) string {
	first, rest, _ := strings.Cut(label, " ")
	if _, kept := spellings[strings.ToLower(first)]; kept || strings.HasSuffix(first, "'s") || len(first) == 1 {
		return label
	}
	return strings.TrimSpace(strings.ToLower(first) + " " + rest)
}

// Help returns the help text of a field, "" if it only repeats the label.
func Help(spec *sdk.Spec, f *sdk.Field) string {
	if strings.EqualFold(strings.TrimSuffix(f.Doc, "."), Label(f)) {
		return ""
	}
	return InWords(spec, f.Doc)
}

// AllInWords returns texts of an engine with labels instead of the names of fields and values.
func AllInWords(spec *sdk.Spec, texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = InWords(spec, text)
	}
	return list
}

// WarningsInWords returns warnings of an engine with labels instead of the names of fields and values.
func WarningsInWords(spec *sdk.Spec, warnings []sdk.Warning) []sdk.Warning {
	list := slices.Clone(warnings)
	for i := range list {
		list[i].Detail, list[i].Suggestion = InWords(spec, list[i].Detail), InWords(spec, list[i].Suggestion)
	}
	return list
}

// Longest returns the length of the longest part of a text.
func Longest(text, separator string) (most int) {
	for part := range strings.SplitSeq(text, separator) {
		most = max(most, utf8.RuneCountInString(part))
	}
	return most
}
