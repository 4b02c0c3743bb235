package table

import (
	"io"
	"os"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// Place is a row of a file of CSV or NDJSON. A batch of later rows of the same file can start there. It does
// not read the rows before. The zero value is the first row.
type Place struct {
	row  uint64
	read endState // before the read of the file that has the row
	skip int64    // converted bytes between the start of that read and the row
}

// resumed returns the place at which the batch starts, or nil if it starts with the first row.
func (b *Batch) resumed() *Place {
	if b.Resume == nil || b.Resume.row == 0 || len(b.Only) == 0 || b.Only[0].First < b.Resume.row {
		return nil
	}
	return b.Resume
}

// seek moves the file to the read of the place.
func (b *Batch) seek(source io.Reader, p *Place) (io.Reader, error) {
	file, ok := source.(*os.File)
	if !ok {
		return nil, &InputError{os.ErrInvalid}
	}
	if _, err := file.Seek(p.read.read, io.SeekStart); err != nil {
		return nil, &InputError{err}
	}
	return b.Observer.Reader(file), nil
}

// lines returns the rows of NDJSON, the number of the first of them, and a function that returns the place of
// the next row.
func (b *Batch) lines(source io.Reader) (in *batch.Lines, first uint64, place func() (Place, bool), err error) {
	var from int64
	if p := b.resumed(); p != nil {
		source, err = b.seek(source, p)
		if err != nil {
			return nil, 0, nil, err
		}
		first, from = p.row, p.read.read
	} else {
		source = b.Observer.Reader(source)
	}
	in = batch.NewLines(source, b.ID)
	return in, first, func() (Place, bool) {
		n, ok := in.Offset()
		return Place{read: endState{read: from + n}}, ok
	}, nil
}

// resume continues a table of CSV at the place of the batch, if there is one. It returns the number of the next row.
func (b *Batch) resume(t *Sheet, source io.Reader) (first uint64, err error) {
	p, csv := b.resumed(), t.csv()
	if p == nil || csv == nil {
		return 0, nil
	}
	source, err = b.seek(source, p)
	if err != nil {
		return 0, err
	}
	t.marks.row = p.row
	return p.row, csv.resume(source, p)
}

// csv returns the reader of a table that can continue at any row, or nil.
func (t *Sheet) csv() *csvRows {
	csv, _ := t.rows.(*csvRows)
	if t.read1 != nil || t.marks.declared == typed.ByFile && t.marks.known == nil {
		return nil // rows before can decide how later ones are read
	}
	return csv
}

// place returns the place of the next row, without its number.
func (t *Sheet) place() (Place, bool) {
	csv := t.csv()
	if csv == nil {
		return Place{}, false
	}
	return csv.place()
}
