package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type rebuildCmd struct {
	command.ReleaseFlags
	Source     []string `required:"" sep:"none" help:"Source that the release is built from again: a directory, archives of one tree (repeat the flag), or a commit of a repository." placeholder:"DIR|FILE.zip|git+URL[@COMMIT]"`
	BuildCache string   `env:"SLIPSTICK_BUILD_CACHE" help:"Directory with the compiled packages of earlier rebuilds, for many releases in a row. Default: an empty one, which is removed afterwards." placeholder:"DIR"`
	Key        string   `help:"Secret key (NAME.key) that signs that the bytes are the same. The statement is attached to the release." placeholder:"FILE"`
	JSON       bool     `help:"Print what was found as JSON."`

	command.TrustFlags
}

func (c *rebuildCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Rebuild)(c).Run(ctx, s)
}

type sbomCmd struct{ command.ReleaseFlags }

func (c *sbomCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.SBOM)(c).Run(ctx, s)
}
