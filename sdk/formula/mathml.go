package formula

import (
	"html"
	"strings"
)

// MathML returns the text as a math element for pages, which needs no JavaScript. The element
// also has the text in one line, for readers without MathML. Cells have the classes left and
// right.
//
// Typeset returns the LaTeX of a name, or "" for the result of [Typeset]; it can be nil. LaTeX
// with more than letters, indexes, exponents and accents is not read.
func (t *Text) MathML(typeset func(name string) string) string {
	l := newLayout(mathml{}, typeset)
	l.text(t)
	return mathElement(string(l.out), t.Line(), true)
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

// unit writes the slash of a fraction in an exponent as a character of mathematical fonts.
func (mathml) unit(id string) string {
	return element("mtext", strings.ReplaceAll(FormatUnit(id), "ᐟ", "⁄"))
}

func (mathml) name(latex string) (string, bool) { return readName(latex) }

// word keeps the blanks at the ends, which MathML would drop.
func (mathml) word(text string) string {
	return element("mtext", blanks.Replace(text))
}

var blanks = strings.NewReplacer(" ", "\u00a0", "_", "\u00a0")

func (mathml) function(name string) string {
	if arc, ok := strings.CutPrefix(name, "a"); ok && (arc == "sin" || arc == "cos" || arc == "tan") {
		name = "arc" + arc
	}
	return element("mi", name) + "<mo>\u2061</mo>"
}

var mathSigns = [...]string{
	Neg: "<mo>−</mo>", Add: "<mo>+</mo>", Sub: "<mo>−</mo>", Equal: "<mo>=</mo>", NotEqual: "<mo>≠</mo>",
	Less: "<mo>&lt;</mo>", LessEqual: "<mo>≤</mo>", Greater: "<mo>&gt;</mo>", GreaterEqual: "<mo>≥</mo>",
}

func (mathml) sign(op Op) string { return mathSigns[op] }

func (mathml) dot() string { return "<mo>·</mo>" }

// space returns the invisible sign of a product, for screen readers.
func (mathml) space() string { return `<mo rspace="0.17em">` + "\u2062</mo>" }

func (mathml) row() marks { return marks{before: "<mrow>", after: "</mrow>"} }

func (mathml) fence(open, shut string) marks {
	return marks{before: "<mrow><mo>" + open + "</mo>", after: "<mo>" + shut + "</mo></mrow>"}
}

// each makes one element of each part.
func each(name string) marks {
	return marks{before: "<" + name + "><mrow>", between: "</mrow><mrow>", after: "</mrow></" + name + ">"}
}

func (mathml) fraction() marks { return each("mfrac") }
func (mathml) root() marks     { return marks{before: "<msqrt>", after: "</msqrt>"} }
func (mathml) power() marks    { return each("msup") }
func (mathml) index() marks    { return each("msub") }

func (mathml) sum(above bool) marks {
	if above {
		return marks{before: "<munderover><mo>∑</mo><mrow>", between: "</mrow><mrow>", after: "</mrow></munderover>"}
	}
	return marks{before: "<munder><mo>∑</mo><mrow>", after: "</mrow></munder>"}
}

func (mathml) cases() table {
	return table{
		marks{before: `<mrow><mo>{</mo><mtable displaystyle="true">`, after: "</mtable></mrow>"},
		marks{before: `<mtr><mtd class="left">`, between: `</mtd><mtd class="left">`, after: `</mtd></mtr>`},
	}
}

func (mathml) lines(n int, equals string) table {
	if n == 1 {
		return table{cells: marks{between: equals}}
	}
	return table{
		marks{before: `<mtable displaystyle="true" class="tight">`, after: "</mtable>"},
		marks{before: `<mtr><mtd class="right">`, between: `</mtd><mtd class="left">` + equals, after: `</mtd></mtr>`},
	}
}
