package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/table"
	"github.com/slipstick/slipstick/host/internal/terminal"
	"github.com/slipstick/slipstick/host/internal/typed"
)

// batchFlags are those of slipstick calc --batch.
type batchFlags struct {
	Batch     string         `help:"Compute every row of this file, - for stdin." placeholder:"FILE"`
	Format    table.Format   `enum:",ndjson,csv" default:"" help:"How the file is written, ndjson or csv. Default: as its name ends; ndjson for stdin." placeholder:"FORMAT"`
	Output    table.Format   `enum:"full,result,csv,table" default:"full" help:"What to write: full answers or only each result, as NDJSON; or csv, the columns of a CSV file and those of the results; or table, the same to be read." placeholder:"full|result|csv|table"`
	Decimal   typed.Decimals `enum:",point,comma" default:"" help:"What stands before the decimals of a CSV file, of what is read and of what is written: comma or point. Default: either, and a cell with two readings is refused." placeholder:"comma|point"`
	Tag       []string       `sep:"none" help:"A column of a CSV file that passes through, even if its name is nearly that of an input. Can be given several times." placeholder:"COLUMN"`
	KeepGoing bool           `default:"true" negatable:"" help:"Go on after a row without a result; the last line says how many there were. --no-keep-going stops soon after the first."`
	Out       string         `help:"Write to this file, which appears when it is complete. Default: stdout." placeholder:"FILE"`
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
	case f.Batch == "" && (f.Format != "" || f.Output != "full" || f.Out != "" || f.Decimal != "" || len(f.Tag) > 0 || !f.KeepGoing):
		return errors.New("--format, --output, --out, --decimal, --tag and --no-keep-going go with --batch")
	case f.Batch == "":
		return nil
	case f.format() == "":
		return fmt.Errorf("%s ends neither in .ndjson, .jsonl nor .csv; tell how it is written with --format", f.Batch)
	case f.format() == table.CSV && id == "":
		return errors.New("name the capability of the CSV file, such as slipstick calc --batch beams.csv cantilever-deflection")
	case f.format() != table.CSV && (f.Output == table.CSV || f.Output == table.Table):
		return fmt.Errorf("--output %s goes with a CSV file; for NDJSON there are full and result", f.Output)
	case f.format() != table.CSV && (f.Decimal != "" || len(f.Tag) > 0):
		return errors.New("--decimal and --tag go with a CSV file")
	}
	return nil
}

// runBatch answers every row of the file.
func (c *calcCmd) runBatch(ctx context.Context, s streams, service *calc.Service) error {
	m := terminal.NewMeter(s.err)
	b := &table.Batch{
		From: c.Batch, In: s.in, Format: c.format(),
		To: c.Out, Out: terminal.Plain(s.out), As: c.Output, Lean: c.Output == "result",
		ID: c.ID, Pins: c.pins(), Observer: m, Stop: !c.KeepGoing,
		CSV: table.CSVOptions{Decimals: c.Decimal, Units: c.Unit, Tags: c.Tag},
		Begin: func(sheet *table.Sheet) {
			if passing := sheet.Passing(); len(passing) > 0 {
				fmt.Fprintf(s.err, "slipstick: columns that are no inputs pass through: %s\n", quoted(passing))
			}
		},
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
		if errors.Is(err, table.ErrStopped) {
			text, tally := m.Summary()
			return &failure{exitOf(tally), fmt.Errorf("stopped after a row without a result: %s", text)}
		}
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
	if code := exitOf(tally); code != exitOK {
		return &failure{code, errors.New(text)}
	}
	fmt.Fprintln(w, "slipstick:", text)
	return nil
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strconv.Quote(name)
	}
	return strings.Join(list, ", ")
}

// exitOf is the exit code of a batch.
func exitOf(t calc.Tally) int {
	switch {
	case t.Failed > 0:
		return exitInternal
	case t.Rejected > 0:
		return exitFailed
	}
	return exitOK
}
