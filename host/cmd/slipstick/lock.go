package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

type lockCmd struct {
	Versions []string `arg:"" optional:"" complete:"release" name:"capability@version" help:"Versions to add to the lock file; without @ the current one. Default: everything that is published and not revoked."`
	Output   string   `default:"slipstick.lock" short:"o" help:"The lock file." placeholder:"FILE"`
	Check    bool     `help:"Write nothing: compare the registry with the lock file, for CI."`

	command.RegistryFlags
}

func (c *lockCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.Lock)(c).Run(ctx, s)
}
