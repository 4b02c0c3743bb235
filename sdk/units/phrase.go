package units

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

var (
	likeSymbols = strings.NewReplacer(
		"²", "2", "³", "3", "⁴", "4", "⁶", "6", "⁻", "-", "¹", "1", "₂", "2", "^", "", "**", "", "µ", "u", "μ", "u", "Ω", "ohm", "\u2126", "ohm",
		"℃", "degC", "℉", "degF", "°C", "degC", "°F", "degF", "°R", "degR", "\u00a0", " ", "·", " ", "⋅", " ", "*", " ", "×", " ", ".", " ",
	)
	per     = pattern.New(`(?i)(^|[ )])per +`)
	degrees = pattern.New(`(?i)\bdeg(?:ree)?s?[ -]*(c|f|r|celsius|fahrenheit|rankine)\b`)
	powers  = pattern.New(`(?i)\b(square|sq|cubic|cu) *([a-z]+)`)
	raised  = pattern.New(`(?i)\b([a-z]+) (squared|cubed)\b`)
)

// tidy returns a spelling with single blanks between factors, slashes, and powers as digits: lbf/in2
// for pounds-force per square inch is "pounds force/inch2".
func tidy(text string) string {
	text = likeSymbols.Replace(text)
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		if r == '-' && i > 0 && i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || runes[i+1] == '(') {
			r = ' '
		}
		b.WriteRune(r)
	}
	text = strings.Join(strings.Fields(b.String()), " ")
	text = degrees.ReplaceAllStringFunc(text, func(match string) string {
		return "deg" + strings.ToUpper(degrees.FindStringSubmatch(match)[1][:1])
	})
	text = per.ReplaceAllString(text, "$1/")
	if strings.HasPrefix(text, "/") {
		text = "1" + text
	}
	text = powers.ReplaceAllStringFunc(text, func(match string) string {
		parts := powers.FindStringSubmatch(match)
		return parts[2] + powerOf[strings.ToLower(parts[1])]
	})
	text = raised.ReplaceAllStringFunc(text, func(match string) string {
		parts := raised.FindStringSubmatch(match)
		return parts[1] + powerOf[strings.ToLower(parts[2])]
	})
	return strings.NewReplacer(" /", "/", "/ ", "/", "( ", "(", " )", ")").Replace(text)
}

var powerOf = map[string]string{"square": "2", "sq": "2", "squared": "2", "cubic": "3", "cu": "3", "cubed": "3"}

// product has the exponents of the words of units.
type product map[string]int

// key returns one text for all orders of the factors.
func (p product) key() string {
	var list []string
	for word, n := range p {
		if n != 0 {
			list = append(list, fmt.Sprint(word, ":", n))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// productsIn returns the products that a text can mean, at most two. After a slash without parentheses
// the second factor can divide or not: W/m2 K, and Btu/h ft.
func (r *reading) productsIn(text string) []product {
	parts := divided(text)
	isOpen := false
	one, other := product{}, product{}
	for i, part := range parts {
		isGroup := i > 0 && strings.HasPrefix(part, "(") && strings.HasSuffix(part, ")")
		if isGroup {
			part = part[1 : len(part)-1]
		}
		if i == 0 && part == "1" && len(parts) > 1 {
			continue
		}
		factors, ok := r.factorsIn(part)
		if !ok || i > 0 && part == "1" {
			return nil
		}
		for k, f := range factors {
			switch {
			case i == 0:
				one[f.word], other[f.word] = one[f.word]+f.n, other[f.word]+f.n
			case isGroup || k == 0:
				one[f.word], other[f.word] = one[f.word]-f.n, other[f.word]-f.n
			default:
				isOpen = true
				one[f.word], other[f.word] = one[f.word]+f.n, other[f.word]-f.n
			}
		}
	}
	if isOpen {
		return []product{one, other}
	}
	return []product{one}
}

// divided splits a text at the slashes outside of parentheses.
func divided(text string) (parts []string) {
	depth, from := 0, 0
	for i := range len(text) {
		switch {
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth--
		case text[i] == '/' && depth == 0:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

type wordPower struct {
	word string
	n    int
}

var factorForm = pattern.New(`^([\pL_%]+)(-?[1-9])?$`)

// factorsIn reads factors with blanks between them. The longest phrase that is a spelling counts.
func (r *reading) factorsIn(text string) (list []wordPower, ok bool) {
	words := strings.Split(text, " ")
	for len(words) > 0 {
		read := 0
		for n := min(longestPhrase, len(words)); n > 0 && read == 0; n-- {
			parts := factorForm.FindStringSubmatch(words[n-1])
			if parts == nil {
				continue
			}
			phrase := strings.Join(append(slices.Clone(words[:n-1]), parts[1]), " ")
			word := r.word(phrase)
			if word == "" {
				continue
			}
			power := 1
			if parts[2] != "" {
				power = int(parts[2][len(parts[2])-1] - '0')
				if parts[2][0] == '-' {
					power = -power
				}
			}
			list, read = append(list, wordPower{word, power}), n
		}
		if read == 0 {
			return nil, false
		}
		words = words[read:]
	}
	return list, true
}

const longestPhrase = 4

// word returns the word in ids for a word or a phrase, or "" if there is none. A temperature in a
// product is a difference.
func (r *reading) word(text string) string {
	names, _ := words()
	switch {
	case text == "C" || text == "degC":
		return "K"
	case r.hasDegF && (text == "F" || text == "degR" || text == "R"):
		return "degF"
	case names[text]:
		return text
	}
	exact, fold := aliases()[0], aliases()[1]
	if id := exact[text]; id != "" {
		return id
	}
	return fold[strings.ToLower(text)]
}

// aliases returns the words for units that are one word: with exact capitals, and with any.
var aliases = sync.OnceValue(func() [2]map[string]string {
	of := [2]map[string]string{{}, {}}
	put := func(m map[string]string, text, id string) {
		if m[text] == "" {
			m[text] = id
		}
	}
	for _, s := range slices.Concat(listed(), siNames()) {
		text := tidy(s.Text)
		if s.isAlone || !isWord(s.Unit) || strings.ContainsAny(text, "/()0123456789") {
			continue
		}
		put(of[0], text, s.Unit)
		if !s.exact {
			put(of[1], strings.ToLower(text), s.Unit)
		}
	}
	names, _ := words()
	for word := range names {
		if slices.Contains(customary, word) {
			put(of[1], strings.ToLower(word), word)
		}
	}
	return of
})

func isWord(id string) bool {
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}
