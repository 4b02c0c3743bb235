package table

import (
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// NewWriter returns a writer for the answers to the rows as a table, and the output that appends such
// answers. It writes nothing before the first row or Close. Close completes the table. A file with typed
// columns that was not closed is invalid. The error is a [*problem.Problem] if the format cannot represent
// the table.
func (t *Sheet) NewWriter(w io.Writer, as Format) (io.WriteCloser, batch.Output, error) {
	t.asTable = true
	switch as {
	case Parquet, Arrow, Arrows:
		cells, err := t.newColumnWriter(w, as.WriterFunc())
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

// WriterFunc returns the function that starts a file of a format with typed columns.
func (f Format) WriterFunc() columns.NewWriterFunc {
	switch f {
	case Arrow:
		return columns.NewArrow
	case Arrows:
		return columns.NewArrowStream
	}
	return columns.NewParquet
}

// headed writes a header before the first row.
type headed struct {
	w    io.Writer
	head []byte
	end  func() error
}

func (h *headed) Write(p []byte) (int, error) {
	if err := h.writeHeader(); err != nil {
		return 0, err
	}
	return h.w.Write(p)
}

func (h *headed) writeHeader() error {
	if h.head == nil {
		return nil
	}
	_, err := h.w.Write(h.head)
	h.head = nil
	return err
}

// Close completes the table. A table without rows has only the header.
func (h *headed) Close() error {
	if err := h.writeHeader(); err != nil {
		return err
	}
	return h.end()
}
