package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// quantity is a number with its unit in a text for people: {3 mm}, {-20 degC} or {5 K difference}.
type quantity struct {
	text   string  // as people write it, in the unit of the author
	unit   string  // for [Shown], "" if the number keeps its unit
	si     float64 // in the unit of SI
	digits int     // of the number in another unit
}

// isQuantity reports whether a hole is a quantity. A number alone, or a plain number in a unit, is an expression.
func isQuantity(text string) bool {
	number := numberForm.FindString(text)
	rest := strings.TrimLeft(text[len(number):], " \t")
	first, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, "1/"))
	return number != "" && len(rest) < len(text)-len(number) && (unicode.IsLetter(first) || first == '%') && !strings.HasPrefix(rest, "in ")
}

// difference ends the unit of a difference of temperatures.
const difference = " difference"

// readLiteral reads a number with its unit. It returns nil for what is not one, and reports it.
func (r *reader) readLiteral(p Phrase) *quantity {
	text, isDifference := strings.CutSuffix(p.Text, difference)
	v := r.readQuantity(&Value{Phrase: p.within(0, len(text))})
	switch {
	case v == nil:
		return &quantity{text: p.Text}
	case isDifference && v.Unit.SI != "K":
		r.wrong(p, "a difference is of temperatures: write {5 K difference}")
	case v.Unit.Money:
		r.wrong(p, "an amount of money has no unit to convert: write it without braces")
	}
	q := &quantity{text: v.Digits + " " + formula.FormatUnit(v.Unit.ID), unit: v.Unit.ID, digits: max(leastShown, digitsOf(v.Digits))}
	u, listed := units.Lookup(v.Unit.ID)
	switch {
	case isDifference && listed:
		v.Unit.Offset = nil
		v.SI = inSI(ratOf(v.Digits), v.Unit)
		q.text, q.unit = v.Digits+" "+formula.FormatUnit(u.Difference().ID), "K"+difference
		if u.ID == "degC" {
			q.text = v.Digits + " K"
		}
	case v.Unit.ID == "K":
		q.unit = "degC" // a point on the scale
	case !listed:
		q.unit = ""
	}
	q.si = v.binary64()
	return q
}

// leastShown is the number of digits of a converted number whose author wrote fewer. Three digits give back the number of
// the author: {3 mm} is 0.118 in, which is 3.00 mm.
const leastShown = 3

// digitsOf returns how many significant digits a number has. Zeros at the end of an integer do not count.
func digitsOf(digits string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(digits), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(mantissa, "0")
	}
	return significant(mantissa)
}

// append appends the quantity for a reader.
func (q *quantity) append(b []byte, shown Shown) []byte {
	if shown != nil && q.unit != "" {
		if x, in := shown(q.unit, q.si); in != "" {
			return append(formula.AppendRounded(b, x, q.digits), " "+formula.FormatUnit(in)...)
		}
	}
	return append(b, q.text...)
}

// prose calls f for each text for people, except the texts of checks and the labels of elements, which can have values. Notes
// are not shown.
func (d *Document) prose(f func(p Phrase)) {
	f(d.Summary)
	for _, fields := range [][]Field{d.Inputs, d.Outputs} {
		for i := range fields {
			f(fields[i].Doc)
		}
	}
	for i := range d.Formulas {
		f(d.Formulas[i].Label)
	}
	for i := range d.Plots {
		f(d.Plots[i].Title)
		f(d.Plots[i].Summary)
	}
	for i := range d.Limits {
		f(d.Limits[i].Doc)
	}
	for _, p := range slices.Concat(d.Assumptions, d.References, d.Changes, d.SignConvention) {
		f(p)
	}
}

// checkProse reports what is not a quantity in the braces of a text for people.
func (r *reader) checkProse(d *Document) {
	d.prose(func(p Phrase) {
		m := r.message(p)
		for i := range m.holes {
			h := &m.holes[i]
			isNumber := numberForm.MatchString(h.at.Text)
			if h.of == nil && (!isNumber || r.readQuantity(&Value{Phrase: h.at}) != nil) {
				r.wrong(h.at, "braces in this text have a number and a unit, such as {3 mm}: write {{ for a brace")
			}
		}
	})
}

// in returns the text for a reader. Parse has reported its mistakes.
func (p Phrase) in(shown Shown) string {
	if !strings.ContainsAny(p.Text, "{}") {
		return p.Text
	}
	var b []byte
	m := new(reader).message(p)
	for i := range m.holes {
		if h := &m.holes[i]; h.of != nil {
			b = h.of.append(append(b, h.lead...), shown)
		}
	}
	return string(append(b, m.rest...))
}

// allIn returns texts for a reader.
func allIn(list []Phrase, shown Shown) (out []string) {
	for _, p := range list {
		out = append(out, p.in(shown))
	}
	return out
}

// write sets the texts of a Spec for a reader. The Spec has the fields, limits and plots of the document.
func (d *Document) write(s *sdk.Spec, shown Shown) {
	s.Summary = d.Summary.in(shown)
	s.Changes, s.SignConvention = strings.Join(allIn(d.Changes, shown), " "), strings.Join(allIn(d.SignConvention, shown), " ")
	s.Assumptions = allIn(d.Assumptions, shown)
	for _, u := range s.Uses {
		if u.Spec == nil {
			continue
		}
		for _, a := range u.Spec.Assumptions { // what a calculation assumes holds for the document, too
			s.Assumptions = append(s.Assumptions, u.Title+": "+a)
		}
	}
	for i, p := range d.References {
		s.References[i].Title, s.References[i].Where, _ = strings.Cut(p.in(shown), ": ")
	}
	for i := range d.Inputs {
		f := &d.Inputs[i]
		of := fieldOf(s.Inputs, f.Name.Text)
		if of != nil && f.Member != "" && of.Items != nil {
			of = fieldOf(of.Items.Fields, f.Member)
		}
		if of != nil {
			of.Doc = f.Doc.in(shown)
		}
	}
	for i := range d.Outputs {
		if of := fieldOf(s.Outputs, d.Outputs[i].Name.Text); of != nil {
			of.Doc = d.Outputs[i].Doc.in(shown)
		}
	}
	for i := range d.Formulas {
		at := slices.IndexFunc(s.Formulas, func(f sdk.Formula) bool { return f.ID == d.Formulas[i].ID.Text })
		if at >= 0 {
			s.Formulas[at].Label = d.Formulas[i].Label.in(shown)
		}
	}
	for i := range s.Limits {
		s.Limits[i].Doc = d.Limits[i].Doc.in(shown)
	}
	for i := range d.Plots {
		at := slices.IndexFunc(s.Plots, func(p sdk.Plot) bool { return p.ID == d.Plots[i].ID.Text })
		if at >= 0 {
			s.Plots[at].Title, s.Plots[at].Summary = d.Plots[i].Title.in(shown), d.Plots[i].Summary.in(shown)
		}
	}
}

func fieldOf(fields []sdk.Field, name string) *sdk.Field {
	at := slices.IndexFunc(fields, func(f sdk.Field) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	return &fields[at]
}

// ReadFor returns the Spec of a published document with its texts as a reader sees them. It is the Spec itself if no text
// changes, or if the document cannot be read.
func ReadFor(s *sdk.Spec, shown Shown) *sdk.Spec {
	uses, changed := slices.Clone(s.Uses), false
	for i := range uses {
		if u := &uses[i]; u.Spec != nil {
			u.Spec = ReadFor(u.Spec, shown)
			changed = changed || u.Spec != s.Uses[i].Spec
		}
	}
	d, err := Parse("document", []byte(s.Document))
	if err != nil || len(d.Limits) != len(s.Limits) || len(d.References) > len(s.References) {
		return s
	}
	read := *s
	read.Uses = uses
	read.Inputs, read.Outputs = slices.Clone(s.Inputs), slices.Clone(s.Outputs)
	for i := range read.Inputs {
		if items := read.Inputs[i].Items; items != nil {
			own := *items
			own.Fields = slices.Clone(items.Fields)
			read.Inputs[i].Items = &own
		}
	}
	read.Formulas, read.Limits = slices.Clone(s.Formulas), slices.Clone(s.Limits)
	read.Plots, read.References = slices.Clone(s.Plots), slices.Clone(s.References)
	d.write(&read, func(unit string, x float64) (float64, string) {
		y, in := shown(unit, x)
		changed = changed || in != ""
		return y, in
	})
	if !changed {
		return s
	}
	return &read
}
