package table

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// Marks is the decimal mark of the numbers of a table, and the cell that shows it. This is the first
// unambiguous cell in the order of rows and columns. The zero value is a table without such a cell.
type Marks struct {
	Decimals typed.Decimals `json:"decimal,omitempty" validate:"omitempty,oneof=point comma"`
	Row      uint64         `json:"row,omitempty"` // counted from 0
	Column   string         `json:"column,omitempty" validate:"maxbytes=1000"`
}

// marks are the Marks of a table that is being read. Declared marks do not change. Otherwise the reader
// finds them, and flags each ambiguous cell before, so that rows can be computed in any order.
type marks struct {
	declared typed.Decimals // typed.ByFile: the table shows its own
	commas   bool           // cells are separated by commas, so an unquoted number has a point
	known    *Marks         // of the whole table, if a previous pass has found them
	found    atomic.Pointer[Marks]
	answers  typed.Decimals // the mark in the answers

	seeks bool   // not found yet; used by the reader
	base  uint64 // number of the first row within the table
	row   uint64 // number of the next row; used by the reader
}

func newMarks(o *Options, r rows) *marks {
	m := &marks{declared: o.Decimals, answers: o.Decimals, known: o.Marks, seeks: o.Decimals == typed.ByFile}
	if csv, ok := r.(*csvRows); ok {
		m.commas = csv.separator() == ','
	}
	if m.seeks {
		m.answers = typed.Either
	}
	if m.known != nil && m.known.Row == 0 {
		m.answers = m.known.Decimals
	}
	return m
}

// now returns the mark of the rows that may be computed at present.
func (m *marks) now() typed.Decimals {
	if m.declared != typed.ByFile {
		return m.declared
	}
	if found := m.found.Load(); found != nil {
		return found.Decimals
	}
	return typed.Either
}

// see looks for the mark in the rows of a chunk, starting at an index.
func (m *marks) see(t *Sheet, c *batch.Chunk, from int) {
	if !m.seeks {
		return
	}
	if placed, ok := t.rows.(*columnRows); ok {
		m.row = m.base + placed.first
	}
	i := 0
	for row := range c.Rows() {
		i++
		if i <= from {
			continue
		}
		if m.known != nil && m.known.Decimals != typed.Either && m.row > m.known.Row {
			m.find(*m.known)
		}
		if m.seeks {
			m.seeRow(t, row)
		}
		if !m.seeks {
			return
		}
		m.row++
	}
}

func (m *marks) find(found Marks) {
	m.found.Store(&found)
	m.seeks = false
	if found.Row == 0 {
		m.answers = found.Decimals
	}
}

// seeRow looks for the mark in a row, and flags ambiguous cells.
func (m *marks) seeRow(t *Sheet, row []byte) {
	if !bytes.ContainsAny(row, ".,") {
		return
	}
	rest := string(row)
	for i := 0; i < len(t.columns) && rest != ""; i++ {
		c, at := &t.columns[i], len(row)-len(rest)
		var in cell
		in, rest = cutCell(rest)
		if c.showsMarks() && (in.kind == text || in.kind == raw) {
			mark, doubt := typed.MarkOf(in.text)
			if doubt == typed.Point && m.commas {
				mark = typed.Point
			}
			switch {
			case mark != typed.Either:
				m.find(Marks{mark, m.row, c.header})
				return
			case doubt != typed.Either:
				row[at] = byte(doubtful)
			}
		}
	}
}

// showsMarks reports whether cells of the column are numbers in the notation of people.
func (c *column) showsMarks() bool {
	return c.field != nil && (c.field.Type == sdk.TypeNumber || c.field.Type == sdk.TypeInteger) && (c.kind == text || c.kind == raw)
}

// seek reads ahead to the marks of a table that shows its own, and returns them. It returns nil for other tables.
func (t *Sheet) seek() *Marks {
	m := t.marks
	if m.declared != typed.ByFile {
		return nil
	}
	for m.seeks {
		var c batch.Chunk
		if err := t.Next(&c); err != nil {
			break // the end, or an error that every reader of the rows gets
		}
	}
	if found := m.found.Load(); found != nil {
		return found
	}
	return new(Marks)
}

// twoReadings returns the error for an ambiguous cell before the first cell that shows the mark.
func twoReadings(f *sdk.Field, text string) error {
	readings := fmt.Sprintf("%s and %s", strings.Replace(text, ",", ".", 1), strings.NewReplacer(".", "", ",", "").Replace(text))
	return sdk.Reject(request.CodeInvalidNumber, f.Name, "%s: %s has two readings, %s, and no cell before it shows which", f.Name, request.Clip(text), request.Clip(readings)).
		Suggest("Declare the decimal mark: decimal=comma or decimal=point.")
}

// contradicts returns the error for a cell that does not have the mark of the table.
func (m *marks) contradicts(f *sdk.Field, text string) error {
	found := m.found.Load()
	return sdk.Reject(request.CodeInvalidNumber, f.Name, "%s: %s is not written as row %d of the table is, which has a decimal %s in the column %q", f.Name, request.Clip(text), found.Row+1, found.Decimals, request.Clip(found.Column)).
		Suggest("Write all numbers of a table in one way, or declare it: decimal=comma or decimal=point.")
}
