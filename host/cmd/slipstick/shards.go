package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
)

func (f *batchFlags) checkShard(id string) error {
	switch {
	case f.Out == "":
		return errors.New("--shard writes files into a directory; name it with --out DIR")
	case f.Batch == "-":
		return errors.New("--shard reads its part of a file; stdin has no parts")
	case id == "":
		return fmt.Errorf("name the capability of the shards, such as slipstick calc --batch %s --shard %s --out %s cantilever-deflection", f.Batch, f.Shard, f.Out)
	case !f.KeepGoing:
		return errors.New("--no-keep-going would leave a shard unfinished; leave it out, or --shard")
	case !shards.CanWrite(f.as()):
		return fmt.Errorf("--output %s cannot be put together of shards: use result, csv, parquet, arrow or arrows", f.as())
	}
	_, _, err := shards.Number(f.Shard)
	return err
}

// runShard computes one shard of the batch.
func (c *calcCmd) runShard(ctx context.Context, s streams) error {
	number, of, err := shards.Number(c.Shard)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	catalog, running, err := c.starting(ctx, s, c.trusting, c.confinement, &pool.Options{ProbeEvery: engineTime, ProbeTimeout: engineTime})
	if err != nil {
		return err
	}
	defer running.Close()
	memory.CollectAt(memory.Ample)
	known, err := shards.PlanIn(c.Out)
	if err != nil {
		return err
	}
	plan, err := shards.NewPlan(ctx, catalog, shards.Job{
		File: c.Batch, Format: c.format(), ID: c.ID, Pins: c.pins(), Shards: of,
		Output: shards.Output{Format: c.as(), Decimal: marksOf(c.Decimal, c.format()), Units: c.Unit, Tags: c.Tag},
	}, known)
	if err != nil {
		return err
	}
	if err := plan.SaveTo(c.Out); err != nil {
		if is[*shards.DiffersError](err) {
			return &failure{exitMisuse, fmt.Errorf("--out %s has shards of another batch: %w", c.Out, err)}
		}
		return err
	}
	w, err := shards.NewWorker(plan, catalog, running, c.Batch)
	if err != nil {
		return err
	}
	m := c.meter(s.err, fmt.Sprintf("%d/%d", number, of))
	manifest, there, err := w.Run(ctx, number, c.Out, m)
	m.End()
	if err != nil {
		return fmt.Errorf("shard %d of %d was not written: %w", number, of, err)
	}
	if there {
		fmt.Fprintf(s.err, "slipstick: shard %d of %d is there already\n", number, of)
		return nil
	}
	text, _ := m.Summary()
	fmt.Fprintf(s.err, "slipstick: shard %d of %d: %s: %s\n", number, of, text, manifest.Output)
	return nil
}

// batchCmd is what is done with large batches.
type batchCmd struct {
	Verify batchVerifyCmd `cmd:"" help:"Prove that the shards of a batch are complete, and compute a sample of their rows again."`
	Submit batchSubmitCmd `cmd:"" help:"Put the shards of a batch into a queue, for workers on many machines."`
	Work   batchWorkCmd   `cmd:"" help:"Compute shards of a queue."`
	Status batchStatusCmd `cmd:"" help:"Say how far the jobs of a queue are."`
	Fetch  batchFetchCmd  `cmd:"" help:"Copy results out of the object store of a queue."`
	Cancel batchCancelCmd `cmd:"" help:"Remove a job from a queue."`
}

type batchVerifyCmd struct {
	Dir    string `arg:"" help:"Directory of the shards."`
	File   string `arg:"" optional:"" help:"File of the rows, of which a sample is computed again."`
	Sample string `default:"100" help:"How many rows are computed again, chosen at random all over the shards, or all. Default: ${default}." placeholder:"N|all"`
	JSON   bool   `help:"Print one object with everything that was found."`

	origin
	trusting
	confinement
}

// sample reads --sample.
func (c *batchVerifyCmd) sample() (int64, error) {
	if c.Sample == "all" {
		return shards.All, nil
	}
	n, err := strconv.ParseInt(c.Sample, 10, 64)
	if err != nil || n < 0 || n == math.MaxInt64 {
		return 0, &failure{exitMisuse, fmt.Errorf("--sample %s: write a number of rows, or all", c.Sample)}
	}
	return n, nil
}

func (c *batchVerifyCmd) Run(ctx context.Context, s streams) error {
	sample, err := c.sample()
	if err != nil {
		return err
	}
	line, closing := terminal.Progress(s.err), func() {}
	defer func() { closing() }()
	report, err := shards.Verify(ctx, c.Dir, sample, func(plan *shards.Plan) (*shards.Worker, error) {
		if c.File == "" {
			return nil, errors.New("the file of the rows was not given")
		}
		catalog, running, err := c.starting(ctx, s, c.trusting, c.confinement, &pool.Options{ProbeEvery: engineTime, ProbeTimeout: engineTime})
		if err != nil {
			return nil, err
		}
		closing = running.Close
		memory.CollectAt(memory.Ample)
		return shards.NewWorker(plan, catalog, running, c.File)
	}, &shards.Options{Progress: func(shard int) { line(fmt.Sprintf("shard %d", shard)) }})
	line("")
	if err != nil {
		return err
	}
	if c.JSON {
		err = terminal.ShardsJSON(terminal.Plain(s.out), report)
	} else {
		err = terminal.Shards(s.out, report)
	}
	switch {
	case err != nil:
		return err
	case !report.Holds():
		return &failure{exitFailed, errors.New("the batch is not complete, or not as it was planned")}
	case report.Unchecked != nil:
		return fmt.Errorf("not all rows of the sample were computed again: %w", report.Unchecked)
	}
	return nil
}
