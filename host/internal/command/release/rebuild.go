package release

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/rebuild"
	"github.com/slipstick/slipstick/host/internal/release/sbom"
	"github.com/slipstick/slipstick/registry"
)

// Rebuild has the options of slipstick rebuild.
type Rebuild struct {
	command.ReleaseFlags
	Source     []string
	BuildCache string
	Key        string
	JSON       bool

	command.TrustFlags
}

// Run builds a release again and compares the bytes.
func (c *Rebuild) Run(ctx context.Context, s command.Streams) error {
	rel, err := c.FindRelease(ctx, s, c.TrustFlags)
	if err != nil {
		return err
	}
	show := terminal.Progress(s.Err)
	o := &rebuild.Options{Progress: show}
	if c.BuildCache != "" {
		o.Cache, err = filepath.Abs(c.BuildCache)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Err, "slipstick: compiled packages come from %s: use it only if no other program writes there\n", c.BuildCache)
	}
	result, err := rebuild.Run(ctx, rel, c.Source, o)
	show("")
	if err != nil {
		return err
	}
	if err := terminal.Rebuilt(s.Out, result, c.JSON); err != nil {
		return err
	}
	if result.Difference != nil {
		return command.Refused(errors.New("it was not rebuilt: the first difference is named above"))
	}
	if c.Key == "" {
		return nil
	}
	said := s
	if c.JSON {
		said.Out = s.Err
	}
	return c.Attach(ctx, said, "rebuilt", c.Key, func(reg *registry.Registry, capability string) (string, error) {
		return reg.AttachRebuild(ctx, capability, c.ReleaseFlags.Release.Version, result.Rebuilt)
	})
}

// SBOM has the options of slipstick sbom.
type SBOM struct{ command.ReleaseFlags }

// Run prints the modules of a release as SPDX.
func (c *SBOM) Run(ctx context.Context, s command.Streams) error {
	rel, err := c.FindRelease(ctx, s, command.TrustFlags{})
	if err != nil {
		return err
	}
	document, err := sbom.SPDX(rel)
	if err == nil {
		_, err = s.Out.Write(document)
	}
	return err
}
