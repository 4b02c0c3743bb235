package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

type signCmd struct {
	command.ReleaseFlags
	Key string `required:"" help:"Secret key of a publisher (NAME.key)." placeholder:"FILE"`
}

func (c *signCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Sign)(c).Run(ctx, s)
}

type attachReportCmd struct {
	command.ReleaseFlags
	Report string `arg:"" type:"existingfile" help:"Conformance report, as slipstick check --json prints it."`
	command.SigningFlag
}

func (c *attachReportCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.AttachReport)(c).Run(ctx, s)
}

type reviewCmd struct {
	command.ReleaseFlags
	Key string `required:"" help:"Secret key of the reviewer (NAME.key)." placeholder:"FILE"`

	Reviewer string   `help:"Name of who reviewed." placeholder:"NAME"`
	Role     string   `help:"Qualification of the reviewer, such as \"structural engineer\"." placeholder:"TEXT"`
	Kind     string   `help:"internal (the publisher's organization) or expert (independent)." placeholder:"KIND"`
	Date     string   `help:"Day of the review. Default: today." placeholder:"YYYY-MM-DD"`
	Source   []string `name:"source-checked" sep:"none" help:"A source that the formulas were compared with: \"reference; edition; table, case or page\". Once for each. Without any the sources count as not checked." placeholder:"TEXT"`
	Notes    string   `help:"Scope of the review." placeholder:"TEXT"`
	Trust    string   `env:"SLIPSTICK_TRUST" help:"Trust file of the servers, to show whether the review counts for them." placeholder:"FILE"`
}

func (c *reviewCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Review)(c).Run(ctx, s)
}
