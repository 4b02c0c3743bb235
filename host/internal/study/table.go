package study

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"

	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Table has the numbers of a result, for people and for spreadsheets.
type Table struct {
	Head []string
	Rows [][]Cell
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

// Table returns the numbers of the result. A histogram has a row for each bin.
func (r *Result) Table() *Table {
	t := new(Table)
	switch {
	case r.Rows != nil:
		r.sweepTable(t)
	case r.Goal != nil:
		t.Head = []string{r.Inputs[0].head(), r.Outputs[0].head(), "which"}
		for _, row := range []struct {
			Trial
			what string
		}{{r.Goal.Below, "the number below"}, {r.Goal.Trial, "nearest to the goal"}, {r.Goal.Above, "the number above"}} {
			t.add(numberCell(row.Input), row.cell(), text(row.what))
		}
	case r.Sensitivity != nil:
		t.Head = []string{"output", "input", "estimate", "derivative", "derivative error", "elasticity", "input, less", "output there", "input, more", "output there"}
		for i := range r.Sensitivity {
			for _, e := range r.Sensitivity[i].Inputs {
				row := []Cell{text(r.Sensitivity[i].Output), text(e.Input), numberCell(e.Estimate), numberCell(e.Derivative), numberCell(e.Error), optionalCell(e.Elasticity)}
				for _, end := range []*Trial{e.Low, e.High} {
					if end == nil {
						row = append(row, Cell{}, Cell{})
					} else {
						row = append(row, numberCell(end.Input), end.cell())
					}
				}
				t.add(row...)
			}
		}
	case r.Budget != nil:
		t.Head = []string{"output", "input", "estimate", "standard uncertainty", "degrees of freedom", "sensitivity", "contribution", "share of the variance"}
		for i := range r.Budget {
			b := &r.Budget[i]
			for _, c := range b.Inputs {
				t.add(text(b.Output), text(c.Input), numberCell(c.Estimate), numberCell(c.Standard), optionalCell(c.Freedom), numberCell(c.Derivative), numberCell(c.Contribution), optionalCell(c.Share))
			}
			t.add(text(b.Output), text("combined"), numberCell(b.Estimate), numberCell(b.Standard), optionalCell(b.Freedom), Cell{}, Cell{}, Cell{})
		}
	case r.Drawn != nil:
		t.Head = []string{"output", "from", "to", "draws"}
		for i := range r.Drawn {
			h := r.Drawn[i].Histogram
			for k, n := range h.Counts {
				t.add(text(r.Drawn[i].Output), numberCell(h.Edge(k)), numberCell(h.Edge(k+1)), numberCell(float64(n)))
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

func (q *Quantity) head() string {
	if q.Unit == "" {
		return q.Name
	}
	return q.Name + " [" + q.Unit + "]"
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
		t.Head = append(t.Head, r.Inputs[i].head())
	}
	columns := []struct{ prefix, suffix string }{{"", ""}}
	if r.Kind == Compare {
		columns = []struct{ prefix, suffix string }{{"", " in " + r.Version}, {"", " in " + r.Plan.Against}, {"difference of ", ""}}
	}
	for _, c := range columns {
		for i := range r.Outputs {
			t.Head = append(t.Head, c.prefix+r.Outputs[i].head()+c.suffix)
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
