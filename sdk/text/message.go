package text

import (
	"context"
	"math/big"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/doubled"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// message is a text with values.
type message struct {
	holes []hole
	rest  string // after the last hole
}

// hole is an expression in the text of a check, or a quantity: {eta}, {t in mm}, {eta exactly}, {definition of from} or {3 mm}.
type hole struct {
	of     *quantity // nil: an expression
	at     Phrase    // the expression
	unit   string
	exact  bool   // all digits are shown
	define bool   // the expression is a unit, and its definition is shown
	name   string // of the definition that computes it
	later  int    // of it, among the later results of the program, or among the results of an element
	lead   string // text before it

	definitions map[string]string // of units
	shown       *shownUnit        // nil: numbers are shown as they are
	suffix      string            // the unit, as people write it
}

// shownUnit converts numbers from the unit of SI to a unit.
type shownUnit struct {
	unit         units.Unit
	factor, zero doubled.Ball
}

const (
	definitionOf = "definition of "
	exactly      = " exactly"
)

// message cuts the text of a check into its holes and the text after the last one.
func (r *reader) message(p Phrase) (m message) {
	var lead strings.Builder
	text := p.Text
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "{{"), strings.HasPrefix(text[i:], "}}"):
			lead.WriteByte(text[i])
			i += 2
		case text[i] == '{':
			end := closing(text, i)
			if end < 0 {
				r.report(p.column(i), 1, "{ is not closed by }: write {{ for a brace")
				return message{}
			}
			h := hole{at: p.within(i+1, end), lead: lead.String()}
			lead.Reset()
			i = end + 1
			if isQuantity(h.at.Text) {
				h.of = r.readLiteral(h.at)
				m.holes = append(m.holes, h)
				continue
			}
			_, h.define = strings.CutPrefix(h.at.Text, definitionOf)
			if h.define {
				h.at = h.at.within(len(definitionOf), len(h.at.Text))
			}
			before, unit, found := cutLast(h.at.Text, " in ")
			if found && !strings.ContainsAny(unit, "()") {
				h.unit = strings.TrimSpace(unit)
				h.at = h.at.within(0, len(before))
			}
			before, h.exact = strings.CutSuffix(h.at.Text, exactly)
			if h.exact && !h.define {
				h.at = h.at.within(0, len(before))
			}
			m.holes = append(m.holes, h)
		default:
			lead.WriteByte(text[i])
			i++
		}
	}
	m.rest = lead.String()
	return m
}

// define finds the definitions of the units that a hole can show. It reports what is not a choice of units.
func (r *reader) define(e *Engine, h *hole) {
	if !h.define {
		return
	}
	f := fieldNamed(e.document.Inputs, h.at.Text)
	if f == nil || f.Type.Kind != OneOf {
		r.wrong(h.at, "%s is not an input with units as its words, and only these have definitions", h.at.Text)
		return
	}
	h.definitions = map[string]string{}
	for _, w := range f.Type.Words {
		u, ok := units.Lookup(w.Text)
		if !ok {
			r.wrong(h.at, "%s can be %s, which is not a unit", h.at.Text, w.Text)
			continue
		}
		h.definitions[w.Text] = u.Sentence()
	}
}

// unitOfHole finds the unit in which a text shows a number. It is the unit that the text has. Without one, it is the unit
// of a field in the expression with the same dimension, or else the unit of SI.
func (r *reader) unitOfHole(e *Engine, si string, h *hole) {
	if h.unit != "" {
		u, ok := r.readUnit(Phrase{h.at.Place, h.unit})
		if ok && u.SI != si && !formula.SameDimension(u.SI, si) {
			r.wrong(h.at, "%s is in %s, and %s is a unit of another quantity", h.at.Text, si, h.unit)
		}
		h.unit = u.ID
		return
	}
	h.unit = si
	for _, fields := range [][]sdk.Field{e.spec.Inputs, e.spec.Outputs} {
		for i := range fields {
			f := &fields[i]
			name, ok := formula.NameOf(f.Symbol)
			if !ok {
				name = f.Name
			}
			if f.Unit == si && f.Shown != "" && mentions(h.at.Text, name) {
				h.unit = f.Shown
				return
			}
		}
	}
}

// mentions reports whether a name is a word of an expression.
func mentions(expression, name string) bool {
	for i := 0; ; {
		k := strings.Index(expression[i:], name)
		if k < 0 {
			return false
		}
		from, to := i+k, i+k+len(name)
		if (from == 0 || !isNamed(expression[from-1])) && (to == len(expression) || !isNamed(expression[to])) {
			return true
		}
		i = to
	}
}

func isNamed(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// prepare makes what the hole needs to show a number.
func (h *hole) prepare() {
	if h.unit != "" {
		h.suffix = " " + formula.FormatUnit(h.unit)
	}
	u, listed := units.Lookup(h.unit)
	if !listed || h.unit == "%" {
		return
	}
	h.shown = &shownUnit{unit: u, factor: doubled.OfUnit(u.Factor, u.Pi)}
	if u.Offset != nil {
		h.shown.zero = doubled.OfRat(u.Offset)
	}
}

// of returns the binary64 number nearest to x in the unit.
func (s *shownUnit) of(x float64) float64 {
	y, known := doubled.Of(x).Div(s.factor).Sub(s.zero).Round()
	if known {
		return y
	}
	exact := new(big.Rat).SetFloat64(x)
	if exact == nil {
		return x // not finite
	}
	y, _ = units.Convert(exact, units.SI(s.unit.Quantity), s.unit).Float64()
	return y
}

// Shown returns a number of a text in the unit in which its reader sees it. The number is of an SI unit, and unit is the one
// of the text, such as mm or K difference. The text keeps its unit if the returned unit is "".
type Shown func(unit string, x float64) (shown float64, in string)

// Notes computes the warnings and assumptions of an outcome for a reader. Most bounds the work, in the
// units of [formula.MaxWork].
func (e *Engine) Notes(ctx context.Context, in value.Values, most int, shown Shown) (warnings []sdk.Warning, assumptions []string, err error) {
	a := e.newAnswer()
	a.shown = shown
	o, _, err := a.calculateWithin(ctx, in, most)
	if err != nil {
		return nil, nil, err
	}
	return o.Warnings, o.Assumptions, nil
}

// append appends a value with 4 digits, or with all of them, in the unit; "-" if there is none.
func (h *hole) append(b []byte, of value.Value, shown Shown) []byte {
	if h.of != nil {
		return h.of.append(b, shown)
	}
	switch of.Kind() {
	case value.Text:
		if !h.define {
			return append(b, of.Text()...)
		}
		return append(b, h.definitions[of.Text()]...)
	case value.Bool:
		if of.Bool() {
			return append(b, "yes"...)
		}
		return append(b, "no"...)
	case value.Number:
	default:
		return append(b, '-')
	}
	x := of.Number()
	if shown != nil && h.shown != nil {
		if y, in := shown(h.unit, x); in != "" {
			return append(formula.AppendRounded(b, y, 4), " "+formula.FormatUnit(in)...)
		}
	}
	switch {
	case h.unit == "%":
		x *= 100
	case h.shown != nil:
		x = h.shown.of(x)
	}
	if h.exact {
		b = value.AppendNumber(b, x)
	} else {
		b = formula.AppendRounded(b, x, 4)
	}
	return append(b, h.suffix...)
}

// with returns the text with the values of its holes.
func (m *message) with(results []formula.Outcome) string {
	var b []byte
	for i := range m.holes {
		h := &m.holes[i]
		var v value.Value
		if h.of == nil {
			v = results[h.later].Value
		}
		b = h.append(append(b, h.lead...), v, nil)
	}
	return string(append(b, m.rest...))
}

// messages has the texts with values of an answer. They share one string.
type messages struct {
	buffer []byte
	ends   []int // of the texts in buffer
	all    string
	read   int // texts that next has returned
}

// reset removes all texts.
func (s *messages) reset() { *s = messages{buffer: s.buffer[:0], ends: s.ends[:0]} }

// end ends the writing of texts. Then next returns them.
func (s *messages) end() { s.all = string(s.buffer) }

// next returns the text of a message that was written. Messages have the order in which they were written.
func (s *messages) next(m *message) string {
	if len(m.holes) == 0 {
		return m.rest
	}
	from := 0
	if s.read > 0 {
		from = s.ends[s.read-1]
	}
	s.read++
	return s.all[from:s.ends[s.read-1]]
}

// write writes the texts of a check.
func (a *answer) write(c *check) {
	for _, m := range []*message{&c.text, &c.suggestion} {
		if len(m.holes) == 0 {
			continue
		}
		s := &a.messages
		for i := range m.holes {
			h := &m.holes[i]
			var o formula.Outcome
			if !a.engine.isMutant && h.of == nil {
				o = a.evaluation.Later(h.later)
			}
			s.buffer = h.append(append(s.buffer, h.lead...), o.Value, a.shown)
		}
		s.buffer = append(s.buffer, m.rest...)
		s.ends = append(s.ends, len(s.buffer))
	}
}
