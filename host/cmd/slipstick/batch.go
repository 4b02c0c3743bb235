package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/table"
	"github.com/slipstick/slipstick/host/internal/terminal"
)

// batchFlags are those of slipstick calc --batch.
type batchFlags struct {
	Batch  string       `help:"Compute every row of this file, - for stdin." placeholder:"FILE"`
	Format table.Format `enum:",ndjson,csv" default:"" help:"How the file is written, ndjson or csv. Default: as its name ends; ndjson for stdin." placeholder:"FORMAT"`
	Output table.Format `enum:"full,result,csv" default:"full" help:"What to write: full answers or only each result, as NDJSON; or csv, the columns of a CSV file and those of the results." placeholder:"full|result|csv"`
	Out    string       `help:"Write to this file, which appears when it is complete. Default: stdout." placeholder:"FILE"`
}

// format is how the file is written, "" if that is not known.
func (f *batchFlags) format() table.Format {
	if f.Batch == "-" {
		return cmp.Or(f.Format, table.NDJSON)
	}
	return cmp.Or(f.Format, table.FormatOf(f.Batch))
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
	case f.format() != table.CSV && f.Output == table.CSV:
		return errors.New("--output csv goes with a CSV file; for NDJSON there are full and result")
	}
	return nil
}

// runBatch answers every row of the file.
func (c *calcCmd) runBatch(ctx context.Context, s streams, service *calc.Service) error {
	m := terminal.NewMeter(s.err)
	b := &table.Batch{
		From: c.Batch, In: s.in, Format: c.format(),
		To: c.Out, Out: terminal.Plain(s.out), As: c.Output, Lean: c.Output == "result",
		ID: c.ID, Pins: pins(c.Pin), Observer: m,
	}
	if c.Batch == "-" {
		b.From = ""
	}
	err := b.Run(ctx, service)
	m.Clear()
	if err == nil {
		return verdict(s.err, m)
	}
	if is[*table.OutputError](err) {
		return &failure{exitMisuse, fmt.Errorf("--out %w", err)}
	}
	if ended, ok := errors.AsType[*table.EndedError](err); ok {
		err := fmt.Errorf("the batch ended after %s: %w", terminal.Count(m.Rows(), "calculation"), ended.Err)
		if c.Out == "" { // a file would not be there
			err = fmt.Errorf("%w; to go on, compute the rows from row %d on", err, m.Rows()+1)
		}
		return err
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
