package formula

import "strings"

// LaTeX returns the text for LaTeX. Typeset returns the LaTeX of a name, or "" for the result
// of [Typeset]; it can be nil.
func (t *Text) LaTeX(typeset func(name string) string) string {
	l := newLayout(latex{}, typeset)
	l.text(t)
	return string(l.out)
}

// latex writes a formula in LaTeX. A command that ends in a letter must be separated from a
// letter after it.
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
	return unitSigns.Replace(`\mathrm{` + b.String() + "}")
}

var unitSigns = strings.NewReplacer("ohm", `\Omega `, "degC", `{}^{\circ}C`)

func (latex) name(latex string) (string, bool) { return latex, true }

var escapes = strings.NewReplacer(`\`, "", "{", "", "}", "", "$", "", "^", "", "~", "", "_", " ", "%", `\%`, "#", `\#`, "&", `\&`)

func (latex) word(text string) string { return `\text{` + escapes.Replace(text) + "}" }

// commands are the functions of LaTeX.
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

var latexSigns = [...]string{
	Neg: "-", Add: "+", Sub: "-", Equal: "=", NotEqual: `\ne`, Less: "<", LessEqual: `\le`, Greater: ">", GreaterEqual: `\ge`,
}

func (latex) sign(op Op) string { return latexSigns[op] }

func (latex) dot() string   { return `\cdot` }
func (latex) space() string { return `\,` }

func (latex) row() marks { return marks{between: " "} }

func (latex) fence(open, shut string) marks {
	return marks{before: `\left` + open + " ", after: ` \right` + shut}
}

func (latex) fraction() marks { return marks{before: `\frac{`, between: "}{", after: "}"} }
func (latex) root() marks     { return marks{before: `\sqrt{`, after: "}"} }
func (latex) power() marks    { return marks{between: "^", braces: true} }
func (latex) index() marks    { return marks{between: "_", braces: true} }

func (latex) sum(bool) marks { return marks{before: `\sum_{`, between: "}^{", after: "}"} }

func (latex) cases() table {
	return table{marks{before: `\begin{cases} `, between: ` \\ `, after: ` \end{cases}`}, marks{between: " & "}}
}

func (latex) lines(n int, equals string) table {
	if n == 1 {
		return table{cells: marks{between: " " + equals + " "}}
	}
	return table{marks{before: `\begin{aligned} `, between: ` \\ `, after: ` \end{aligned}`}, marks{between: " &" + equals + " "}}
}
