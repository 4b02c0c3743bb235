package main

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// target names a published version. Hosts that serve the registry follow within seconds.
type target struct {
	ID      string `arg:"" complete:"capability" help:"Capability or tool."`
	Version string `arg:"" complete:"version" help:"Published version, such as 1.0.0."`

	origin
	signing
}

// change lets f change the capability in the registry, and says what is current then.
func (t *target) change(ctx context.Context, s streams, f func(reg *registry.Registry, capability string) error) error {
	reg, err := t.signed(ctx, s, t.signing)
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
		fmt.Fprintf(s.err, "no version is current now: calls without a pin are answered with VERSION_MISMATCH\n")
		return nil
	}
	fmt.Fprintf(s.out, "current %s %s\n", entry.ID, entry.Current)
	return nil
}

// set records where the version is in its life, and says what follows.
func (t *target) set(ctx context.Context, s streams, standing evidence.Lifecycle) error {
	standing.Since = time.Now().UTC().Truncate(time.Second)
	return t.change(ctx, s, func(reg *registry.Registry, capability string) error {
		err := reg.SetLifecycle(ctx, capability, t.Version, standing)
		if err == nil {
			fmt.Fprintf(s.out, "%s %s %s\n", standing.State, capability, t.Version)
		}
		return err
	})
}

type promoteCmd struct{ target }

func (c *promoteCmd) Run(ctx context.Context, s streams) error {
	return c.change(ctx, s, func(reg *registry.Registry, capability string) error {
		return reg.Promote(ctx, capability, c.Version)
	})
}

type deprecateCmd struct {
	target
	Reason    string `required:"" help:"Why, for its callers." placeholder:"TEXT"`
	Sunset    string `help:"Date after which it may be withdrawn." placeholder:"YYYY-MM-DD"`
	Successor string `complete:"version" help:"Version to use instead." placeholder:"VERSION"`
}

func (c *deprecateCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Deprecated, Reason: c.Reason, Sunset: c.Sunset, Successor: c.Successor})
}

type yankCmd struct {
	target
	Reason    string `required:"" help:"Why, for its callers." placeholder:"TEXT"`
	Successor string `complete:"version" help:"Version to use instead." placeholder:"VERSION"`
}

func (c *yankCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Yanked, Reason: c.Reason, Successor: c.Successor})
}

type revokeCmd struct {
	target
	Reason    string `required:"" help:"What is wrong with it, for its callers." placeholder:"TEXT"`
	Successor string `complete:"version" help:"Version to use instead." placeholder:"VERSION"`
}

func (c *revokeCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Revoked, Reason: c.Reason, Successor: c.Successor})
}

type reinstateCmd struct{ target }

func (c *reinstateCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Active})
}
