package batch

import (
	"context"
	"errors"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// Span is a range of consecutive rows, counted from 0.
type Span = record.Span

// picked selects the rows of the input to answer.
type picked struct {
	spans []Span // the spans that are not finished
	at    uint64 // number of rows that were read
}

// keep drops the rows of a chunk that are in no span. It reports whether all spans are finished.
func (p *picked) keep(c *Chunk) (last bool) {
	rows, text, from := c.rows[:0], c.text[:0], 0
	for _, r := range c.rows {
		for len(p.spans) > 0 && p.at >= p.spans[0].First+p.spans[0].Count {
			p.spans = p.spans[1:]
		}
		if len(p.spans) > 0 && p.at >= p.spans[0].First {
			text = append(text, c.text[from:r.end]...)
			rows = append(rows, row{len(text), r.problem})
		}
		from, p.at = r.end, p.at+1
	}
	c.rows, c.text = rows, text
	for _, s := range p.spans {
		if s.First+s.Count > p.at {
			return false
		}
	}
	return true
}

// Count reads the input to its end, and returns the number of its rows.
func Count(ctx context.Context, in Input) (uint64, error) {
	j, rows := newJob(), uint64(0)
	defer j.recycle()
	for {
		err := in.Next(&j.Chunk)
		rows += uint64(j.Len())
		j.Chunk = Chunk{text: j.Chunk.text[:0], rows: j.rows[:0]}
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return rows, err
		case ctx.Err() != nil:
			return rows, context.Cause(ctx)
		}
	}
}
