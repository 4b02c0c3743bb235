package release

import (
	"context"
	"fmt"
	"os"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/build"
)

// Platform is an operating system and an architecture, such as linux/amd64.
type Platform = build.Platform

// Build has the options of slipstick build.
type Build struct {
	Dirs     []string
	Platform []Platform
	Out      string
}

// Run builds the engines in all directories for all platforms.
func (c *Build) Run(ctx context.Context, s command.Streams) error {
	if len(c.Platform) == 0 {
		c.Platform = []Platform{build.Here}
	}
	for _, dir := range c.Dirs {
		if _, err := os.Stat(dir); err != nil {
			return err
		}
		made, err := build.All(ctx, dir, c.Platform, c.Out, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		for _, b := range made {
			fmt.Fprintf(s.Out, "%s %s %s\n", b.File, b.Platform, b.Digest)
		}
	}
	return nil
}
