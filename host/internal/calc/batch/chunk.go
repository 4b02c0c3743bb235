package batch

import (
	"iter"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Limits of a chunk. A chunk is full when it reaches one of them.
const (
	chunkRows  = 1024 // an engine accepts up to process.MaxRows at once
	chunkBytes = 256 << 10
)

// Chunk holds rows of a batch that arrived together.
type Chunk struct {
	text      []byte // of all rows, one after the other
	rows      []row
	bytesRead int // bytes of input read for this chunk, including bytes outside rows
	inLists   int // upper bound of the values in the text that do not follow a comma or a colon
}

// row is one calculation as it was received.
type row struct {
	end     int              // offset in the text; the row starts where the previous row ends
	problem *problem.Problem // the answer if the row is already refused, else nil
}

// Add adds a row. The chunk keeps a copy of the text. A text that is too long to be
// scanned is refused instead.
func (c *Chunk) Add(text []byte) {
	if len(text) > strictjson.MaxBytes {
		c.Refuse(problem.TooLarge())
		return
	}
	c.text = append(c.text, text...)
	c.rows = append(c.rows, row{end: len(c.text)})
}

// Refuse adds a row with the problem as its answer.
func (c *Chunk) Refuse(p *problem.Problem) {
	c.rows = append(c.rows, row{len(c.text), p})
}

// Account counts bytes of input that were read for the chunk, and values in its rows that do not follow a
// comma or a colon. Limits and memory depend on both.
func (c *Chunk) Account(bytesRead, values int) {
	c.bytesRead += bytesRead
	c.inLists += values
}

// Rows returns the texts of the rows. A row that was refused unread has an empty text.
func (c *Chunk) Rows() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		from := 0
		for _, r := range c.rows {
			if !yield(c.text[from:r.end]) {
				return
			}
			from = r.end
		}
	}
}

// Len returns the number of rows.
func (c *Chunk) Len() int { return len(c.rows) }

// Full reports whether the chunk should take no more rows.
func (c *Chunk) Full() bool { return len(c.rows) >= chunkRows || len(c.text) >= chunkBytes }
