package shards

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// All is the size of a sample with every row.
const All = math.MaxInt64

// Sample chooses random rows of the plan, one from each of size equal parts. It returns the chosen rows
// by shard number.
func (p *Plan) Sample(size int64) map[int][]batch.Span {
	chosen := map[int][]batch.Span{}
	if size >= p.Input.Rows {
		for k := 1; k <= p.Shards; k++ {
			if s := p.Rows(k); s.Count > 0 {
				chosen[k] = []batch.Span{s}
			}
		}
		return chosen
	}
	parts := Plan{Input: p.Input, Shards: int(size)}
	shard := 1
	for i := 1; i <= parts.Shards; i++ {
		part := parts.Rows(i)
		row := part.First + rand.Uint64N(part.Count)
		for s := p.Rows(shard); row >= s.First+s.Count; s = p.Rows(shard) {
			shard++
		}
		chosen[shard] = append(chosen[shard], batch.Span{First: row, Count: 1})
	}
	return chosen
}

// Recompute computes rows of a shard again, and compares the answers with the directory. It calls
// different for each row with an answer that is not bit-identical. The first row of the input is 0.
func (w *Worker) Recompute(ctx context.Context, dir string, shard int, rows []batch.Span, different func(row uint64)) error {
	temp, err := os.CreateTemp("", "slipstick-recompute-*")
	if err != nil {
		return err
	}
	defer temp.Close()
	if err := os.Remove(temp.Name()); err != nil {
		return err
	}
	if _, err := w.compute(ctx, rows, temp, nil); err != nil {
		return err
	}
	if _, err := temp.Seek(0, io.SeekStart); err != nil {
		return err
	}
	stored, err := os.Open(filepath.Join(dir, w.plan.Name(shard)))
	if err != nil {
		return err
	}
	defer stored.Close()
	now, err := w.plan.openAnswers(temp)
	if err != nil {
		return err
	}
	then, err := w.plan.openAnswers(stored)
	if err != nil {
		return &FileError{w.plan.Name(shard), err}
	}
	at := w.plan.Rows(shard).First
	for _, s := range rows {
		if err := then.skip(s.First - at); err != nil {
			return &FileError{w.plan.Name(shard), unexpected(err)}
		}
		for at = s.First; at < s.First+s.Count; at++ {
			new, err := now.next()
			if err != nil {
				return unexpected(err)
			}
			old, err := then.next()
			if err != nil {
				return &FileError{w.plan.Name(shard), unexpected(err)}
			}
			if new != old {
				different(at)
			}
		}
	}
	if of := w.plan.Rows(shard); at < of.First+of.Count {
		return nil
	}
	if _, err := then.next(); !errors.Is(err, io.EOF) {
		return &FileError{w.plan.Name(shard), cmp.Or(err, errors.New("there are more rows than in the plan"))}
	}
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// answers reads answers as texts. Two texts are equal if the answers are bit-identical.
type answers interface {
	next() (string, error)
	skip(rows uint64) error
}

// openAnswers returns a reader at the first answer of a file.
func (p *Plan) openAnswers(f *os.File) (answers, error) {
	switch p.Output.Format {
	case Result:
		return textAnswers(bufio.NewReader(f).ReadString), nil
	case table.CSV:
		return openRecords(f)
	}
	r, err := columns.Open(f)
	return &cellAnswers{reader: r}, err
}

// textAnswers reads the next answer up to a delimiter.
type textAnswers func(delimiter byte) (string, error)

func (read textAnswers) next() (string, error) { return read('\n') }

func (read textAnswers) skip(rows uint64) error { return skip(read, rows) }

func skip(a answers, rows uint64) error {
	for range rows {
		if _, err := a.next(); err != nil {
			return err
		}
	}
	return nil
}

// recordAnswers reads CSV. Its cells can contain line ends.
type recordAnswers struct{ *csv.Reader }

func openRecords(f io.Reader) (answers, error) {
	source := bufio.NewReaderSize(f, 64<<10)
	head, err := source.Peek(source.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r := csv.NewReader(source)
	r.Comma, r.ReuseRecord = table.Separator(head), true
	_, err = r.Read() // the header
	return recordAnswers{r}, unexpected(err)
}

func (r recordAnswers) next() (string, error) {
	record, err := r.Read()
	return fmt.Sprintf("%q", record), err
}

func (r recordAnswers) skip(rows uint64) error { return skip(r, rows) }

// cellAnswers reads typed columns.
type cellAnswers struct {
	reader columns.Reader
	block  columns.Block
	at     int // next row of the block
}

func (c *cellAnswers) skip(rows uint64) error {
	held := min(rows, uint64(c.block.Rows-c.at))
	c.at += int(held)
	if rows == held {
		return nil
	}
	return c.reader.Skip(int64(rows - held))
}

// blockRows is the number of rows in a block.
const blockRows = 256

func (c *cellAnswers) next() (string, error) {
	if c.at == c.block.Rows {
		c.at, c.block.Rows = 0, 0
		if err := c.reader.Read(&c.block, blockRows); err != nil {
			return "", err
		}
	}
	var row strings.Builder
	for i, column := range c.reader.Columns() {
		switch d := &c.block.Columns[i]; {
		case d.Null[c.at]:
			row.WriteByte('-')
		case column.Kind == columns.Number:
			_ = binary.Write(&row, binary.BigEndian, d.Numbers[c.at]) // a builder returns no error
		case column.Kind == columns.Integer:
			_ = binary.Write(&row, binary.BigEndian, d.Integers[c.at])
		case column.Kind == columns.Truth:
			fmt.Fprint(&row, d.Truths[c.at])
		default:
			fmt.Fprintf(&row, "%q", d.Texts[c.at])
		}
		row.WriteByte('|')
	}
	c.at++
	return row.String(), nil
}

// Report is the result of [Verify].
type Report struct {
	*Directory
	Sampled   int64    // rows that were computed again
	Different int64    // sampled rows with a different answer
	Examples  []uint64 // the first different rows; the first row of the input is 0
	Unchecked error    // why Verify could compute no rows, or no more; nil if it computed the whole sample
}

// maxExamples is the maximum number of different rows that a report names.
const maxExamples = 20

// Holds reports whether each shard is whole and not doubled, and no recomputed answer is different.
func (r *Report) Holds() bool {
	for i := range r.Shards {
		if r.Shards[i].State != Whole {
			return false
		}
	}
	return len(r.Strays) == 0 && r.Different == 0
}

// Options are options of [Verify]. The zero value is usable.
type Options struct {
	// Progress is called before each shard is read, and again before its rows are computed.
	Progress func(shard int)
}

// Verify reads the directory, and computes a sample of the rows of whole shards again. It uses the worker
// that newWorker returns for the plan. If newWorker fails, the report has its error in Unchecked.
func Verify(ctx context.Context, dir string, sample int64, newWorker func(*Plan) (*Worker, error), o *Options) (*Report, error) {
	progress := func(int) {}
	if o != nil && o.Progress != nil {
		progress = o.Progress
	}
	d, err := readDir(ctx, dir, progress)
	if err != nil {
		return nil, err
	}
	r := &Report{Directory: d}
	if sample == 0 {
		return r, nil
	}
	w, err := newWorker(d.Plan)
	if err != nil {
		r.Unchecked = err
		return r, nil
	}
	chosen := d.Plan.Sample(sample)
	for i := range d.Shards {
		s := &d.Shards[i]
		rows := chosen[s.Number]
		if s.State != Whole || len(rows) == 0 {
			continue
		}
		progress(s.Number)
		err := w.Recompute(ctx, dir, s.Number, rows, r.differs)
		if damaged, ok := errors.AsType[*FileError](err); ok {
			s.State, s.Err = Damaged, damaged
			continue
		}
		if err != nil {
			r.Unchecked = fmt.Errorf("shard %d: %w", s.Number, err)
			return r, nil
		}
		r.Sampled += int64(count(rows))
	}
	return r, nil
}

// differs adds a row with a different answer.
func (r *Report) differs(row uint64) {
	r.Different++
	if len(r.Examples) < maxExamples {
		r.Examples = append(r.Examples, row)
	}
}
