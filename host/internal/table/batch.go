// Package table answers which rows of a file are computed, and how their answers are
// written: NDJSON, as in the batches of the REST interface, and CSV.
package table

import (
	"context"
	"errors"
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
	Table  Format = "table" // of answers: columns for people
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
	As   Format // of the answers; CSV and Table only if the rows are CSV
	Lean bool   // write results alone as NDJSON, not full answers

	ID       string         // capability or tool of rows that name none; required for CSV
	Pins     []versions.Pin // apply to every row
	CSV      CSVOptions
	Stop     bool // after a row without a result, and those that were computed with it
	Observer Observer

	// Begin receives the sheet of a CSV file when its header was read. It may be nil.
	Begin func(*Sheet)
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

// EndedError means that a batch ended before its last row.
type EndedError struct{ Err error }

func (e *EndedError) Error() string { return "the batch ended early: " + e.Err.Error() }
func (e *EndedError) Unwrap() error { return e.Err }

// ErrStopped is why a batch ended that was to stop after a row without a result.
var ErrStopped = errors.New("a row has no result")

// Run computes every row, and writes the answers in the order of the rows. A file of answers
// appears only when it is complete. The error is one of this package, or a [*calc.Problem] if
// the header of a CSV file is not what it must be.
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

func (b *Batch) answer(ctx context.Context, service *calc.Service, source io.Reader, w io.Writer) (err error) {
	output := service.FullLine
	if b.Lean {
		output = service.LeanLine
	}
	var input calc.Input = calc.NewLines(source, b.ID)
	if b.Format == CSV {
		sheet, err := NewSheet(service.CatalogFor(b.Pins), b.ID, b.Pins, source, &b.CSV)
		if err != nil {
			return err
		}
		if b.Begin != nil {
			b.Begin(sheet)
		}
		input = sheet
		if b.As == Table {
			columns := &aligned{w: w, separator: sheet.separator}
			defer func() { err = errors.Join(err, columns.flush()) }()
			w = columns
		}
		if b.As == CSV || b.As == Table {
			output = sheet.AppendRecord
			if _, err := w.Write(sheet.Head()); err != nil {
				return err
			}
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	observe := func(t calc.Tally) {
		b.Observer.Add(t)
		if b.Stop && t.Rejected+t.Failed > 0 {
			stop(ErrStopped)
		}
	}
	if err := service.Batch(ctx, input, output, w, &calc.BatchOptions{Pins: b.Pins, Observe: observe}); err != nil {
		return &EndedError{err}
	}
	return nil
}
