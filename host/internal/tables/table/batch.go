// Package table reads rows of calculations from a file, and writes their answers. Use [Batch] for whole
// files and [Open] for the rows of a request. Files are NDJSON as in batches of the REST interface, CSV,
// or Parquet and Arrow with typed columns.
package table

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/versions"
)

// A Format is a file format of rows.
type Format string

// The formats of rows.
const (
	NDJSON  Format = "ndjson"
	CSV     Format = "csv"
	Parquet Format = "parquet"
	Arrow   Format = "arrow"  // the random access format
	Arrows  Format = "arrows" // the streaming format
	Table   Format = "table"  // of answers: aligned columns for people
)

// IsTable reports whether a format is a table: a header names its columns once.
func (f Format) IsTable() bool { return f == CSV || f == Table || f.IsColumns() }

// IsColumns reports whether a format has typed columns.
func (f Format) IsColumns() bool { return f == Parquet || f == Arrow || f == Arrows }

// Decimals returns the decimal mark of rows in this format. If none is declared, each table has its own.
func (f Format) Decimals(declared string) typed.Decimals {
	if declared == "" && f.IsTable() {
		return typed.ByFile
	}
	return typed.Decimals(declared)
}

// FormatOf returns the format for the extension of a file name, or "" if the extension is unknown.
func FormatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return CSV
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".parquet":
		return Parquet
	case ".arrow", ".feather":
		return Arrow
	case ".arrows":
		return Arrows
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
	As   Format // of the answers; a table only if the rows are a table
	Lean bool   // write only results as NDJSON, not full answers

	ID       string         // capability or tool of rows that name none; required for a table
	Pins     []versions.Pin // apply to every row
	Table    Options
	Only     []batch.Span // the rows to compute, in order and disjoint; nil: all
	Resume   *Place       // where the rows start, also changed to a place near the end of Only; nil: at the first row
	Stop     bool         // after a row without a result, and the rows that were computed together with it
	Observer Observer

	// OnHeader receives the sheet of a table after its header was read. It may be nil.
	OnHeader func(*Sheet)
}

// An Observer follows the progress of a batch.
type Observer interface {
	// SetSize receives the size of all rows in bytes, if it is known.
	SetSize(bytes int64)
	// SetRows receives the number of rows if it is known. Progress then counts rows.
	SetRows(rows int64)
	// Reader wraps the reader of the rows, so that the observer sees the number of bytes read.
	Reader(r io.Reader) io.Reader
	// Add receives the counts of answered rows.
	Add(t batch.Tally)
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

// ErrStopped is the reason why a batch with Stop ended after a row without a result.
var ErrStopped = errors.New("a row has no result")

// hopeless is the number of failed rows at the start of a batch after which it ends.
const hopeless = 100

// Run computes every row, and writes the answers in the order of the rows. A file of answers appears
// only when it is complete. The batch ends early if the engine of its first rows does not run. The
// error is an error of this package, or a [*problem.Problem] if the header of a table is invalid.
func (b *Batch) Run(ctx context.Context, service *calc.Service) error {
	source, err := b.open()
	if err != nil {
		return &InputError{err}
	}
	defer source.Close()
	return WriteFile(b.To, b.Out, func(w io.Writer) error { return b.answer(ctx, service, source, w) })
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

// sheet reads the header of a table.
func (b *Batch) sheet(catalog *catalog.Catalog, source io.Reader) (*Sheet, error) {
	if b.Format != Parquet { // Parquet is read at any position, and its progress counts rows
		source = b.Observer.Reader(source)
	}
	sheet, err := Open(catalog, b.Format, b.ID, b.Pins, source, &b.Table)
	if e, ok := errors.AsType[*SpoolError](err); ok {
		return nil, &InputError{e}
	}
	if err == nil && b.Only != nil && sheet.file != nil {
		sheet.file.reader = &someRows{Reader: sheet.file.reader, spans: b.Only}
	}
	if err == nil && sheet.Rows() >= 0 {
		b.Observer.SetRows(sheet.Rows())
	}
	return sheet, err
}

func (b *Batch) answer(ctx context.Context, service *calc.Service, source io.Reader, w io.Writer) (err error) {
	output := batch.FullLine(service.BaseURL())
	if b.Lean {
		output = batch.LeanLine(service.BaseURL())
	}
	var input batch.Input
	var first uint64
	var place func() (Place, bool)
	if b.Format.IsTable() {
		sheet, err := b.sheet(service.CatalogFor(b.Pins), source)
		if err != nil {
			return err
		}
		defer sheet.Close()
		if b.OnHeader != nil {
			b.OnHeader(sheet)
		}
		first, err = b.resume(sheet, source)
		if err != nil {
			return err
		}
		input, place = sheet, sheet.place
		if b.As.IsTable() {
			table, to, err := sheet.NewWriter(w, b.As)
			if err != nil {
				return err
			}
			defer func() {
				if err == nil || !b.As.IsColumns() { // an incomplete file must not look complete
					err = errors.Join(err, table.Close())
				}
			}()
			w, output = table, to
		}
	} else {
		input, first, place, err = b.lines(source)
		if err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	answered, failed := false, 0
	observe := func(t batch.Tally) {
		b.Observer.Add(t)
		answered, failed = answered || t.Succeeded+t.Rejected > 0, failed+t.Failed
		if !answered && failed >= hopeless && t.Failure.Code == problem.CodeEngineUnavailable {
			stop(t.Failure)
		}
		if b.Stop && t.Rejected+t.Failed > 0 {
			stop(ErrStopped)
		}
	}
	o := &batch.Options{Pins: b.Pins, Observe: observe}
	if b.Only != nil && !b.Format.IsColumns() { // the reader of typed columns skips the other rows itself
		o.Only, o.First = b.Only, first
		b.Observer.SetRows(countSpans(b.Only))
	}
	var reached Place
	if b.Resume != nil && o.Only != nil {
		o.Reading = func(row uint64) {
			if p, ok := place(); ok {
				p.row = row
				reached = p
			}
		}
	}
	if err := batch.Run(ctx, service, input, output, w, o); err != nil {
		return &EndedError{err}
	}
	if reached.row > 0 {
		*b.Resume = reached
	}
	return nil
}
