package batch

import (
	"iter"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Bounds of a chunk. A chunk is full when it reaches either of them.
const (
	chunkRows  = 1024 // an engine accepts up to process.MaxRows at once
	chunkBytes = 256 << 10
)

// Chunk holds rows of a batch that arrived together.
type Chunk struct {
	text      []byte // of all rows, one after the other
	rows      []row
	bytesRead int // bytes of input read for this chunk, including those that hold no rows
	inLists   int // values that no comma or colon stands before in the text, at most
}

// row is one calculation as it was received.
type row struct {
	end     int              // offset in the text; the row begins where the previous one ends
	problem *problem.Problem // the answer to the row if it is already refused, else nil
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

// Refuse adds a row whose answer is the problem.
func (c *Chunk) Refuse(p *problem.Problem) {
	c.rows = append(c.rows, row{len(c.text), p})
}

// Account counts bytes of input that were read for the chunk, and values in its rows that no comma or
// colon stands before: limits and memory are counted by them.
func (c *Chunk) Account(bytesRead, values int) {
	c.bytesRead += bytesRead
	c.inLists += values
}

// Rows returns the texts of the rows. That of a row that was refused unread is empty.
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
