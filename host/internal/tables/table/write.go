package table

import (
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// NewWriter returns what writes the answers to the rows as a table, and the output that appends such
// answers. Nothing is written before the first row or Close, which ends the table: one with typed
// columns that was not closed cannot be taken for whole. The error is a [*problem.Problem] if the
// table cannot be written in this format.
func (t *Sheet) NewWriter(w io.Writer, as Format) (io.WriteCloser, batch.Output, error) {
	t.asTable = true
	switch as {
	case Parquet, Arrow, Arrows:
		cells, err := t.newColumnWriter(w, as.Begin())
		return cells, t.appendCells, err
	}
	if err := t.fitsText(); err != nil {
		return nil, nil, err
	}
	if as == Table {
		lines := &aligned{w: w, separator: t.rows.separator()}
		return &headed{w: lines, head: t.Head(), end: lines.flush}, t.AppendRecord, nil
	}
	return &headed{w: w, head: t.Head(), end: func() error { return nil }}, t.AppendRecord, nil
}

// Begin returns what begins a file of a format with typed columns.
func (f Format) Begin() columns.Begin {
	switch f {
	case Arrow:
		return columns.NewArrow
	case Arrows:
		return columns.NewArrowStream
	}
	return columns.NewParquet
}

// headed writes a header before what is written first.
type headed struct {
	w    io.Writer
	head []byte
	end  func() error
}

func (h *headed) Write(p []byte) (int, error) {
	if err := h.begin(); err != nil {
		return 0, err
	}
	return h.w.Write(p)
}

func (h *headed) begin() error {
	if h.head == nil {
		return nil
	}
	_, err := h.w.Write(h.head)
	h.head = nil
	return err
}

// Close ends the table. One without rows is its header.
func (h *headed) Close() error {
	if err := h.begin(); err != nil {
		return err
	}
	return h.end()
}
