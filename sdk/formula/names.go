package formula

import "strings"

// fonts change the shape of letters, and not their meaning.
var fonts = map[string]bool{
	"mathrm": true, "mathit": true, "mathbf": true, "mathsf": true, "mathcal": true, "text": true, "operatorname": true,
}

// maxSymbol is the largest length of a symbol, in bytes.
const maxSymbol = 100

// NameOf returns the name of a quantity with this LaTeX symbol in a text. P_{cr} is P_cr, \dot
// Q is Qdot, and \kappa AG is kappaAG. It is false if the symbol is not a name, such as R^2.
func NameOf(symbol string) (string, bool) {
	n := naming{rest: symbol, wrong: len(symbol) > maxSymbol}
	name := n.until("")
	if n.wrong || name == "" || !isLetter(name[0]) || strings.HasSuffix(name, "_") {
		return "", false
	}
	return name, true
}

// naming reads a symbol.
type naming struct {
	rest  string
	wrong bool
}

// until reads up to the end, which is "}" or the end of the symbol.
func (n *naming) until(end string) string {
	var name strings.Builder
	for n.trim(); n.rest != "" && !n.wrong; n.trim() {
		if end != "" && strings.HasPrefix(n.rest, end) {
			n.rest = n.rest[1:]
			return name.String()
		}
		name.WriteString(n.part())
	}
	n.wrong = n.wrong || end != ""
	return name.String()
}

// trim skips characters that names omit.
func (n *naming) trim() { n.rest = strings.TrimLeft(n.rest, " ,") }

// part reads a character, a group or a command with its argument.
func (n *naming) part() string {
	n.trim()
	if n.rest == "" {
		return ""
	}
	c := n.rest[0]
	n.rest = n.rest[1:]
	switch {
	case isLetter(c) || isDigit(c) || c == '_':
		return string(c)
	case c == '{':
		return n.until("}")
	case c == '\\':
		return n.command()
	}
	n.wrong = true
	return ""
}

func (n *naming) command() string {
	end := 0
	for end < len(n.rest) && isLetter(n.rest[end]) {
		end++
	}
	word := n.rest[:end]
	n.rest = n.rest[end:]
	if word == "overline" {
		word = "bar"
	}
	switch {
	case accents[word] != "":
		letter := n.part()
		n.wrong = n.wrong || letter == "" || letter == "_"
		return letter + word
	case fonts[word]:
		return n.part()
	case word == "" && n.rest != "" && strings.ContainsRune(",;:! ", rune(n.rest[0])): // a space
		n.rest = n.rest[1:]
	case word == "":
		n.wrong = true
	}
	return word
}

// Names returns the names that the text defines: definitions, their parameters, and indexes.
func (t *Text) Names() []string {
	var names []string
	add := func(x *Expr) {
		if x.Op == Fold {
			names = append(names, x.Name)
		}
	}
	for _, d := range t.Definitions {
		names = append(append(names, d.Name), d.Params...)
		if d.List != nil {
			names = append(names, d.List.Index)
		}
		d.walk(add)
	}
	return names
}
