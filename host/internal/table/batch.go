// Package table answers which rows of a file are computed, and how their answers are
// written: NDJSON, as in the batches of the REST interface, and CSV.
package table

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/versions"
)

// A Format is how rows are written.
type Format string

// The formats of rows.
const (
	NDJSON Format = "ndjson"
	CSV    Format = "csv"
)

// FormatOf is the format that the name of a file tells, "" if it tells none.
func FormatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return CSV
	case ".ndjson", ".jsonl":
		return NDJSON
	}
	return ""
}

// Batch is a file of rows, and where their answers go.
type Batch struct {
	From   string // file, "" for In
	In     io.Reader
	Format Format // of the rows

	To   string // file, "" for Out
	Out  io.Writer
	As   Format // of the answers; only rows of CSV can be answered as CSV
	Lean bool   // write only results as NDJSON, not full answers

	ID       string         // capability or tool of rows that name none; CSV needs it
	Pins     []versions.Pin // hold for every row
	Observer Observer
}

// An Observer sees how far a batch is.
type Observer interface {
	// SetSize is told how many bytes the rows have, where that is known.
	SetSize(bytes int64)
	// Reader returns a reader of the same, which sees what is read of the rows.
	Reader(r io.Reader) io.Reader
	// Add is told of rows that were answered.
	Add(t calc.Tally)
}

// InputError says that the file of rows cannot be opened.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// OutputError says that no file of answers can be made.
type OutputError struct {
	Path string
	Err  error
}

func (e *OutputError) Error() string { return e.Path + ": it cannot be written: " + e.Err.Error() }
func (e *OutputError) Unwrap() error { return e.Err }

// HeaderError says that a CSV file has no header, or one that names inputs badly.
type HeaderError struct {
	Path string // "-" for none
	Err  error
}

func (e *HeaderError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *HeaderError) Unwrap() error { return e.Err }

// EndedError is why a batch ended before its last row.
type EndedError struct{ Err error }

func (e *EndedError) Error() string { return "the batch ended early: " + e.Err.Error() }
func (e *EndedError) Unwrap() error { return e.Err }

// Run computes every row, and writes the answers in the order of the rows. A file of
// answers appears when it is complete. The error is one of this package, or a
// [*calc.Problem] where the service does not know what the header of a CSV file names.
func (b *Batch) Run(ctx context.Context, service *calc.Service) error {
	source, err := b.open()
	if err != nil {
		return &InputError{err}
	}
	defer source.Close()
	out, err := create(b.To, b.Out)
	if err != nil {
		return err
	}
	defer out.abandon()
	if err := b.answer(ctx, service, b.Observer.Reader(source), out); err != nil {
		return err
	}
	return out.commit()
}

// open opens the rows, and tells how large they are.
func (b *Batch) open() (io.ReadCloser, error) {
	if b.From == "" {
		return io.NopCloser(b.In), nil
	}
	file, err := os.Open(b.From)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		b.Observer.SetSize(info.Size())
	}
	return file, nil
}

func (b *Batch) answer(ctx context.Context, service *calc.Service, source io.Reader, w io.Writer) error {
	output := service.FullLine
	if b.Lean {
		output = service.LeanLine
	}
	var input calc.Input = calc.NewLines(source, b.ID)
	if b.Format == CSV {
		records, err := b.header(ctx, service, source)
		if err != nil {
			return err
		}
		input = records
		if b.As == CSV {
			output = records.appendRecord
			if _, err := w.Write(records.head()); err != nil {
				return err
			}
		}
	}
	if err := service.Batch(ctx, input, output, w, &calc.BatchOptions{Pins: b.Pins, Observe: b.Observer.Add}); err != nil {
		return &EndedError{err}
	}
	return nil
}

// header reads the header of a CSV file, whose columns must be inputs.
func (b *Batch) header(ctx context.Context, service *calc.Service, source io.Reader) (*records, error) {
	_, release, err := service.Catalog().Release(b.ID, b.Pins)
	if err != nil {
		return nil, calc.ProblemOf(err)
	}
	t, err := newRecords(b.ID, &release.Spec, source)
	if err != nil {
		return nil, &HeaderError{cmp.Or(b.From, "-"), err}
	}
	if unknown := t.unknown(); len(unknown.Inputs.Members) > 0 {
		unknown.Pins = b.Pins
		_, err := service.Calculate(ctx, unknown) // refuses them as it does in any request
		return nil, calc.ProblemOf(err)
	}
	return t, nil
}
