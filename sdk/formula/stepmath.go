package formula

import (
	"html"
	"strings"
)

// MathML returns the line as a math element: the rule, the rule with numbers, and the value,
// below one another. Typeset is as in [Text.MathML].
func (p *Step) MathML(typeset func(name string) string) string {
	l := newLayout(mathml{}, typeset)
	name, equals := l.named(p.Name), l.sign(Equal)
	if p.line != nil {
		name = l.expr(p.line.name)
	}
	var rows [][2]string
	add := func(content string) {
		rows = append(rows, [2]string{name, content})
		name = ""
	}
	value := p.value(l)
	switch {
	case p.Kind == SolvedStep:
		rows = [][2]string{{name, l.row(value, l.word(", the root of "), l.expr(p.line.rule))}}
		return mathElement(l.lines(rows, equals), p.formula(), true)
	case p.line != nil && p.line.rule != nil:
		add(l.expr(p.line.rule))
		if p.line.with != nil {
			add(l.expr(p.line.with))
		}
	case p.Rule != "": // of an input
		add(l.word(p.Rule))
	}
	add(value)
	return mathElement(l.lines(rows, equals), p.formula(), true)
}

// value lays out the value with its unit.
func (p *Step) value(l *layout) string {
	value := l.word(p.Value)
	if strings.Trim(p.Value, "-+.0123456789eE") == "" && strings.ContainsAny(p.Value, "0123456789") {
		value = l.expr(&Expr{Op: Number, Literal: p.Value})
	}
	if p.Unit == "" {
		return value
	}
	return l.row(value, l.space(), l.unit(p.Unit))
}

// formula is the text of the line without its reason.
func (p *Step) formula() string {
	q := *p
	q.Because, q.Note = "", ""
	return q.text()
}

// BecauseHTML returns Because with its symbols as math elements.
func (p *Step) BecauseHTML(typeset func(name string) string) string {
	if p.line == nil {
		return ""
	}
	l := newLayout(mathml{}, typeset)
	var b strings.Builder
	for i, r := range p.line.reasons {
		if i > 0 {
			b.WriteString(" and ")
		}
		for _, part := range r.pieces {
			if part.x == nil {
				b.WriteString(html.EscapeString(part.word))
			} else {
				b.WriteString(mathElement(l.expr(part.x), part.x.String(), false))
			}
		}
	}
	return b.String()
}
