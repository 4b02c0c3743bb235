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
	Report string `arg:"" type:"existingfile" help:"Conformance report, the output of slipstick check --json."`
	command.SigningFlag
}

func (c *attachReportCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.AttachReport)(c).Run(ctx, s)
}

type reviewCmd struct {
	command.ReleaseFlags
	Key string `required:"" help:"Secret key of the reviewer (NAME.key)." placeholder:"FILE"`

	Reviewer string   `help:"Name of the reviewer." placeholder:"NAME"`
	Role     string   `help:"Qualification of the reviewer, such as \"structural engineer\"." placeholder:"TEXT"`
	Kind     string   `help:"Kind of the review: internal (the organization of the publisher) or expert (independent)." placeholder:"KIND"`
	Date     string   `help:"Day of the review. Default: today." placeholder:"YYYY-MM-DD"`
	Source   []string `name:"source-checked" sep:"none" help:"Source that the formulas were compared with. It has three parts with semicolons between them: the reference, the edition, and the table, case or page. Can be given several times. Without it, the sources count as not checked." placeholder:"TEXT"`
	Notes    string   `help:"Scope of the review." placeholder:"TEXT"`
	Trust    string   `env:"SLIPSTICK_TRUST" help:"Trust file of the servers, to show whether the review counts for them." placeholder:"FILE"`
}

func (c *reviewCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Review)(c).Run(ctx, s)
}
