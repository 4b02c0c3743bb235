package main

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/checkpoint"
	"github.com/slipstick/slipstick/host/internal/terminal"
	"github.com/slipstick/slipstick/registry"
)

type checkpointCmd struct {
	Output string        `arg:"" help:"File to write. If it holds a checkpoint, the new one gets the next number."`
	Key    string        `required:"" help:"Secret key of a publisher (NAME.key)." placeholder:"FILE"`
	Valid  time.Duration `default:"720h" help:"For how long it counts; there must be a newer one before."`

	origin
	trusting
}

func (c *checkpointCmd) Run(ctx context.Context, s streams) error {
	key, err := readKey(s, c.Key)
	if err != nil {
		return err
	}
	capabilities, err := c.capabilities(ctx, s.err, false, c.trusting)
	if err != nil {
		return err
	}
	held, err := registry.StateOf(capabilities)
	if err != nil {
		return &failure{exitFailed, fmt.Errorf("the registry must be in order first: %w", err)}
	}
	for _, published := range capabilities {
		if _, in := held[published.ID]; !in {
			fmt.Fprintf(s.err, "slipstick: not in the checkpoint: %s: %v\n", published.ID, published.Problem)
		}
	}
	state, file, err := checkpoint.Next(c.Output, key, held, c.Valid)
	if err != nil {
		return &failure{exitFailed, err}
	}
	if err := checkpoint.Replace(c.Output, file); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "checkpoint %d of %s, until %s\n", state.Number, terminal.Count(len(held), "capability"), state.Expires.UTC().Format(time.RFC3339))
	return nil
}
