package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type buildCmd struct {
	Dirs     []string           `arg:"" optional:"" name:"dir" default:"." help:"Directories of programs."`
	Platform []release.Platform `help:"Platforms, such as linux/amd64,linux/arm64. Default: this platform." placeholder:"OS/ARCH"`
	Out      string             `default:"." help:"Directory for the executables." placeholder:"DIR"`
}

func (c *buildCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Build)(c).Run(ctx, s)
}
