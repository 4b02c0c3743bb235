package calc

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
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// format is how the file is written, "" if that is not known.
func (c *Calc) format() table.Format {
	if c.Batch == "-" {
		return cmp.Or(table.Format(c.Format), table.NDJSON)
	}
	return cmp.Or(table.Format(c.Format), table.FormatOf(c.Batch))
}

// as is how the answers are written.
func (c *Calc) as() table.Format {
	byName := table.FormatOf(c.Out)
	switch {
	case c.Output != "":
		return table.Format(c.Output)
	case c.format().IsTable() && byName.IsTable() && c.Shard == "":
		return byName
	case c.Shard != "" && c.format().IsTable():
		return c.format()
	case c.Shard != "":
		return shards.Result
	}
	return "full"
}

func (c *Calc) checkBatch() error {
	switch {
	case c.Batch == "" && (c.Format != "" || c.Output != "" || c.Out != "" || c.Decimal != "" || len(c.Tag) > 0 || !c.KeepGoing || c.Shard != "" || c.Progress != ""):
		return errors.New("--format, --output, --out, --decimal, --tag, --shard, --progress and --no-keep-going go with --batch")
	case c.Batch == "":
		return nil
	case c.format() == "":
		return fmt.Errorf("%s ends in none of .ndjson, .jsonl, .csv, .parquet, .arrow, .arrows and .feather; name the format with --format", c.Batch)
	case c.format().IsTable() && c.ID == "":
		return fmt.Errorf("name the capability of the table, such as slipstick calc --batch %s cantilever-deflection", c.Batch)
	case !c.format().IsTable() && table.Format(c.Output).IsTable():
		return fmt.Errorf("--output %s goes with a table: a file of CSV, Parquet or Arrow; for NDJSON there are full and result", c.Output)
	case !c.format().IsTable() && (c.Decimal != "" || len(c.Tag) > 0):
		return errors.New("--decimal and --tag go with a table: a file of CSV, Parquet or Arrow")
	case c.Shard != "":
		return c.checkShard()
	}
	return nil
}

// meter shows the progress of the batch, or of a shard of it.
func (c *Calc) meter(w io.Writer, shard string) *terminal.Meter {
	if c.Progress == "json" {
		return terminal.NewJSONMeter(w, shard)
	}
	return terminal.NewMeter(w)
}

// startEngine starts the engine that all rows need, if the command names it. The error is a problem if the engine does not
// start.
func (c *Calc) startEngine(ctx context.Context, service *calc.Service, engines *pool.Pool) error {
	if c.ID == "" {
		return nil
	}
	_, release, err := service.Catalog().Release(c.ID, c.pins())
	switch p := problem.Of(err); {
	case err != nil && p.Code == problem.CodeEngineUnavailable:
		return p
	case err != nil:
		return nil // the header or the rows report it
	}
	err = engines.Start(ctx, release, false)
	if err != nil && ctx.Err() == nil {
		err = problem.Unavailable(release.Capability, release.Version, err)
	}
	return err
}

// runBatch answers every row of the file.
func (c *Calc) runBatch(ctx context.Context, s command.Streams, service *calc.Service, engines *pool.Pool) error {
	memory.CollectAt(memory.Ample)
	if err := c.startEngine(ctx, service, engines); err != nil {
		return err
	}
	m := c.meter(s.Err, "")
	b := &table.Batch{
		From: c.Batch, In: s.In, Format: c.format(),
		To: c.Out, Out: terminal.Plain(s.Out), As: c.as(), Lean: c.Output == "result",
		ID: c.ID, Pins: c.pins(), Observer: m, Stop: !c.KeepGoing,
		Table: table.Options{Decimals: c.format().Decimals(c.Decimal), Units: c.Unit, System: customary.System(c.Units), Tags: c.Tag},
		OnHeader: func(sheet *table.Sheet) {
			if passing := sheet.Passing(); len(passing) > 0 {
				fmt.Fprintf(s.Err, "slipstick: columns that are not inputs pass through: %s\n", quoted(passing))
			}
		},
	}
	if c.Batch == "-" {
		b.From = ""
	}
	err := b.Run(ctx, service)
	m.End()
	if err == nil {
		return verdict(s.Err, m)
	}
	if command.Is[*table.OutputError](err) {
		return command.Misuse(fmt.Errorf("--out %w", err))
	}
	if ended, ok := errors.AsType[*table.EndedError](err); ok {
		if errors.Is(err, table.ErrStopped) {
			text, tally := m.Summary()
			return &command.Failure{Code: exitOf(tally), Err: fmt.Errorf("stopped after a row without a result: %s", text)}
		}
		if p, ok := errors.AsType[*problem.Problem](ended.Err); ok && p.Code == problem.CodeEngineUnavailable {
			return fmt.Errorf("the batch ended because the first %d rows failed: %w: %w", m.Rows(), p, p.Cause)
		}
		err := fmt.Errorf("the batch ended after %s: %w", terminal.Count(m.Rows(), "calculation"), ended.Err)
		if c.Out == "" { // a file would not be there
			err = fmt.Errorf("%w; to go on, compute the rows from row %d on", err, m.Rows()+1)
		}
		return err
	}
	return err
}

// verdict prints the counts of a batch. It returns them as an error if a row has no result.
func verdict(w io.Writer, m *terminal.Meter) error {
	text, tally := m.Summary()
	if code := exitOf(tally); code != command.ExitOK {
		return &command.Failure{Code: code, Err: errors.New(text)}
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
		return command.ExitInternal
	case t.Rejected > 0:
		return command.ExitFailed
	}
	return command.ExitOK
}
