package table

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/versions"
)

// Open reads the header of a table with calculations of one capability. The pins select its release, which
// is found before anything is read. Parquet needs random access. It is copied into an unnamed file unless
// it is in a file or in memory. The error is a [*problem.Problem], a [*SpoolError], or the error of the
// reader.
func Open(catalog *catalog.Catalog, f Format, id string, pins []versions.Pin, source io.Reader, o *Options) (*Sheet, error) {
	if !f.IsColumns() {
		return NewSheet(catalog, id, pins, source, o)
	}
	file := &columnRows{format: f, source: source}
	if o != nil {
		file.dir, file.acquire = o.Dir, o.Acquire
	}
	t, err := newSheet(catalog, id, pins, file, problem.CodeInvalidColumns, o)
	if err != nil {
		_ = file.close()
		return nil, err
	}
	t.file = file
	return t, nil
}

// Rows returns the number of rows of the table, or -1 if it is not known.
func (t *Sheet) Rows() int64 {
	if t.file == nil {
		return -1
	}
	return t.file.reader.Rows()
}

// Close releases the resources of the table.
func (t *Sheet) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.close()
}

// open reads the schema of the file.
func (t *columnRows) open() (err error) {
	if t.format != Parquet {
		t.reader, err = columns.OpenArrow(t.source, t.acquire)
		return err
	}
	if memory, ok := t.source.(*bytes.Reader); ok {
		t.reader, err = columns.OpenParquet(memory, memory.Size(), t.acquire)
		return err
	}
	file, ok := t.source.(*os.File)
	if !ok || !isRegular(file) {
		file, err = spool(t.source, t.dir)
		if err != nil {
			return err
		}
		t.spool = file
	}
	info, err := file.Stat()
	if err != nil {
		return &SpoolError{err}
	}
	t.reader, err = columns.OpenParquet(file, info.Size(), t.acquire)
	return err
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

func (t *columnRows) close() error {
	var errs []error
	if t.reader != nil {
		errs = append(errs, t.reader.Close())
	}
	if t.spool != nil {
		errs = append(errs, t.spool.Close())
	}
	return errors.Join(errs...)
}

// SpoolError means that the copy of a file cannot be written. The disk may be full, for example.
type SpoolError struct{ Err error }

func (e *SpoolError) Error() string { return "the file cannot be copied: " + e.Err.Error() }
func (e *SpoolError) Unwrap() error { return e.Err }

// spool copies the bytes of a reader into an unnamed file in the directory. The error is a [*SpoolError]
// or the error of the reader.
func spool(r io.Reader, dir string) (_ *os.File, err error) {
	file, err := os.CreateTemp(dir, "slipstick-*.parquet")
	if err != nil {
		return nil, &SpoolError{err}
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	if err := os.Remove(file.Name()); err != nil {
		return nil, &SpoolError{err}
	}
	_, err = io.Copy(spooling{file}, r)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// spooling marks errors of the file, to distinguish them from errors of the reader.
type spooling struct{ file *os.File }

func (s spooling) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		err = &SpoolError{err}
	}
	return n, err
}
