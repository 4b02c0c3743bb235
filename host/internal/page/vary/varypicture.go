package vary

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/visible"
)

// draw draws a picture of each output.
func (o *varied) draw(a *calc.Answer) {
	for i := range o.drawn {
		d := &o.drawn[i]
		declared := &sdk.Plot{
			ID: "vary-" + strconv.Itoa(i+1), Title: wording.Label(&d.field) + " over " + lowered(wording.Label(o.along.Field)),
			X: sdk.Axis{Label: wording.Label(o.along.Field), Symbol: o.along.Field.Symbol, Unit: o.along.shown.ID, Log: o.along.Log},
			Y: sdk.Axis{Label: wording.Label(&d.field), Symbol: d.field.Symbol, Unit: d.unit.ID},
		}
		if o.family != nil {
			declared.Title += ", for " + strconv.Itoa(len(o.family.Values)) + " values of " + lowered(wording.Label(o.family.Field))
		}
		figure := o.curves(d, a)
		one := variedPicture{ID: declared.ID, Title: declared.Title}
		if len(figure.Curves) > 0 {
			one.SVG = plot.SVG(declared, figure, nil)
		}
		o.Pictures = append(o.Pictures, one)
	}
}

// curves returns a plot with a curve for each value of the family. A curve has a gap for each missing number.
func (o *varied) curves(d *variedOutput, a *calc.Answer) *sdk.Figure {
	f := new(sdk.Figure)
	for i, n := 0, len(o.along.Numbers); i < len(o.answers); i += n {
		name := wording.Label(&d.field)
		if o.family != nil {
			name = o.family.place(i / n)
		}
		piece := sdk.Curve{Label: name}
		for k := range n {
			y, ok := d.number(&o.answers[i+k])
			if ok {
				piece.X, piece.Y = append(piece.X, o.along.shown.Of(o.along.Numbers[k])), append(piece.Y, y)
			}
			if len(piece.X) > 0 && (!ok || k == n-1) {
				f.Curves = append(f.Curves, piece)
				piece = sdk.Curve{Label: name}
			}
		}
	}
	if y, ok := d.number(&batch.Row{Answer: a}); ok && o.has(o.along.Present) {
		f.Points = []sdk.Point{{Label: "present inputs", X: o.along.shown.Of(o.along.Present), Y: y}}
	}
	return f
}

// has reports whether the axis includes the number.
func (o *varied) has(x float64) bool {
	list := o.along.Numbers
	return !math.IsNaN(x) && x >= min(list[0], list[len(list)-1]) && x <= max(list[0], list[len(list)-1])
}

// lowered returns a label within a sentence.
func lowered(text string) string {
	if len(text) > 1 && text[1] >= 'a' && text[1] <= 'z' {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

// Drawn reports whether there is a picture.
func (o *varied) Drawn() bool {
	return slices.ContainsFunc(o.Pictures, func(p variedPicture) bool { return p.SVG != "" })
}

// Noted reports whether a row has a note.
func (o *varied) Noted() bool {
	return slices.ContainsFunc(o.Rows, func(r variedRow) bool { return r.Note != "" })
}

// heads returns the columns, one for each output and curve.
func (o *varied) heads() (heads []string, at []variedCell) {
	for i := range o.drawn {
		d := &o.drawn[i]
		for k := 0; k < len(o.answers); k += len(o.along.Values) {
			var names []string
			if o.family == nil || len(o.drawn) > 1 {
				names = append(names, wording.Label(&d.field))
			}
			if o.family != nil {
				names = append(names, o.family.place(k/len(o.along.Values)))
			}
			heads, at = append(heads, headed(strings.Join(names, ", "), d.unit.Text())), append(at, variedCell{d, k})
		}
	}
	return heads, at
}

// variedCell is a column: an output, and the index of the first answer of its curve.
type variedCell struct {
	output *variedOutput
	first  int
}

// headed returns the head of a column.
func headed(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + " (" + unit + ")"
}

// tabulate sets the numbers of the table on a page.
func (o *varied) tabulate() {
	heads, columns := o.heads()
	o.Header = append([]string{headed(wording.Label(o.along.Field), o.along.UnitText())}, heads...)
	for i := range o.along.Values {
		row := variedRow{At: o.along.text(i, func(x float64) string { return plainIn(x, o.digits) }), Note: o.noteAt(i, o.family != nil)}
		for _, c := range columns {
			cell := wording.Number{Mantissa: "–"}
			if x, ok := c.output.number(&o.answers[c.first+i]); ok {
				cell = o.digits.FormatField(&c.output.field, x)
			}
			row.Cells = append(row.Cells, cell)
		}
		o.Rows = append(o.Rows, row)
	}
}

// refused reports whether a curve has no number. One note for the whole curve explains this.
func (o *varied) refused(curve int) bool {
	n := len(o.along.Values)
	return !slices.ContainsFunc(o.answers[curve*n:(curve+1)*n], func(row batch.Row) bool { return row.Answer != nil })
}

// noteAt explains missing numbers in a row, and has its warnings. A brief note leaves out curves without any number.
func (o *varied) noteAt(i int, brief bool) string {
	var notes []string
	for k := i; k < len(o.answers); k += len(o.along.Values) {
		curve := k / len(o.along.Values)
		text := o.reason(&o.answers[k])
		if text == "" || brief && o.refused(curve) {
			continue
		}
		if o.family != nil {
			text = o.family.place(curve) + ": " + text
		}
		notes = append(notes, text)
	}
	return strings.Join(notes, " ")
}

// reason returns why there is no answer, or the codes of its warnings.
func (o *varied) reason(row *batch.Row) string {
	if row.Problem != nil {
		detail, _ := o.words.WordsOf(row.Problem)
		return detail
	}
	var codes []string
	for _, w := range row.Answer.Success.AllWarnings() {
		codes = append(codes, w.Code)
	}
	return strings.Join(codes, ", ")
}

// note adds a note for each code: how many calculations have no result or a warning.
func (o *varied) note() {
	type group struct {
		what, text  string
		count       int
		first, last string
	}
	var groups []*group
	byCode := map[string]*group{}
	add := func(what, code, place string, text func() string) {
		g := byCode[what+code]
		if g == nil {
			g = &group{what: what, text: text(), first: place}
			groups, byCode[what+code] = append(groups, g), g
		}
		g.count, g.last = g.count+1, place
	}
	for i := range o.answers {
		place := o.where(i)
		if problem := o.answers[i].Problem; problem != nil {
			add("No result", problem.Code, place, func() string {
				detail, _ := o.words.WordsOf(problem)
				return detail
			})
			continue
		}
		answer := o.answers[i].Answer
		for k, w := range answer.Success.AllWarnings() {
			add("A warning", w.Code, place, func() string { return wording.InWords(answer.Success.Spec, o.warnings(answer)[k].Detail) })
		}
	}
	for _, g := range groups {
		text := fmt.Sprintf("%s for %d of %d calculations, at %s", g.what, g.count, o.Count, g.first)
		if g.count > 1 {
			text = fmt.Sprintf("%s for %d of %d calculations, the first at %s and the last at %s", g.what, g.count, o.Count, g.first, g.last)
		}
		o.Notes = append(o.Notes, text+". "+wording.AsSentence(g.text))
	}
}

// where returns the varied inputs of a calculation for a note.
func (o *varied) where(i int) string {
	n := len(o.along.Values)
	text := lowered(o.along.place(i % n))
	if o.family != nil {
		text += ", " + lowered(o.family.place(i/n))
	}
	return text
}

// csv returns all numbers in full precision, with a column for reasons of missing numbers and for warnings.
func (o *varied) csv() ([]byte, error) {
	heads, columns := o.heads()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	_ = w.Write(slices.Concat([]string{o.Header[0]}, heads, []string{"note"})) // w.Error has the error
	for i := range o.along.Values {
		row := []string{o.along.text(i, wording.Shortest)}
		for _, c := range columns {
			text := ""
			if x, ok := c.output.number(&o.answers[c.first+i]); ok {
				text = wording.Shortest(x)
			}
			row = append(row, text)
		}
		_ = w.Write(append(row, visible.Cell(o.noteAt(i, false))))
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
