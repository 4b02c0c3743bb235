package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

type promoteCmd struct{ registry.VersionFlags }

func (c *promoteCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Promote)(c).Run(ctx, s)
}

type deprecateCmd struct {
	registry.VersionFlags
	Reason    string `required:"" help:"Reason, for the callers of the version." placeholder:"TEXT"`
	Sunset    string `help:"Date after which the version can be withdrawn." placeholder:"YYYY-MM-DD"`
	Successor string `complete:"version" help:"Version to use instead." placeholder:"VERSION"`
}

func (c *deprecateCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Deprecate)(c).Run(ctx, s)
}

type yankCmd struct {
	registry.VersionFlags
	Reason    string `required:"" help:"Reason, for the callers of the version." placeholder:"TEXT"`
	Successor string `complete:"version" help:"Version to use instead." placeholder:"VERSION"`
}

func (c *yankCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Yank)(c).Run(ctx, s)
}

type revokeCmd struct {
	registry.VersionFlags
	Reason    string `required:"" help:"Fault, for the callers of the version." placeholder:"TEXT"`
	Successor string `complete:"version" help:"Version to use instead." placeholder:"VERSION"`
}

func (c *revokeCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Revoke)(c).Run(ctx, s)
}

type reinstateCmd struct{ registry.VersionFlags }

func (c *reinstateCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Reinstate)(c).Run(ctx, s)
}
