package formula

import (
	"html"
	"slices"
	"strings"
)

// SymbolMathML returns a math element for the LaTeX of a symbol. It returns "" if the LaTeX
// has more than letters, digits, Greek letters, accents, upright words, indexes and exponents.
func SymbolMathML(latex string) string {
	content, ok := readName(latex)
	if !ok {
		return ""
	}
	return "<math>" + content + "</math>"
}

// readName returns MathML for the LaTeX of a symbol. The LaTeX must consist of letters,
// digits, Greek letters, accents, upright words, indexes and exponents.
func readName(latex string) (mathML string, ok bool) {
	if strings.Count(latex, "_") > 1 && IsName(latex) {
		latex = Typeset(latex)
	}
	if latex == "" || len(latex) > 100 || strings.Contains(latex, "<") {
		return "", false
	}
	r := &symbolReader{rest: latex}
	mathML = r.row(0)
	return mathML, !r.failed && r.rest == "" && mathML != ""
}

// IsName reports whether a symbol is a name of a formula, such as N_b_Rd, and not LaTeX.
func IsName(symbol string) bool {
	for i := range len(symbol) {
		c := symbol[i]
		if c != '_' && !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	return true
}

// symbolReader reads from the start of rest.
type symbolReader struct {
	rest   string
	failed bool
}

// row reads items up to the end or a closing brace.
func (r *symbolReader) row(depth int) string {
	var items []string
	for r.rest != "" && r.rest[0] != '}' && !r.failed {
		if item := r.scripts(depth); item != "" {
			items = append(items, item)
		}
	}
	if len(items) == 1 {
		return items[0]
	}
	return "<mrow>" + strings.Join(items, "") + "</mrow>"
}

// scripts reads an item with its index and exponent.
func (r *symbolReader) scripts(depth int) string {
	base := r.item(depth)
	var scripts [2]string // index and exponent
	for r.rest = strings.TrimLeft(r.rest, " "); r.rest != "" && (r.rest[0] == '_' || r.rest[0] == '^'); r.rest = strings.TrimLeft(r.rest, " ") {
		which := 0
		if r.rest[0] == '^' {
			which = 1
		}
		r.rest = r.rest[1:]
		r.failed = r.failed || base == "" || scripts[which] != ""
		if r.failed {
			return ""
		}
		scripts[which] = r.item(depth)
	}
	switch index, exponent := scripts[0], scripts[1]; {
	case index != "" && exponent != "":
		return "<msubsup>" + base + index + exponent + "</msubsup>"
	case index != "":
		return "<msub>" + base + index + "</msub>"
	case exponent != "":
		return "<msup>" + base + exponent + "</msup>"
	}
	return base
}

// item reads a letter, a digit, a command or a group; "" for a blank.
func (r *symbolReader) item(depth int) string {
	r.rest = strings.TrimLeft(r.rest, " ")
	if r.rest == "" || depth > 8 {
		r.failed = true
		return ""
	}
	c := r.rest[0]
	switch {
	case c == '\\':
		return r.command(depth)
	case c == '{':
		r.rest = r.rest[1:]
		inside := r.row(depth + 1)
		rest, ok := strings.CutPrefix(r.rest, "}")
		r.rest, r.failed = rest, r.failed || !ok
		return inside
	}
	r.rest = r.rest[1:]
	switch {
	case isLetter(c):
		return element("mi", string(c))
	case isDigit(c):
		return element("mn", string(c))
	case strings.IndexByte("+-*/,'()|", c) >= 0:
		return element("mo", map[byte]string{'-': "−", '\'': "′"}[c]+strings.Trim(string(c), "-'"))
	}
	r.failed = true
	return ""
}

// Commands for upright words. The first have a word as their argument; the others are the word
// itself.
var (
	upright      = []string{"mathrm", "text", "operatorname", "mathit", "rm"}
	uprightWords = []string{"max", "min", "ln", "log", "exp", "sin", "cos", "tan", "lim"}
)

func (r *symbolReader) command(depth int) string {
	rest := r.rest[1:]
	n := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	name := rest[:n]
	r.rest = rest[n:]
	if n == 0 && rest != "" && strings.IndexByte(",;:! ", rest[0]) >= 0 { // a space
		r.rest = rest[1:]
		return ""
	}
	switch {
	case greek[name] != "":
		return element("mi", greek[name])
	case accents[name] != "":
		return `<mover accent="true">` + r.item(depth+1) + element("mo", accents[name]) + "</mover>"
	case slices.Contains(uprightWords, name):
		return element("mi", name)
	case slices.Contains(upright, name):
		return r.word()
	case name == "circ":
		return element("mo", "°")
	case name == "infty":
		return element("mi", "∞")
	}
	r.failed = true
	return ""
}

// word reads the argument of \mathrm, which is a word.
func (r *symbolReader) word() string {
	inside, rest, ok := strings.Cut(strings.TrimLeft(r.rest, " "), "}")
	word, braced := strings.CutPrefix(inside, "{")
	r.failed = r.failed || !ok || !braced || strings.ContainsAny(word, `\{_^$`) || strings.TrimSpace(word) == ""
	if r.failed {
		return ""
	}
	r.rest = rest
	if len(word) == 1 {
		return `<mi mathvariant="normal">` + html.EscapeString(word) + "</mi>"
	}
	return element("mi", strings.ReplaceAll(word, " ", "\u00a0"))
}
