package calc

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
)

func (c *Calc) checkShard() error {
	switch {
	case c.Out == "":
		return errors.New("--shard writes files into a directory; name it with --out DIR")
	case c.Batch == "-":
		return errors.New("--shard reads its part of a file; stdin has no parts")
	case c.ID == "":
		return fmt.Errorf("name the capability of the shards, such as slipstick calc --batch %s --shard %s --out %s cantilever-deflection", c.Batch, c.Shard, c.Out)
	case !c.KeepGoing:
		return errors.New("--no-keep-going would leave a shard unfinished; leave it out, or --shard")
	case !shards.CanWrite(c.as()):
		return fmt.Errorf("--output %s cannot be put together of shards: use result, csv, parquet, arrow or arrows", c.as())
	}
	_, _, err := shards.Number(c.Shard)
	return err
}

// runShard computes one shard of the batch.
func (c *Calc) runShard(ctx context.Context, s command.Streams) error {
	number, of, err := shards.Number(c.Shard)
	if err != nil {
		return command.Misuse(err)
	}
	catalog, running, err := c.Start(ctx, s, c.TrustFlags, c.SandboxFlags, &pool.Options{ProbeEvery: command.EngineTime, ProbeTimeout: command.EngineTime})
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
		Output: shards.Output{Format: c.as(), Decimal: c.format().Decimals(c.Decimal), Units: c.Unit, Tags: c.Tag},
	}, known)
	if err != nil {
		return err
	}
	if err := plan.SaveTo(c.Out); err != nil {
		if command.Is[*shards.DiffersError](err) {
			return command.Misuse(fmt.Errorf("--out %s has shards of another batch: %w", c.Out, err))
		}
		return err
	}
	w, err := shards.NewWorker(plan, catalog, running, c.Batch)
	if err != nil {
		return err
	}
	m := c.meter(s.Err, fmt.Sprintf("%d/%d", number, of))
	manifest, there, err := w.Run(ctx, number, c.Out, m)
	m.End()
	if err != nil {
		return fmt.Errorf("shard %d of %d was not written: %w", number, of, err)
	}
	if there {
		fmt.Fprintf(s.Err, "slipstick: shard %d of %d is there already\n", number, of)
		return nil
	}
	text, _ := m.Summary()
	fmt.Fprintf(s.Err, "slipstick: shard %d of %d: %s: %s\n", number, of, text, manifest.Output)
	return nil
}
