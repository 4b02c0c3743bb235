package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/table"
	"github.com/slipstick/slipstick/host/internal/terminal"
)

// batchFlags are those of slipstick calc --batch.
type batchFlags struct {
	Batch  string       `help:"Compute every row of this file, - for stdin." placeholder:"FILE"`
	Format table.Format `enum:",ndjson,csv" default:"" help:"How the file is written, ndjson or csv. Default: as its name ends; ndjson for stdin." placeholder:"FORMAT"`
	Output string       `enum:"full,result,csv" default:"full" help:"What to write: full answers or only each result, as NDJSON; or csv, the columns of a CSV file and those of the results." placeholder:"full|result|csv"`
	Out    string       `help:"Write to this file, which appears when it is complete. Default: stdout." placeholder:"FILE"`
}

// format is how the file is written, "" if that is not known.
func (f *batchFlags) format() table.Format {
	byName := map[string]table.Format{".csv": table.CSV, ".ndjson": table.NDJSON, ".jsonl": table.NDJSON}
	if f.Batch == "-" {
		return cmp.Or(f.Format, table.NDJSON)
	}
	return cmp.Or(f.Format, byName[strings.ToLower(filepath.Ext(f.Batch))])
}

func (f *batchFlags) check(id string) error {
	switch {
	case f.Batch == "" && (f.Format != "" || f.Output != "full" || f.Out != ""):
		return errors.New("--format, --output and --out go with --batch")
	case f.Batch == "":
		return nil
	case f.format() == "":
		return fmt.Errorf("%s ends neither in .ndjson, .jsonl nor .csv; tell how it is written with --format", f.Batch)
	case f.format() == table.CSV && id == "":
		return errors.New("name the capability of the CSV file, such as slipstick calc --batch beams.csv cantilever-deflection")
	case f.format() != table.CSV && f.Output == outputCSV:
		return errors.New("--output csv goes with a CSV file; for NDJSON there are full and result")
	}
	return nil
}

// Outputs of batches, beside full answers.
const (
	outputResult = "result"
	outputCSV    = "csv"
)

// runBatch answers every row of the file.
func (c *calcCmd) runBatch(ctx context.Context, s streams, service *calc.Service) error {
	m := terminal.NewMeter(s.err)
	source, err := c.open(s.in, m)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	defer source.Close()
	out, err := table.Create(c.Out, terminal.Plain(s.out))
	var refused *fs.PathError
	if errors.As(err, &refused) {
		return &failure{exitMisuse, fmt.Errorf("--out %s: it cannot be written: %w", c.Out, refused.Err)}
	}
	if err != nil {
		return err
	}
	defer out.Abandon()
	err = c.answerRows(ctx, service, m, source, out)
	m.Clear()
	if err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	return verdict(s.err, m)
}

// open opens the file, and tells the meter how large it is.
func (f *batchFlags) open(stdin io.Reader, m *terminal.Meter) (io.ReadCloser, error) {
	if f.Batch == "-" {
		return io.NopCloser(stdin), nil
	}
	file, err := os.Open(f.Batch)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		m.SetSize(info.Size())
	}
	return file, nil
}

func (c *calcCmd) answerRows(ctx context.Context, service *calc.Service, m *terminal.Meter, source io.Reader, w io.Writer) error {
	o := &table.Options{ID: c.ID, Pins: c.pins(), In: c.format(), Lean: c.Output == outputResult, Observe: m.Add}
	if c.Output == outputCSV {
		o.Out = table.CSV
	}
	batch, err := table.Open(ctx, service, m.Reader(source), o)
	var header *table.HeaderError
	switch {
	case errors.As(err, &header):
		return &failure{exitFailed, fmt.Errorf("%s: %w", c.Batch, err)}
	case err != nil:
		return describeProblem(calc.ProblemOf(err))
	}
	err = batch.Answer(ctx, w)
	var ended *table.EndedError
	if errors.As(err, &ended) {
		return fmt.Errorf("the batch ended after %s: %w", terminal.Count(m.Rows(), "calculation"), ended.Err)
	}
	return err
}

// verdict says how the batch went, as an error where not all rows succeeded.
func verdict(w io.Writer, m *terminal.Meter) error {
	text, tally := m.Summary()
	switch {
	case tally.Failed > 0:
		return &failure{exitInternal, errors.New(text)}
	case tally.Rejected > 0:
		return &failure{exitFailed, errors.New(text)}
	}
	fmt.Fprintln(w, "slipstick:", text)
	return nil
}
