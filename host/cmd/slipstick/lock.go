package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
)

type lockCmd struct {
	Versions []string `arg:"" optional:"" complete:"release" name:"capability@version" help:"Versions to lock beside those that are locked; without @ the current one. Default: everything that is published and not revoked."`
	Output   string   `default:"slipstick.lock" short:"o" help:"The lock file." placeholder:"FILE"`
	Check    bool     `help:"Write nothing: compare the registry with the lock file, for CI."`

	origin
}

func (c *lockCmd) Run(ctx context.Context, s streams) error {
	if c.Check && len(c.Versions) > 0 {
		return &failure{exitMisuse, errors.New("--check compares the whole lock file: name no versions")}
	}
	list, err := c.capabilities(ctx, s.err, false)
	if err != nil {
		return err
	}
	if c.Check {
		return c.compare(s, list)
	}
	locked, err := source.Lock(c.Output, c.Registry, c.Versions, list)
	if err != nil {
		return &failure{exitFailed, err}
	}
	if err := locked.Write(c.Output); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "locked %s in %s\n", terminal.Count(len(locked.Releases), "version"), c.Output)
	return nil
}

// compare prints in which ways the registry differs from the lock file.
func (c *lockCmd) compare(s streams, list []registry.Capability) error {
	locked, err := lockfile.Read(c.Output)
	if err != nil {
		return err
	}
	differences := locked.Differences(list)
	for _, d := range differences {
		terminal.Printf(s.out, "%s\n", d.String())
	}
	if len(differences) > 0 {
		return &failure{exitFailed, fmt.Errorf("the registry %s differs from %s in %s", c.Registry, c.Output, terminal.Count(len(differences), "way"))}
	}
	are := "are published as they are"
	if len(locked.Releases) == 1 {
		are = "is published as it is"
	}
	fmt.Fprintf(s.out, "%s %s locked\n", terminal.Count(len(locked.Releases), "version"), are)
	return nil
}
