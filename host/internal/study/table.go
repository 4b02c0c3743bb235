package study

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Table has the numbers of a result, for people and for spreadsheets.
type Table struct {
	Head []string
	Rows [][]Cell

	format func(unit string) string
}

// Cell is a number, or a text if Number is nil.
type Cell struct {
	Number *float64
	Text   string
}

// String returns all digits of a number.
func (c Cell) String() string {
	if c.Number != nil {
		return string(value.AppendNumber(nil, *c.Number))
	}
	return c.Text
}

func text(s string) Cell           { return Cell{Text: s} }
func numberCell(x float64) Cell    { return Cell{Number: &x} }
func optionalCell(x *float64) Cell { return Cell{Number: x} }
func (t *Table) add(c ...Cell)     { t.Rows = append(t.Rows, c) }

// MarshalJSON implements [json.Marshaler]. An empty cell is null.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.Number != nil:
		return value.AppendNumber(nil, *c.Number), nil
	case c.Text == "":
		return []byte("null"), nil
	}
	return json.Marshal(c.Text)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Cell) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err == nil {
		if s != nil {
			c.Text = *s
		}
		return nil
	}
	return json.Unmarshal(text, &c.Number)
}

// Table returns the numbers of the result. A histogram has a row for each bin. The unit of a column is in its head, and units
// that differ from row to row are in columns of their own. format returns the text of a unit; nil leaves the names of units.
func (r *Result) Table(format func(unit string) string) *Table {
	if format == nil {
		format = func(unit string) string { return unit }
	}
	t := &Table{format: format}
	switch {
	case r.Rows != nil:
		r.sweepTable(t)
	case r.Goal != nil:
		t.Head = []string{t.head(&r.Inputs[0]), t.head(&r.Outputs[0]), "which"}
		for _, row := range []struct {
			Trial
			what string
		}{{r.Goal.Below, "the number below"}, {r.Goal.Trial, "nearest to the goal"}, {r.Goal.Above, "the number above"}} {
			t.add(numberCell(row.Input), row.cell(), text(row.what))
		}
	case r.Sensitivity != nil:
		t.Head = []string{"output", "input", "estimate", "derivative", "derivative error", "elasticity", "input, less", "output there", "input, more", "output there", "input unit", "output unit", "derivative unit"}
		for i := range r.Sensitivity {
			out := r.Outputs[i].Unit
			for _, e := range r.Sensitivity[i].Inputs {
				row := []Cell{text(r.Sensitivity[i].Output), text(e.Input), numberCell(e.Estimate), numberCell(e.Derivative), numberCell(e.Error), optionalCell(e.Elasticity)}
				for _, end := range []*Trial{e.Low, e.High} {
					if end == nil {
						row = append(row, Cell{}, Cell{})
					} else {
						row = append(row, numberCell(end.Input), end.cell())
					}
				}
				in := r.unitOf(e.Input)
				t.add(append(row, text(format(in)), text(format(out)), text(t.slope(out, in)))...)
			}
		}
	case r.Budget != nil:
		t.Head = []string{"output", "input", "estimate", "standard uncertainty", "degrees of freedom", "sensitivity", "contribution", "share of the variance", "input unit", "output unit", "sensitivity unit"}
		for i := range r.Budget {
			b, out := &r.Budget[i], r.Outputs[i].Unit
			for _, c := range b.Inputs {
				in := r.unitOf(c.Input)
				t.add(text(b.Output), text(c.Input), numberCell(c.Estimate), numberCell(c.Standard), optionalCell(c.Freedom), numberCell(c.Derivative), numberCell(c.Contribution), optionalCell(c.Share),
					text(format(in)), text(format(out)), text(t.slope(out, in)))
			}
			t.add(text(b.Output), text("combined"), numberCell(b.Estimate), numberCell(b.Standard), optionalCell(b.Freedom), Cell{}, Cell{}, Cell{}, Cell{}, text(format(out)), Cell{})
		}
	case r.Drawn != nil:
		t.Head = []string{"output", "from", "to", "draws", "unit"}
		for i := range r.Drawn {
			h := r.Drawn[i].Histogram
			for k, n := range h.Counts {
				t.add(text(r.Drawn[i].Output), numberCell(h.Edge(k)), numberCell(h.Edge(k+1)), numberCell(float64(n)), text(format(r.Outputs[i].Unit)))
			}
		}
	}
	return t
}

// Edge returns the start of a bin. Edge(len(h.Counts)) is the end of the last bin.
func (h *Histogram) Edge(bin int) float64 {
	if edge := h.Low + float64(float64(bin)*h.Width); finite(edge) {
		return edge
	}
	half := float64(h.Low/2) + float64(float64(bin)*(h.Width/2)) // the width of all bins can overflow binary64
	return math.Max(-math.MaxFloat64, math.Min(2*half, math.MaxFloat64))
}

func (t *Table) head(q *Quantity) string {
	if q.Unit == "" {
		return q.Name
	}
	return q.Name + " [" + t.format(q.Unit) + "]"
}

// slope returns the unit of a derivative.
func (t *Table) slope(output, input string) string {
	if input == "" {
		return t.format(output)
	}
	per := t.format(input)
	if strings.Contains(per, "/") {
		per = "(" + per + ")"
	}
	return cmp.Or(t.format(output), "1") + " per " + per
}

// unitOf returns the unit of a changed input.
func (r *Result) unitOf(input string) string {
	if at := r.input(input); at >= 0 {
		return r.Inputs[at].Unit
	}
	return ""
}

func (t *Trial) cell() Cell {
	if t.Output == nil {
		return text(t.Code)
	}
	return numberCell(*t.Output)
}

// sweepTable adds a row for each point: inputs and outputs. For a comparison, columns for the other version and for the
// differences follow.
func (r *Result) sweepTable(t *Table) {
	for i := range r.Inputs {
		t.Head = append(t.Head, t.head(&r.Inputs[i]))
	}
	columns := []struct{ prefix, suffix string }{{"", ""}}
	if r.Kind == Compare {
		columns = []struct{ prefix, suffix string }{{"", " in " + r.Version}, {"", " in " + r.Plan.Against}, {"difference of ", ""}}
	}
	for _, c := range columns {
		for i := range r.Outputs {
			t.Head = append(t.Head, c.prefix+t.head(&r.Outputs[i])+c.suffix)
		}
	}
	t.Head = append(t.Head, "code")
	for i := range r.Rows {
		row := &r.Rows[i]
		var cells []Cell
		for _, at := range row.At {
			cells = append(cells, cellOf(at))
		}
		for k := range columns {
			numbers := [][]float64{row.Result, row.Against, row.Difference}[k]
			for o := range r.Outputs {
				if o < len(numbers) {
					cells = append(cells, numberCell(numbers[o]))
				} else {
					cells = append(cells, Cell{})
				}
			}
		}
		code := row.Code
		if row.Other != "" && row.Other != code {
			code += " " + row.Other
		}
		t.add(append(cells, text(code))...)
	}
}

// cellOf returns the cell of a JSON value.
func cellOf(v json.RawMessage) Cell {
	if x, err := strconv.ParseFloat(string(v), 64); err == nil {
		return numberCell(x)
	}
	var s string
	if json.Unmarshal(v, &s) == nil {
		return text(s)
	}
	return text(string(v))
}

// CSV returns the table (RFC 4180), with all digits.
func (t *Table) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	var head []string
	for _, text := range t.Head {
		head = append(head, visible.Cell(text))
	}
	_ = w.Write(head) // Error reports it
	for _, row := range t.Rows {
		var texts []string
		for _, c := range row {
			text := c.String()
			if c.Number == nil {
				text = visible.Cell(text)
			}
			texts = append(texts, text)
		}
		_ = w.Write(texts)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
