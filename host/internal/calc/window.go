package calc

import (
	"bytes"
	"sync"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Bounds of a window, and of each block that it is made of.
const (
	windowRows = 1024 // an engine takes up to process.MaxRows at once
	windowText = 256 << 10
)

// Block is rows of a batch that came together.
type Block struct {
	text []byte
	rows []row
	came int // bytes of the input that were read for it, rows or not
}

// row is one calculation as it came.
type row struct {
	end     int      // of its text, which begins at the end of the one before
	problem *Problem // that answers it, nil if it is to be computed
}

// Add adds a row. The block keeps a copy of the text, unless it is too long to be
// scanned.
func (b *Block) Add(text []byte) {
	if len(text) > strictjson.MaxBytes {
		b.Refuse(TooLarge())
		return
	}
	b.text = append(b.text, text...)
	b.rows = append(b.rows, row{end: len(b.text)})
}

// Refuse adds a row that the problem answers.
func (b *Block) Refuse(p *Problem) {
	b.rows = append(b.rows, row{len(b.text), p})
}

// Len is how many rows the block has.
func (b *Block) Len() int { return len(b.rows) }

// Full reports whether the block has as many rows as it should.
func (b *Block) Full() bool { return len(b.rows) >= windowRows || len(b.text) >= windowText }

// window is rows that are answered together.
type window struct {
	Block
	text    string // of the rows
	lines   []line
	groups  []group
	places  map[*Release]int // of its group
	scanner strictjson.Scanner
	values  valueStore

	next  int    // line to append the answer of
	out   []byte // answers that are not written yet
	tally Tally  // of them

	held int64 // memory that was taken for it

	before  <-chan struct{} // closed once everything before this window is written
	written chan struct{}   // closed once this window is
}

// line is a row that has been understood.
type line struct {
	id          string
	conversions []value.Conversion
	problem     *Problem // nil if it is computed
	group, at   int      // where
}

// group is the rows of a window that one release computes.
type group struct {
	release *Release
	frame   *response.Template
	pace    *pace
	rows    []value.Values
	results []response.Result // of the first rows
}

// windows are used again, for their memory.
var windows = sync.Pool{New: func() any { return &window{places: map[*Release]int{}} }}

func newWindow() *window { return windows.Get().(*window) }

// free gives the window back.
func (w *window) free() {
	clear(w.rows)
	clear(w.lines)
	clear(w.places)
	for i := range w.groups {
		g := &w.groups[i]
		clear(g.rows)
		*g = group{rows: g.rows[:0]}
	}
	w.values.reuse()
	*w = window{
		Block: Block{text: w.Block.text[:0], rows: w.rows[:0]}, lines: w.lines[:0], groups: w.groups[:0], places: w.places,
		scanner: w.scanner, values: w.values, out: w.out[:0],
	}
	if cap(w.out) <= 2*maxOut {
		windows.Put(w)
	}
}

// row is the text of a row.
func (w *window) row(i int) string {
	from := 0
	if i > 0 {
		from = w.rows[i-1].end
	}
	return w.text[from:w.rows[i].end]
}

// What a row and a value in it need until the answer is written, in bytes, about: as
// inputs, on the way to the engine and back, and in the answer. Text needs weightText for
// each of its bytes, in the answer too.
const (
	weightRow   = 2 << 10
	weightValue = 160
	weightText  = 8
)

// weight is the memory that answering the rows takes, about. Lists and records unfold
// most, and no value stands without a comma, a colon or a row.
func (w *window) weight() int64 {
	values := bytes.Count(w.Block.text, comma) + bytes.Count(w.Block.text, colon)
	return int64(weightRow*len(w.rows) + weightValue*values + weightText*len(w.Block.text))
}

var comma, colon = []byte{','}, []byte{':'}

// join adds the rows of a block that came later.
func (w *window) join(block *window) {
	w.held += block.held
	from := len(w.Block.text)
	w.Block.text = append(w.Block.text, block.Block.text...)
	for _, r := range block.rows {
		r.end += from
		w.rows = append(w.rows, r)
	}
}

// group returns the place of the release's group.
func (w *window) group(catalog *Catalog, r *Release) int {
	place, known := w.places[r]
	if known {
		return place
	}
	place = len(w.groups)
	w.places[r] = place
	if place < cap(w.groups) {
		w.groups = w.groups[:place+1] // with the memory of a group before
	} else {
		w.groups = append(w.groups, group{})
	}
	g := &w.groups[place]
	g.release, g.frame, g.pace = r, catalog.frames[r], catalog.paces[r]
	return place
}

// valueStore is memory for the values of many rows.
type valueStore struct {
	pieces []value.Values
	next   int          // piece to use next
	free   value.Values // of the piece in use
}

// storePiece is how many values a piece has at least.
const storePiece = 4096

// take returns memory for n values. A nil store makes it anew.
func (s *valueStore) take(n int) value.Values {
	if s == nil {
		return make(value.Values, n)
	}
	for n > len(s.free) {
		if s.next == len(s.pieces) {
			s.pieces = append(s.pieces, make(value.Values, max(n, storePiece)))
		}
		s.free = s.pieces[s.next]
		s.next++
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// reuse takes everything back.
func (s *valueStore) reuse() { s.next, s.free = 0, nil }
