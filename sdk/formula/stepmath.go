package formula

import (
	"html"
	"strings"

	"github.com/slipstick/slipstick/sdk/units"
)

// MathML returns the line as a math element: the rule, the rule with numbers, and the value,
// one below the other. Typeset is as in [Text.MathML].
func (p *Step) MathML(typeset func(name string) string) string {
	l := newLayout(mathml{}, typeset)
	p.lay(l)
	return mathElement(string(l.out), p.formula(), true)
}

// LaTeX returns the line for a displayed formula in LaTeX.
func (p *Step) LaTeX(typeset func(name string) string) string {
	l := newLayout(latex{}, typeset)
	p.lay(l)
	return string(l.out)
}

func (p *Step) lay(l *layout) {
	name := func() { l.named(p.Name) }
	if p.line != nil {
		name = func() { l.expr(p.line.name) }
	}
	var rows []func()
	add := func(x *Expr) { rows = append(rows, func() { l.expr(x) }) }
	switch {
	case p.Kind == SolvedStep:
		rows = append(rows, func() {
			l.around(l.row(), func() { p.value(l) }, func() { l.put(l.word(", the root of ")) }, func() { l.expr(p.line.rule) })
		})
	case p.line != nil && p.line.rule != nil:
		add(p.line.rule)
		if p.line.with != nil {
			add(p.line.with)
		}
	}
	if p.Kind != SolvedStep {
		rows = append(rows, func() { p.value(l) })
	}
	first := func(i int) {
		if i == 0 {
			name()
		}
	}
	l.fill(l.lines(len(rows), l.sign(Equal)), len(rows), first, func(i int) { rows[i]() })
}

// value lays out the value with its unit.
func (p *Step) value(l *layout) {
	value := func() { l.put(l.word(p.Value)) }
	if strings.Trim(p.Value, "-+.0123456789eE") == "" && strings.ContainsAny(p.Value, "0123456789") {
		value = func() { l.quantity(&Expr{Op: Number, Literal: p.Value}) }
	}
	if p.Unit == "" {
		value()
		return
	}
	l.signed(value, l.space(), func() { l.put(l.unit(p.Unit)) })
}

// formula returns the text of the line without its reason.
func (p *Step) formula() string {
	q := *p
	q.Because, q.Note = "", ""
	return q.text()
}

// BecauseHTML returns Because with its symbols as math elements.
func (p *Step) BecauseHTML(typeset func(name string) string) string {
	return p.because(newLayout(mathml{}, typeset), html.EscapeString, func(math string, x *Expr) string {
		return mathElement(math, (reason{pieces: []piece{{x: x}}}).String(), false)
	})
}

// BecauseLaTeX returns Because with its symbols as formulas in a line.
func (p *Step) BecauseLaTeX(typeset func(name string) string) string {
	return p.because(newLayout(latex{}, typeset), escapes.Replace, func(math string, _ *Expr) string { return "$" + math + "$" })
}

// choice returns a word as people read it. Some words are units.
func choice(word string) string {
	if _, ok := units.Lookup(word); ok {
		return FormatUnit(word)
	}
	return strings.ReplaceAll(word, "_", " ")
}

func (p *Step) because(l *layout, escape func(string) string, element func(math string, x *Expr) string) string {
	if p.line == nil {
		return ""
	}
	var b strings.Builder
	for i, r := range p.line.reasons {
		if i > 0 {
			b.WriteString(" and ")
		}
		for _, part := range r.pieces {
			if part.x == nil {
				b.WriteString(escape(part.word))
			} else if part.x.Op == Literal {
				b.WriteString(escape(choice(part.x.Name)))
			} else {
				l.out = l.out[:0]
				l.expr(part.x)
				b.WriteString(element(string(l.out), part.x))
			}
		}
	}
	return b.String()
}
