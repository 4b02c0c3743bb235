package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

type impactCmd struct {
	New    string   `arg:"" complete:"release" help:"The new release: a published version such as ohms-law@2.0.0, or an unpublished engine: an executable, or the directory of its program."`
	Over   []string `required:"" help:"Stored results: what slipstick replay takes. It may be repeated." placeholder:"TARGET"`
	FailOn []string `name:"fail-on" help:"Exit with 1 if any result changed (changed), is refused now (refused), or differs by more than a part of the stored one (rel=1e-9). It may be repeated." placeholder:"CONDITION"`
	HTML   string   `name:"html" help:"Write a page with the distribution to this file too. It needs no server." placeholder:"FILE"`

	ReadOnly []string `name:"read-only" help:"System files that an unpublished engine needs to describe itself, such as its interpreter." placeholder:"PATH"`
	archive.RecomputeFlags
}

func (c *impactCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.Impact)(c).Run(ctx, s)
}
