package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/rebuild"
	"github.com/slipstick/slipstick/host/internal/release/sbom"
	"github.com/slipstick/slipstick/registry"
)

type rebuildCmd struct {
	attaching
	Source     []string `required:"" sep:"none" help:"Source that the release is built from again: a directory, archives of one tree (repeat the flag), or a commit of a repository." placeholder:"DIR|FILE.zip|git+URL[@COMMIT]"`
	BuildCache string   `env:"SLIPSTICK_BUILD_CACHE" help:"Directory with the compiled packages of earlier rebuilds, for many releases in a row. Default: an empty one, which is removed afterwards." placeholder:"DIR"`
	Key        string   `help:"Secret key (NAME.key) that signs that the bytes are the same. The statement is attached to the release." placeholder:"FILE"`
	JSON       bool     `help:"Print what was found as JSON."`

	trusting
}

func (c *rebuildCmd) Run(ctx context.Context, s streams) error {
	if err := build.Available(); err != nil {
		return err
	}
	rel, err := c.release(ctx, s, c.trusting)
	if err != nil {
		return err
	}
	show := terminal.Progress(s.err)
	o := &rebuild.Options{Progress: show}
	if c.BuildCache != "" {
		o.Cache, err = filepath.Abs(c.BuildCache)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.err, "slipstick: packages that were compiled before come from %s: use it only if no other program writes there\n", c.BuildCache)
	}
	result, err := rebuild.Run(ctx, rel, c.Source, o)
	show("")
	if err != nil {
		return err
	}
	if err := terminal.Rebuilt(s.out, result, c.JSON); err != nil {
		return err
	}
	if result.Difference != nil {
		return &failure{exitFailed, errors.New("it was not rebuilt: the first difference is named above")}
	}
	if c.Key == "" {
		return nil
	}
	said := s
	if c.JSON {
		said.out = s.err
	}
	return c.attach(ctx, said, "rebuilt", c.Key, func(reg *registry.Registry, capability string) (string, error) {
		return reg.AttachRebuild(ctx, capability, c.attaching.Release.Version, result.Rebuilt)
	})
}

// release reads the release that the command line names, which has executables.
func (a *attaching) release(ctx context.Context, s streams, who trusting) (*registry.Release, error) {
	catalog, err := a.catalog(ctx, s.err, true, who)
	if err != nil {
		return nil, err
	}
	entry, err := catalog.Published(a.Release.ID)
	if err != nil {
		return nil, err
	}
	for _, rel := range entry.Releases {
		switch {
		case rel.Version != a.Release.Version:
		case rel.Table != nil:
			return nil, &failure{exitMisuse, fmt.Errorf("%s %s is a table: its rows are published as they are, and nothing is built", rel.Capability, rel.Version)}
		default:
			return rel, nil
		}
	}
	return nil, &audit.NotPublishedError{Capability: entry.ID, Version: a.Release.Version}
}

type sbomCmd struct{ attaching }

func (c *sbomCmd) Run(ctx context.Context, s streams) error {
	rel, err := c.release(ctx, s, trusting{})
	if err != nil {
		return err
	}
	document, err := sbom.SPDX(rel)
	if err == nil {
		_, err = s.out.Write(document)
	}
	return err
}
