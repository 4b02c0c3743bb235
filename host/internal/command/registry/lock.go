package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
)

// Lock has the options of slipstick lock.
type Lock struct {
	Versions []string
	Output   string
	Check    bool

	command.RegistryFlags
}

// Run writes or compares the lock file.
func (c *Lock) Run(ctx context.Context, s command.Streams) error {
	if c.Check && len(c.Versions) > 0 {
		return command.Misuse(errors.New("--check compares the whole lock file: name no versions"))
	}
	list, err := c.Capabilities(ctx, s.Err, false)
	if err != nil {
		return err
	}
	if c.Check {
		return c.compare(s, list)
	}
	locked, err := source.Lock(c.Output, c.Registry, c.Versions, list)
	if err != nil {
		return command.Refused(err)
	}
	if err := locked.Write(c.Output); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "locked %s in %s\n", terminal.Count(len(locked.Releases), "version"), c.Output)
	return nil
}

// compare prints in which ways the registry differs from the lock file.
func (c *Lock) compare(s command.Streams, list []registry.Capability) error {
	locked, err := lockfile.Read(c.Output)
	if err != nil {
		return err
	}
	differences := locked.Differences(list)
	for _, d := range differences {
		terminal.Printf(s.Out, "%s\n", d.String())
	}
	if len(differences) > 0 {
		return command.Refused(fmt.Errorf("the registry %s differs from %s in %s", c.Registry, c.Output, terminal.Count(len(differences), "way")))
	}
	are := "are published as they are"
	if len(locked.Releases) == 1 {
		are = "is published as it is"
	}
	fmt.Fprintf(s.Out, "%s %s locked\n", terminal.Count(len(locked.Releases), "version"), are)
	return nil
}
