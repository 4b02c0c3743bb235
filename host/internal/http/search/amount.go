package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// Amount is a number with a unit in a question. A name such as pound can mean several units.
type Amount struct {
	Number string // in the form of JSON
	Units  []units.Unit
}

// Conversion is a request to express an amount in another unit.
type Conversion struct {
	Number   string
	From, To units.Unit // both of one quantity
}

// maxAmounts is the maximum number of amounts that are read from a question.
const maxAmounts = 8

// amountPattern matches a possible number without a letter or digit before it: 3-1/2, 10-12 and 2024-01-05 as a
// whole.
var amountPattern = regexp.MustCompile(`(?:^|[^\pL\pN.,/'])([-−]?(?:[.,]?\d|[¼-¾⅐-⅞])(?:[\d.,'/:¼-¾⅐-⅞]|[-−–]\d|[eE][-+]?\d)*(?: \d{1,2}/\d{1,3}\b| [¼-¾⅐-⅞])?)`)

// afterDigit matches a text after which three digits can be a group of the same number.
var afterDigit = regexp.MustCompile(`\d ?$`)

// readAmount reads the number in a match of [amountPattern]. It returns false if the text is not exactly one
// number, or if it is ambiguous.
func readAmount(question string, at []int) (number string, ok bool) {
	text := strings.TrimRight(question[at[2]:at[3]], ",.:")
	if len(text) == 3 && afterDigit.MatchString(question[:at[2]]) {
		return "", false
	}
	r, err := typed.Read(&sdk.Field{Type: sdk.TypeNumber}, text, typed.Numbers)
	return r.Literal, err == nil
}

// Amounts returns the numbers with units in a question, in order. It returns none if it cannot read one of
// them, because an answer without that amount would be wrong.
func Amounts(question string) []Amount {
	question = question[:min(len(question), maxQuestion)]
	var list []Amount
	for _, at := range amountPattern.FindAllStringSubmatchIndex(question, -1) {
		names, _ := unitAtStart(question[at[3]:])
		if len(names) == 0 {
			continue
		}
		number, ok := readAmount(question, at)
		if !ok || len(list) == maxAmounts {
			return nil
		}
		list = append(list, Amount{number, names})
	}
	return list
}

// unitAtStart returns the units that the longest phrase at the start of the text names, and the number of words
// in the phrase.
func unitAtStart(text string) ([]units.Unit, int) {
	words := strings.Fields(symbols.Replace(text))
	for n := min(longestPhrase, len(words)); n > 0; n-- {
		phrase := strings.TrimRight(strings.Join(words[:n], " "), "?,;.")
		list := units.Named(phrase)
		if len(list) > 0 {
			return list, n
		}
		for _, id := range unitNames()[key(split(phrase))] {
			u, _ := units.Lookup(id)
			list = append(list, u)
		}
		if len(list) > 0 {
			return list, n
		}
	}
	return nil, 0
}

var (
	leading = regexp.MustCompile(`^(?i:(?:convert|what(?:'s| is)|how much is)\s+)`)
	howMany = regexp.MustCompile(`^(?i:how many\s+(.+?)\s+(?:are in|are there in|are|in|is|make)\s+(.+))$`)
)

// longestUnit is the maximum length of the unit at the end of a conversion, in bytes.
const longestUnit = 60

// Converted returns the conversion in a question such as "30 psi in bar" or "how many feet in 3 m". It returns
// false if the question asks for anything else. Amounts and units are read as in the field of a calculator.
func Converted(question string) (Conversion, bool) {
	question = strings.TrimRight(strings.TrimSpace(question[:min(len(question), maxQuestion)]), "?. ")
	if m := howMany.FindStringSubmatch(question); m != nil {
		amount := m[2]
		if strings.HasPrefix(amount, "a ") || strings.HasPrefix(amount, "an ") || strings.HasPrefix(amount, "one ") {
			_, amount, _ = strings.Cut(amount, " ")
			amount = "1 " + amount
		}
		question = amount + " in " + m[1]
	}
	question = leading.ReplaceAllString(question, "")
	if strings.IndexFunc(question, unicode.IsNumber) < 0 {
		return Conversion{}, false
	}
	words := strings.Fields(strings.ReplaceAll(question, "=", " = "))
	for i, word := range slices.Backward(words) {
		amount, unit := strings.Join(words[:i], " "), strings.Join(words[i+1:], " ")
		if len(unit) > longestUnit {
			break
		}
		if !toWords[word] && word != "=" || len(amount) > typed.MaxText {
			continue
		}
		if c, ok := convertible(amount, unit); ok {
			return c, true
		}
	}
	return Conversion{}, false
}

// convertible returns the conversion in the first quantity that has both units.
func convertible(amount, unit string) (Conversion, bool) {
	for _, quantity := range units.Quantities() {
		to, ok := formula.ReadUnit(unit, quantity)
		if !ok || to.Quantity != quantity {
			continue
		}
		r, err := typed.Read(&sdk.Field{Type: sdk.TypeNumber, Unit: units.SI(quantity).ID}, amount, typed.Numbers)
		from, ok := units.Lookup(r.Unit)
		if err == nil && ok && from.Quantity == quantity {
			return Conversion{r.Literal, from, to}, true
		}
	}
	return Conversion{}, false
}
