package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type clientCmd struct {
	Lock     string `default:"slipstick.lock" help:"The lock file." placeholder:"FILE"`
	Lang     string `required:"" enum:"go,ts,python" help:"Language of the client: go, ts or python." placeholder:"LANGUAGE"`
	Out      string `default:"calculations" help:"Directory of the client. In Go it is also the name of the package." placeholder:"DIR"`
	Check    bool   `help:"Write nothing: compare the client with the lock file, for CI."`
	Registry string `env:"SLIPSTICK_REGISTRY" help:"Registry of the published engines: a directory, oci://HOST/PREFIX, or the https:// URL of a server. Default: the one in the lock file." placeholder:"DIR|URL"`

	command.RemoteFlags
}

func (c *clientCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Client)(c).Run(ctx, s, program())
}
