// Package registry implements the commands that read or change a registry. [List] and [Show] read it. [Promote],
// [Deprecate], [Yank], [Revoke] and [Reinstate] change the status of versions, and [SetShadow] starts comparisons.
// [Sign], [Review] and [AttachReport] add evidence. Other commands write and check the transparency log, or move a
// registry as one file. The fields of a command are its arguments and flags, and Run executes it.
package registry

import (
	"context"
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
)

// List has the options of slipstick list.
type List struct {
	JSON     bool
	Markdown bool
	Uses     string

	command.RegistryFlags
	command.TrustFlags
}

// Run lists the published releases.
func (c *List) Run(ctx context.Context, s command.Streams) error {
	catalog, err := c.RegistryFlags.Catalog(ctx, s.Err, false, c.TrustFlags)
	if err != nil {
		return err
	}
	if c.Uses != "" {
		id, version, _ := strings.Cut(c.Uses, "@")
		if _, err := catalog.Published(id); err != nil {
			return problem.Of(err)
		}
		catalog = catalog.Using(id, version)
	}
	switch {
	case c.Markdown:
		return terminal.Index(s.Out, catalog)
	case c.JSON:
		return terminal.ReleasesJSON(terminal.Plain(s.Out), catalog)
	}
	terminal.Releases(s.Out, catalog)
	return nil
}

// Show has the options of slipstick show.
type Show struct {
	ID   string
	Pin  string
	JSON bool
	Text bool

	command.RegistryFlags
	command.TrustFlags
}

// Run describes a published capability.
func (c *Show) Run(ctx context.Context, s command.Streams) error {
	catalog, err := c.RegistryFlags.Catalog(ctx, s.Err, false, c.TrustFlags)
	if err != nil {
		return err
	}
	entry, release, err := catalog.Release(c.ID, command.Pins(c.Pin))
	if err != nil {
		return problem.Of(err)
	}
	switch {
	case c.JSON:
		_, err := terminal.Plain(s.Out).Write(append(release.SpecJSON, '\n'))
		return err
	case c.Text:
		text, err := release.Text()
		if err == nil && text == nil {
			err = command.Refused(fmt.Errorf("%s %s has no document: it is a program; without --text its formula is shown", release.Capability, release.Version))
		}
		if err != nil {
			return err
		}
		_, err = terminal.Plain(s.Out).Write(text.Document)
		return err
	}
	return terminal.Release(s.Out, entry, release)
}
