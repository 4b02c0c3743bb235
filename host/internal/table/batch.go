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

// FormatOf returns the format by the ending of a file's name, "" if the ending is unknown.
func FormatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return CSV
	case ".ndjson", ".jsonl":
		return NDJSON
	}
	return ""
}

// Batch is a file of rows and the destination of the answers.
type Batch struct {
	From   string // path of the file, "" for In
	In     io.Reader
	Format Format // of the rows

	To   string // file, "" for Out
	Out  io.Writer
	As   Format // of the answers; CSV only if the rows are CSV, too
	Lean bool   // write results alone as NDJSON, not full answers

	ID       string         // capability or tool of rows that name none; required for CSV
	Pins     []versions.Pin // apply to every row
	Observer Observer
}

// An Observer follows the progress of a batch.
type Observer interface {
	// SetSize receives the size of all rows in bytes, if it is known.
	SetSize(bytes int64)
	// Reader wraps the reader of the rows, so that the observer sees how much is read.
	Reader(r io.Reader) io.Reader
	// Add receives the counts of answered rows.
	Add(t calc.Tally)
}

// InputError means that the file of rows cannot be opened.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// OutputError means that the file of answers cannot be written.
type OutputError struct {
	Path string
	Err  error
}

func (e *OutputError) Error() string { return e.Path + ": it cannot be written: " + e.Err.Error() }
func (e *OutputError) Unwrap() error { return e.Err }

// HeaderError means that a CSV file has no header, or an invalid one.
type HeaderError struct {
	Path string // "-" for standard input
	Err  error
}

func (e *HeaderError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *HeaderError) Unwrap() error { return e.Err }

// EndedError means that a batch ended before its last row.
type EndedError struct{ Err error }

func (e *EndedError) Error() string { return "the batch ended early: " + e.Err.Error() }
func (e *EndedError) Unwrap() error { return e.Err }

// Run computes every row, and writes the answers in the order of the rows. A file of answers
// appears only when it is complete. The error is one of this package, or a [*calc.Problem] if
// the header of a CSV file names unknown inputs.
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

// open opens the rows, and returns their size.
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
		_, err := service.Calculate(ctx, unknown) // returns the same problem as for any request
		return nil, calc.ProblemOf(err)
	}
	return t, nil
}
