package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
)

// Verify has the options of slipstick batch verify.
type Verify struct {
	Dir    string
	File   string
	Sample string
	JSON   bool

	command.RegistryFlags
	command.TrustFlags
	command.SandboxFlags
}

// sample reads --sample.
func (c *Verify) sample() (int64, error) {
	if c.Sample == "all" {
		return shards.All, nil
	}
	n, err := strconv.ParseInt(c.Sample, 10, 64)
	if err != nil || n < 0 || n == math.MaxInt64 {
		return 0, command.Misuse(fmt.Errorf("--sample %s: write a number of rows, or all", c.Sample))
	}
	return n, nil
}

// Run checks the shards of a batch.
func (c *Verify) Run(ctx context.Context, s command.Streams) error {
	sample, err := c.sample()
	if err != nil {
		return err
	}
	line, closing := terminal.Progress(s.Err), func() {}
	defer func() { closing() }()
	report, err := shards.Verify(ctx, c.Dir, sample, func(plan *shards.Plan) (*shards.Worker, error) {
		if c.File == "" {
			return nil, errors.New("the file of the rows was not given")
		}
		catalog, running, err := c.Start(ctx, s, c.TrustFlags, c.SandboxFlags, &pool.Options{ProbeEvery: command.EngineTime, ProbeTimeout: command.EngineTime})
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
		err = terminal.ShardsJSON(terminal.Plain(s.Out), report)
	} else {
		err = terminal.Shards(s.Out, report)
	}
	switch {
	case err != nil:
		return err
	case !report.Holds():
		return command.Refused(errors.New("the batch is not complete, or not as it was planned"))
	case report.Unchecked != nil:
		return fmt.Errorf("not all rows of the sample were computed again: %w", report.Unchecked)
	}
	return nil
}
