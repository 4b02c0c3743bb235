package formula

import "strings"

// LaTeX returns the text for LaTeX. Typeset returns the LaTeX of a name, or "" for what
// [Typeset] makes of it; it may be nil.
func (t *Text) LaTeX(typeset func(name string) string) string {
	l := newLayout(latex{}, typeset)
	return l.text(t)
}

// latex writes a formula in LaTeX. Whatever ends in a letter may be followed by one, so that
// parts stand apart.
type latex struct{}

func (latex) number(digits, exponent string) string {
	switch {
	case exponent == "":
		return digits
	case digits == "1":
		return "10^{" + exponent + "}"
	}
	return digits + `\times 10^{` + exponent + "}"
}

func (latex) unit(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); i++ {
		exponent := ""
		if i > 0 && isLetter(id[i-1]) {
			exponent = unitExponent(id[i:])
		}
		switch c := id[i]; {
		case exponent != "":
			b.WriteString("^{" + strings.Trim(exponent, "()") + "}")
			i += len(exponent) - 1
		case c == ' ' || c == '.':
			b.WriteString(`\,`)
		case strings.IndexByte(`%_#&$`, c) >= 0:
			b.WriteString(`\` + string(c))
		case isLetter(c) || isDigit(c) || c == '/' || c == '(' || c == ')':
			b.WriteByte(c)
		}
	}
	return strings.NewReplacer("ohm", `\Omega `, "degC", `{}^{\circ}C`).Replace(`\mathrm{` + b.String() + "}")
}

func (latex) name(latex string) (string, bool) { return latex, true }

var escapes = strings.NewReplacer(`\`, "", "{", "", "}", "", "$", "", "^", "", "~", "", "_", " ", "%", `\%`, "#", `\#`, "&", `\&`)

func (latex) word(text string) string { return `\text{` + escapes.Replace(text) + "}" }

// commands are the functions that LaTeX has.
var commands = map[string]string{
	"exp": `\exp`, "ln": `\ln`, "log": `\log`, "sin": `\sin`, "cos": `\cos`, "tan": `\tan`, "asin": `\arcsin`, "acos": `\arccos`,
	"atan": `\arctan`, "sinh": `\sinh`, "cosh": `\cosh`, "tanh": `\tanh`, "min": `\min`, "max": `\max`,
}

func (latex) function(name string) string {
	if c, ok := commands[name]; ok {
		return c
	}
	return `\operatorname{` + name + "}"
}

func (latex) sign(op Op) string {
	return map[Op]string{
		Neg: "-", Add: "+", Sub: "-", Equal: "=", NotEqual: `\ne`, Less: "<", LessEqual: `\le`, Greater: ">", GreaterEqual: `\ge`,
	}[op]
}

func (latex) dot() string   { return `\cdot` }
func (latex) space() string { return `\,` }

func (latex) row(parts ...string) string { return strings.Join(parts, " ") }

func (latex) fence(open, inside, shut string) string {
	return `\left` + open + " " + inside + ` \right` + shut
}

func (latex) fraction(x, y string) string { return `\frac{` + x + "}{" + y + "}" }
func (latex) root(x string) string        { return `\sqrt{` + x + "}" }
func (latex) power(x, y string) string    { return group(x) + "^" + group(y) }
func (latex) index(x, i string) string    { return group(x) + "_" + group(i) }

// group makes one argument of several signs.
func group(x string) string {
	if len(x) == 1 {
		return x
	}
	return "{" + x + "}"
}

func (latex) sum(below, above string) string {
	if above == "" {
		return `\sum_{` + below + "}"
	}
	return `\sum_{` + below + "}^{" + above + "}"
}

func (latex) cases(rows [][2]string) string {
	return `\begin{cases} ` + table(rows, " & ") + ` \end{cases}`
}

func (latex) lines(rows [][2]string, equals string) string {
	if len(rows) == 1 {
		return rows[0][0] + " " + equals + " " + rows[0][1]
	}
	return `\begin{aligned} ` + table(rows, " &"+equals+" ") + ` \end{aligned}`
}

func table(rows [][2]string, between string) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = row[0] + between + row[1]
	}
	return strings.Join(lines, ` \\ `)
}
