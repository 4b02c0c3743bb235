package table

import (
	"context"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// someRows reads some rows of a file with typed columns, and skips the others.
type someRows struct {
	columns.Reader
	spans []batch.Span // the spans that are not finished
	at    uint64       // rows of the file that were read or skipped
}

func (s *someRows) Rows() int64 { return countSpans(s.spans) }

func (s *someRows) Read(b *columns.Block, atMost int) error {
	for len(s.spans) > 0 && (s.spans[0].Count == 0 || s.at >= s.spans[0].First+s.spans[0].Count) {
		s.spans = s.spans[1:]
	}
	if len(s.spans) == 0 {
		return io.EOF
	}
	next := s.spans[0]
	if s.at < next.First {
		if err := s.Reader.Skip(int64(next.First - s.at)); err != nil {
			return err
		}
		s.at = next.First
	}
	err := s.Reader.Read(b, int(min(uint64(atMost), next.First+next.Count-s.at)))
	if err == nil {
		s.at += uint64(b.Rows)
	}
	return err
}

func countSpans(spans []batch.Span) (rows int64) {
	for _, s := range spans {
		rows += int64(s.Count)
	}
	return rows
}

// Release returns the release for rows without a pin. The error is the same as from [Batch.Run].
func (b Batch) Release(catalog *catalog.Catalog) (*catalog.Release, error) {
	b.Observer = new(counted)
	source, err := b.open()
	if err != nil {
		return nil, &InputError{err}
	}
	defer source.Close()
	sheet, err := b.sheet(catalog, source)
	if err != nil {
		return nil, err
	}
	return sheet.Release(), sheet.Close()
}

// Count returns the number of rows of the file, and the marks of a table that shows its own. It computes
// nothing. The error is the same as from [Batch.Run].
func (b Batch) Count(ctx context.Context, catalog *catalog.Catalog) (rows int64, m *Marks, err error) {
	seen := new(counted)
	b.Observer, b.Only = seen, nil
	source, err := b.open()
	if err != nil {
		return 0, nil, &InputError{err}
	}
	defer source.Close()
	var sheet *Sheet
	var input batch.Input
	if b.Format.IsTable() {
		sheet, err = b.sheet(catalog, source)
		if err != nil {
			return 0, nil, err
		}
		defer sheet.Close()
		if seen.known {
			return seen.rows, sheet.seek(), nil
		}
		input = sheet
	} else {
		input = batch.NewLines(source, b.ID)
	}
	n, err := batch.Count(ctx, input)
	if err != nil {
		return 0, nil, &EndedError{err}
	}
	if sheet != nil {
		m = sheet.seek()
	}
	return int64(n), m, nil
}

// counted is an observer that records the number of rows.
type counted struct {
	rows  int64
	known bool
}

func (c *counted) SetSize(int64) {}

func (c *counted) SetRows(rows int64) { c.rows, c.known = rows, true }

func (c *counted) Reader(r io.Reader) io.Reader { return r }

func (c *counted) Add(batch.Tally) {}
