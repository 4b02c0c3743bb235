package registry

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// VersionFlags names a published version. Servers of the registry follow within seconds.
type VersionFlags struct {
	ID      string `arg:"" complete:"capability" help:"Capability or tool."`
	Version string `arg:"" complete:"version" help:"Published version, such as 1.0.0."`

	command.RegistryFlags
	command.SigningFlag
}

// change lets f change the capability in the registry, and prints the current version.
func (t *VersionFlags) change(ctx context.Context, s command.Streams, f func(reg *registry.Registry, capability string) error) error {
	reg, err := t.Open(ctx, s, t.SigningFlag)
	if err != nil {
		return err
	}
	defer reg.Close()
	if err := reg.Change(ctx, t.ID, f); err != nil {
		return err
	}
	entry, err := reg.Find(ctx, t.ID)
	if err != nil {
		return err
	}
	if entry.Current == "" {
		fmt.Fprintf(s.Err, "no version is current now: calls without a pin return VERSION_MISMATCH\n")
		return nil
	}
	fmt.Fprintf(s.Out, "current %s %s\n", entry.ID, entry.Current)
	return nil
}

// set records the lifecycle status of the version.
func (t *VersionFlags) set(ctx context.Context, s command.Streams, lifecycle evidence.Lifecycle) error {
	lifecycle.Since = time.Now().UTC().Truncate(time.Second)
	return t.change(ctx, s, func(reg *registry.Registry, capability string) error {
		err := reg.SetLifecycle(ctx, capability, t.Version, lifecycle)
		if err == nil {
			fmt.Fprintf(s.Out, "%s %s %s\n", lifecycle.State, capability, t.Version)
		}
		return err
	})
}

// Promote has the options of slipstick promote.
type Promote struct{ VersionFlags }

// Run makes a version the current one.
func (c *Promote) Run(ctx context.Context, s command.Streams) error {
	return c.change(ctx, s, func(reg *registry.Registry, capability string) error {
		return reg.Promote(ctx, capability, c.Version)
	})
}

// Deprecate has the options of slipstick deprecate.
type Deprecate struct {
	VersionFlags
	Reason    string
	Sunset    string
	Successor string
}

// Run deprecates a version.
func (c *Deprecate) Run(ctx context.Context, s command.Streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Deprecated, Reason: c.Reason, Sunset: c.Sunset, Successor: c.Successor})
}

// Yank has the options of slipstick yank.
type Yank struct {
	VersionFlags
	Reason    string
	Successor string
}

// Run yanks a version.
func (c *Yank) Run(ctx context.Context, s command.Streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Yanked, Reason: c.Reason, Successor: c.Successor})
}

// Revoke has the options of slipstick revoke.
type Revoke struct {
	VersionFlags
	Reason    string
	Successor string
}

// Run revokes a version.
func (c *Revoke) Run(ctx context.Context, s command.Streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Revoked, Reason: c.Reason, Successor: c.Successor})
}

// Reinstate has the options of slipstick reinstate.
type Reinstate struct{ VersionFlags }

// Run removes a deprecation or a yank.
func (c *Reinstate) Run(ctx context.Context, s command.Streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Active})
}
