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
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// batchFlags are those of slipstick calc --batch.
type batchFlags struct {
	Batch     string         `help:"Compute every row of this file, - for stdin." placeholder:"FILE"`
	Format    table.Format   `enum:",ndjson,csv,parquet,arrow,arrows" default:"" help:"How the file is written: ndjson, csv, parquet, or Arrow, in the form for random access (arrow) or the streaming one (arrows). Default: as its name ends; ndjson for stdin." placeholder:"FORMAT"`
	Output    table.Format   `enum:",full,result,csv,table,parquet,arrow,arrows" default:"" help:"What to write: full answers or only each result, as NDJSON; or the columns of a table and those of the results as csv, parquet, arrow or arrows, or as table, to be read by people. Default: as the name of --out ends if the rows are a table; else full." placeholder:"full|result|csv|table|parquet|arrow|arrows"`
	Decimal   typed.Decimals `enum:",point,comma" default:"" help:"The mark before the decimals of numbers in the texts of a table, and in CSV that is written: comma or point. Default: that of the first number with one reading." placeholder:"comma|point"`
	Tag       []string       `sep:"none" help:"A column of a table that passes through, even if its name is nearly that of an input. Can be given several times." placeholder:"COLUMN"`
	KeepGoing bool           `default:"true" negatable:"" help:"Go on after a row without a result; the last line says how many there were. --no-keep-going stops soon after the first."`
	Out       string         `short:"o" help:"Write to this file, which appears when it is complete; with --shard, the directory of the shards. Default: stdout." placeholder:"FILE|DIR"`
	Shard     string         `help:"Compute only this part of the rows, such as 17/200 for the 17th of 200, into the directory --out. auto/200 takes the number from JOB_COMPLETION_INDEX of Kubernetes, or SLURM_ARRAY_TASK_ID of Slurm." placeholder:"K/N"`
	Progress  string         `enum:",json" default:"" help:"json: write how far it is to stderr, each second, as a line of JSON. Default: shown on a terminal." placeholder:"json"`
}

// format is how the file is written, "" if that is not known.
func (f *batchFlags) format() table.Format {
	if f.Batch == "-" {
		return cmp.Or(f.Format, table.NDJSON)
	}
	return cmp.Or(f.Format, table.FormatOf(f.Batch))
}

// as is how the answers are written.
func (f *batchFlags) as() table.Format {
	byName := table.FormatOf(f.Out)
	switch {
	case f.Output != "":
		return f.Output
	case f.format().IsTable() && byName.IsTable() && f.Shard == "":
		return byName
	case f.Shard != "" && f.format().IsTable():
		return f.format()
	case f.Shard != "":
		return shards.Result
	}
	return "full"
}

// marksOf is which mark rows of the format have before decimals, if it was declared or not.
func marksOf(declared typed.Decimals, rows table.Format) typed.Decimals {
	if declared == "" && rows.IsTable() {
		return typed.ByFile
	}
	return declared
}

func (f *batchFlags) check(id string) error {
	switch {
	case f.Batch == "" && (f.Format != "" || f.Output != "" || f.Out != "" || f.Decimal != "" || len(f.Tag) > 0 || !f.KeepGoing || f.Shard != "" || f.Progress != ""):
		return errors.New("--format, --output, --out, --decimal, --tag, --shard, --progress and --no-keep-going go with --batch")
	case f.Batch == "":
		return nil
	case f.format() == "":
		return fmt.Errorf("%s ends in none of .ndjson, .jsonl, .csv, .parquet, .arrow, .arrows and .feather; tell how it is written with --format", f.Batch)
	case f.format().IsTable() && id == "":
		return fmt.Errorf("name the capability of the table, such as slipstick calc --batch %s cantilever-deflection", f.Batch)
	case !f.format().IsTable() && f.Output.IsTable():
		return fmt.Errorf("--output %s goes with a table: a file of CSV, Parquet or Arrow; for NDJSON there are full and result", f.Output)
	case !f.format().IsTable() && (f.Decimal != "" || len(f.Tag) > 0):
		return errors.New("--decimal and --tag go with a table: a file of CSV, Parquet or Arrow")
	case f.Shard != "":
		return f.checkShard(id)
	}
	return nil
}

// meter shows the progress of the batch, or of a shard of it.
func (f *batchFlags) meter(w io.Writer, shard string) *terminal.Meter {
	if f.Progress == "json" {
		return terminal.NewJSONMeter(w, shard)
	}
	return terminal.NewMeter(w)
}

// runBatch answers every row of the file.
func (c *calcCmd) runBatch(ctx context.Context, s streams, service *calc.Service) error {
	memory.CollectAt(memory.Ample)
	m := c.meter(s.err, "")
	b := &table.Batch{
		From: c.Batch, In: s.in, Format: c.format(),
		To: c.Out, Out: terminal.Plain(s.out), As: c.as(), Lean: c.Output == "result",
		ID: c.ID, Pins: c.pins(), Observer: m, Stop: !c.KeepGoing,
		Table: table.Options{Decimals: marksOf(c.Decimal, c.format()), Units: c.Unit, Tags: c.Tag},
		OnHeader: func(sheet *table.Sheet) {
			if passing := sheet.Passing(); len(passing) > 0 {
				fmt.Fprintf(s.err, "slipstick: columns that are no inputs pass through: %s\n", quoted(passing))
			}
		},
	}
	if c.Batch == "-" {
		b.From = ""
	}
	err := b.Run(ctx, service)
	m.End()
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
func exitOf(t batch.Tally) int {
	switch {
	case t.Failed > 0:
		return exitInternal
	case t.Rejected > 0:
		return exitFailed
	}
	return exitOK
}
