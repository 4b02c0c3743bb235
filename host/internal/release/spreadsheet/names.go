package spreadsheet

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk/formula"
)

// greek are letters that names of documents cannot have.
var greek = strings.NewReplacer("α", "alpha", "β", "beta", "γ", "gamma", "δ", "delta", "Δ", "Delta", "ε", "epsilon", "ζ", "zeta", "η", "eta", "θ", "theta",
	"κ", "kappa", "λ", "lambda", "μ", "mu", "µ", "mu", "ν", "nu", "ξ", "xi", "π", "Pi", "ρ", "rho", "σ", "sigma", "Σ", "Sigma", "τ", "tau", "φ", "phi", "Φ", "Phi",
	"χ", "chi", "ψ", "psi", "ω", "omega", "Ω", "Omega", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue",
	"é", "e", "è", "e", "ê", "e", "á", "a", "à", "a", "ç", "c", "ñ", "n", "ó", "o", "í", "i", "ú", "u")

var separators = regexp.MustCompile(`[^A-Za-z0-9]+`)

// symbolOf returns a symbol for a name or a text.
func symbolOf(text string) string {
	s := strings.Trim(separators.ReplaceAllString(greek.Replace(text), "_"), "_")
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "x" + s
	}
	return s[:min(len(s), 40)]
}

// snake returns a name in small letters, "" if the text has no letter.
func snake(text string) string {
	s := strings.ToLower(strings.Trim(separators.ReplaceAllString(greek.Replace(text), "_"), "_"))
	for s != "" && (s[0] < 'a' || s[0] > 'z') {
		s = s[1:]
	}
	return strings.TrimRight(s[:min(len(s), 40)], "_")
}

// lookupRow matches the names of rows in lookups.
var lookupRow = regexp.MustCompile(`^row[0-9]*$`)

// reserved reports whether formulas of documents have another meaning for a name.
func reserved(name string) bool { return formula.Reserved(name) || lookupRow.MatchString(name) }

// unique returns a name that no other symbol has. If it is taken, the name is taken from now on.
func (m *importer) unique(base string, isTaken bool) string {
	name := base
	for i := 2; m.used[name] || reserved(name); i++ {
		name = base + strconv.Itoa(i)
	}
	m.used[name] = m.used[name] || isTaken
	m.used[name] = true
	return name
}

var (
	wordCharacters  = regexp.MustCompile(`[^A-Za-z0-9_.+/-]+`)
	aliasCharacters = regexp.MustCompile(`^[A-Za-z0-9_.+/-]+( [A-Za-z0-9_.+/-]+)*$`)
)

// wordOf returns the word of documents for a text. Texts that differ in the case of letters are the same, as in the
// workbook.
func (m *importer) wordOf(text string) string {
	key := strings.ToLower(text)
	if word, ok := m.words[key]; ok {
		return word
	}
	base := strings.Trim(wordCharacters.ReplaceAllString(greek.Replace(text), "_"), "_")
	if base == "" {
		base = "empty"
	}
	word := base
	for i := 2; m.taken[strings.ToLower(word)]; i++ {
		word = base + "_" + strconv.Itoa(i)
	}
	m.taken[strings.ToLower(word)] = true
	m.words[key] = word
	return word
}

// oneOf returns the cell of the unit column for a field with some texts.
func (m *importer) oneOf(texts []string) string {
	var list []string
	done := map[string]bool{}
	for _, text := range texts {
		word := m.wordOf(text)
		if done[word] {
			continue
		}
		done[word] = true
		if text != word && aliasCharacters.MatchString(text) && !strings.EqualFold(text, word) {
			list = append(list, word+"="+text)
		} else {
			list = append(list, word)
		}
	}
	return "one of " + strings.Join(list, ", ")
}

// shortest returns the shortest decimal of a number.
func shortest(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok {
		n, _ := strconv.Atoi(exponent)
		if n > -8 && n < 21 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return mantissa + "e" + strconv.Itoa(n)
	}
	return text
}

// hundredfold returns a decimal times 100, without an error of rounding.
func hundredfold(v float64) float64 {
	r, _ := new(big.Rat).SetString(shortest(v))
	f, _ := r.Mul(r, big.NewRat(100, 1)).Float64()
	return f
}

// precisions are the numbers of digits of expected results. A spreadsheet saves 15, and programs differ in the last
// ones. It has fewer correct digits after a difference of nearly equal numbers.
var precisions = []int{12, 10, 8}

// expected returns the result of a vector with its comparison.
func expected(v float64, digits int) string {
	if v == 0 {
		return "== 0"
	}
	text := strconv.FormatFloat(v, 'e', digits-1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	n, _ := strconv.Atoi(exponent)
	if n < -7 || n >= digits {
		return "= " + mantissa + "e" + strconv.Itoa(n)
	}
	return "= " + strconv.FormatFloat(v, 'f', digits-1-n, 64)
}

// isDate reports whether a number format shows dates or times.
func isDate(format string) bool {
	plain := strings.ToLower(literalForm.ReplaceAllString(format, ""))
	return strings.ContainsAny(plain, "ydhs") && !strings.Contains(plain, "general")
}

// literalForm finds texts of number formats, and their colours and conditions.
var literalForm = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|_.|\*.`)

var (
	quotedForm  = regexp.MustCompile(`"([^"]*)"`)
	escapedForm = regexp.MustCompile(`\\(.)`)
)

// unitOfFormat returns the unit in a number format such as 0.0" mm".
func unitOfFormat(format string) (unit string, percent bool) {
	format, _, _ = strings.Cut(format, ";")
	if strings.Contains(literalForm.ReplaceAllString(format, ""), "%") {
		return "%", true
	}
	text := ""
	for _, m := range quotedForm.FindAllStringSubmatch(format, -1) {
		text += m[1]
	}
	if text == "" {
		for _, m := range escapedForm.FindAllStringSubmatch(format, -1) {
			text += m[1]
		}
	}
	unit, ok := unitOf(text)
	if !ok {
		return "", false
	}
	return unit, false
}

// sentence returns a text with a capital letter and a period.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	r := []rune(text)
	if len(r) == 0 {
		return ""
	}
	r[0] = unicode.ToUpper(r[0])
	return strings.TrimRight(string(r), ".") + "."
}
