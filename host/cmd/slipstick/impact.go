package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

type impactCmd struct {
	New    string   `arg:"" complete:"release" help:"The new release: a published version such as ohms-law@2.0.0, or an unpublished engine: an executable, or the directory of its program."`
	Over   []string `required:"" help:"Stored results, in the same forms as for slipstick replay. Can be given several times." placeholder:"TARGET"`
	FailOn []string `name:"fail-on" help:"Exit with 1 if any result changed (changed), is rejected now (refused), or has a larger relative difference (rel=1e-9). Can be given several times." placeholder:"CONDITION"`
	HTML   string   `name:"html" help:"Also write a web page with the distribution to this file. It needs no server." placeholder:"FILE"`

	ReadOnly []string `name:"read-only" help:"System files that an unpublished engine needs to describe itself, such as its interpreter." placeholder:"PATH"`
	archive.RecomputeFlags
}

func (c *impactCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.Impact)(c).Run(ctx, s)
}
