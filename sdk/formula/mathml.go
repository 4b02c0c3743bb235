package formula

import (
	"html"
	"strings"
)

// MathML returns the text as a math element for pages, which needs no JavaScript. The element
// also has the text in one line, for whoever cannot read MathML. Cells have the classes left and
// right. Typeset returns the LaTeX of a name, or "" for what [Typeset] makes of it; it may be
// nil. LaTeX with more than letters, indexes, exponents and accents is not read.
func (t *Text) MathML(typeset func(name string) string) string {
	l := newLayout(mathml{}, typeset)
	return mathElement(l.text(t), t.Line(), true)
}

// mathElement returns a math element.
func mathElement(content, text string, display bool) string {
	block := ""
	if display {
		block = ` display="block"`
	}
	return `<math` + block + ` alttext="` + html.EscapeString(text) + `">` + content + `</math>`
}

// mathml writes a formula in Presentation MathML.
type mathml struct{}

func element(name, text string) string {
	return "<" + name + ">" + html.EscapeString(text) + "</" + name + ">"
}

func (mathml) number(digits, exponent string) string {
	n := element("mn", strings.Replace(digits, "-", "−", 1))
	if exponent == "" {
		return n
	}
	power := "<msup><mn>10</mn>" + element("mn", strings.Replace(exponent, "-", "−", 1)) + "</msup>"
	if digits == "1" {
		return power
	}
	return "<mrow>" + n + "<mo>×</mo>" + power + "</mrow>"
}

func (mathml) unit(id string) string { return element("mtext", FormatUnit(id)) }

func (mathml) name(latex string) (string, bool) { return readName(latex) }

// word keeps the blanks at its ends, which MathML would drop.
func (mathml) word(text string) string {
	return element("mtext", strings.NewReplacer(" ", "\u00a0", "_", "\u00a0").Replace(text))
}

func (mathml) function(name string) string {
	if arc, ok := strings.CutPrefix(name, "a"); ok && (arc == "sin" || arc == "cos" || arc == "tan") {
		name = "arc" + arc
	}
	return element("mi", name) + "<mo>\u2061</mo>"
}

func (mathml) sign(op Op) string {
	return element("mo", map[Op]string{
		Neg: "−", Add: "+", Sub: "−", Equal: "=", NotEqual: "≠", Less: "<", LessEqual: "≤", Greater: ">", GreaterEqual: "≥",
	}[op])
}

func (mathml) dot() string { return "<mo>·</mo>" }

// space is the invisible sign of a product, which screen readers know.
func (mathml) space() string { return `<mo rspace="0.17em">` + "\u2062</mo>" }

func (mathml) row(parts ...string) string { return "<mrow>" + strings.Join(parts, "") + "</mrow>" }

func (mathml) fence(open, inside, shut string) string {
	return "<mrow>" + element("mo", open) + inside + element("mo", shut) + "</mrow>"
}

func (mathml) fraction(x, y string) string { return "<mfrac>" + single(x) + single(y) + "</mfrac>" }
func (mathml) root(x string) string        { return "<msqrt>" + x + "</msqrt>" }
func (mathml) power(x, y string) string    { return "<msup>" + single(x) + single(y) + "</msup>" }
func (mathml) index(x, i string) string    { return "<msub>" + single(x) + single(i) + "</msub>" }

// single makes one element of several.
func single(x string) string { return "<mrow>" + x + "</mrow>" }

func (mathml) sum(below, above string) string {
	if above == "" {
		return "<munder><mo>∑</mo>" + single(below) + "</munder>"
	}
	return "<munderover><mo>∑</mo>" + single(below) + single(above) + "</munderover>"
}

func (mathml) cases(rows [][2]string) string {
	var b strings.Builder
	b.WriteString(`<mrow><mo>{</mo><mtable displaystyle="true">`)
	for _, row := range rows {
		b.WriteString(`<mtr><mtd class="left">` + row[0] + `</mtd><mtd class="left">` + row[1] + `</mtd></mtr>`)
	}
	return b.String() + "</mtable></mrow>"
}

func (mathml) lines(rows [][2]string, equals string) string {
	if len(rows) == 1 {
		return rows[0][0] + equals + rows[0][1]
	}
	var b strings.Builder
	b.WriteString(`<mtable displaystyle="true" class="tight">`)
	for _, row := range rows {
		b.WriteString(`<mtr><mtd class="right">` + row[0] + `</mtd><mtd class="left">` + equals + row[1] + `</mtd></mtr>`)
	}
	return b.String() + "</mtable>"
}
