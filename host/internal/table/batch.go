// Package table answers which rows of a file are computed, and how their answers are
// written: NDJSON, as in the batches of the REST interface, and CSV.
package table

import (
	"context"
	"io"

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

// Options are options of a batch. The zero value reads NDJSON and writes full answers.
type Options struct {
	ID      string           // capability or tool of rows that name none; CSV needs it
	Pins    []versions.Pin   // hold for every row
	In, Out Format           // only rows of CSV can be answered as CSV
	Lean    bool             // write only results as NDJSON, not full answers
	Observe func(calc.Tally) // is told of rows that were answered
}

// HeaderError says that a CSV file has no header, or one that names inputs badly.
type HeaderError struct{ Err error }

func (e *HeaderError) Error() string { return e.Err.Error() }
func (e *HeaderError) Unwrap() error { return e.Err }

// EndedError is why a batch ended before its last row. The answers that were written until
// then are complete.
type EndedError struct{ Err error }

func (e *EndedError) Error() string { return "the batch ended early: " + e.Err.Error() }
func (e *EndedError) Unwrap() error { return e.Err }

// Batch is a batch whose rows are ready to be read.
type Batch struct {
	service *calc.Service
	input   calc.Input
	output  calc.Output
	header  []byte // of answers as CSV
	options Options
}

// Open prepares a batch. Of a CSV file it reads the header, and gives a [*HeaderError] if
// that cannot be read, or a [*calc.Problem] if the service does not know what it names.
func Open(ctx context.Context, service *calc.Service, source io.Reader, o *Options) (*Batch, error) {
	b := &Batch{service: service, output: service.FullLine, options: *o}
	if o.Lean {
		b.output = service.LeanLine
	}
	if o.In != CSV {
		b.input = calc.NewLines(source, o.ID)
		return b, nil
	}
	t, err := b.open(ctx, source)
	if err != nil {
		return nil, err
	}
	b.input = t
	if o.Out == CSV {
		b.output, b.header = t.appendRecord, t.head()
	}
	return b, nil
}

// open reads the header of a CSV file, whose columns must be inputs.
func (b *Batch) open(ctx context.Context, source io.Reader) (*records, error) {
	entry, err := b.service.Catalog().Find(b.options.ID)
	if err != nil {
		return nil, calc.ProblemOf(err)
	}
	release, err := entry.Release(b.options.Pins)
	if err != nil {
		return nil, calc.ProblemOf(err)
	}
	t, err := newRecords(b.options.ID, &release.Spec, source)
	if err != nil {
		return nil, &HeaderError{err}
	}
	if unknown := t.unknown(); len(unknown.Inputs.Members) > 0 {
		unknown.Pins = b.options.Pins
		_, err := b.service.Calculate(ctx, unknown) // refuses it as it refuses such a request
		return nil, calc.ProblemOf(err)
	}
	return t, nil
}

// Answer computes every row and writes the answers in the order of the rows. An
// [*EndedError] says that it did not reach the last one.
func (b *Batch) Answer(ctx context.Context, w io.Writer) error {
	if b.header != nil {
		if _, err := w.Write(b.header); err != nil {
			return err
		}
	}
	err := b.service.Batch(ctx, b.input, b.output, w, &calc.BatchOptions{Pins: b.options.Pins, Observe: b.options.Observe})
	if err != nil {
		return &EndedError{err}
	}
	return nil
}
