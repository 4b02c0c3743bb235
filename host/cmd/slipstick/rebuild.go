package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type rebuildCmd struct {
	command.ReleaseFlags
	Source     []string `required:"" sep:"none" help:"Source to build from: a directory, archives of one tree (repeat the flag), or a commit of a Git repository." placeholder:"DIR|FILE.zip|git+URL[@COMMIT]"`
	BuildCache string   `env:"SLIPSTICK_BUILD_CACHE" help:"Directory for compiled packages, to rebuild many releases in a row. Default: an empty one, which is removed afterwards." placeholder:"DIR"`
	Key        string   `help:"Secret key (NAME.key) that signs the statement that the bytes are the same. The command attaches it to the release." placeholder:"FILE"`
	JSON       bool     `help:"Print one JSON object with all findings."`

	command.TrustFlags
}

func (c *rebuildCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Rebuild)(c).Run(ctx, s)
}

type sbomCmd struct{ command.ReleaseFlags }

func (c *sbomCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.SBOM)(c).Run(ctx, s)
}
