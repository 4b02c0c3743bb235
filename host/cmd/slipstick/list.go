package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
)

type listCmd struct {
	JSON     bool `help:"Print one object per release." xor:"form"`
	Markdown bool `help:"Print an index for people, a table per domain and group." xor:"form"`

	origin
	trusting
}

func (c *listCmd) Run(ctx context.Context, s streams) error {
	catalog, err := c.origin.catalog(ctx, s.err, false, c.trusting)
	if err != nil {
		return err
	}
	switch {
	case c.Markdown:
		return terminal.Index(s.out, catalog)
	case c.JSON:
		return terminal.ReleasesJSON(terminal.Plain(s.out), catalog)
	}
	terminal.Releases(s.out, catalog)
	return nil
}

type showCmd struct {
	ID   string `arg:"" complete:"capability" help:"Capability or tool."`
	Pin  string `complete:"version" help:"Describe this published version instead of the current one." placeholder:"VERSION"`
	JSON bool   `help:"Print the Spec as published."`

	origin
	trusting
}

func (c *showCmd) Run(ctx context.Context, s streams) error {
	catalog, err := c.origin.catalog(ctx, s.err, false, c.trusting)
	if err != nil {
		return err
	}
	entry, release, err := catalog.Release(c.ID, pins(c.Pin))
	if err != nil {
		return problem.Of(err)
	}
	if c.JSON {
		_, err := terminal.Plain(s.out).Write(append(release.SpecJSON, '\n'))
		return err
	}
	return terminal.Release(s.out, entry, release)
}
