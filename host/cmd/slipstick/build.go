package main

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/release/build"
)

type buildCmd struct {
	Dirs     []string         `arg:"" optional:"" name:"dir" default:"." help:"Directories of programs."`
	Platform []build.Platform `help:"What to build for, such as linux/amd64,linux/arm64. Default: this platform." placeholder:"OS/ARCH"`
	Out      string           `default:"." help:"Directory for the executables." placeholder:"DIR"`
}

func (c *buildCmd) Run(ctx context.Context, s streams) error {
	if len(c.Platform) == 0 {
		c.Platform = []build.Platform{build.Here}
	}
	for _, dir := range c.Dirs {
		made, err := build.All(ctx, dir, c.Platform, c.Out, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		for _, b := range made {
			fmt.Fprintf(s.out, "%s %s %s\n", b.File, b.Platform, b.Digest)
		}
	}
	return nil
}
