package main

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// target names a published version. Hosts that serve the registry follow within seconds.
type target struct {
	ID      string `arg:"" help:"Capability or tool."`
	Version string `arg:"" help:"Published version, such as 1.0.0."`

	origin
	signing
}

// change is a capability of a registry that is being changed. It must be closed.
type change struct {
	*source.Store
	capability string
}

// begin opens the registry to change the capability that has the id. What is written is
// signed with the key, if there is one.
func (o *origin) begin(ctx context.Context, s streams, by signing, id string) (*change, error) {
	key, err := by.options(s)
	if err != nil {
		return nil, err
	}
	reg, err := o.existing(ctx, key)
	if err != nil {
		return nil, err
	}
	entry, err := reg.Find(ctx, id)
	if err != nil {
		reg.Close()
		return nil, describeProblem(calc.ProblemOf(err))
	}
	return &change{reg, entry.ID}, nil
}

// commit makes the change effective, unless making it failed.
func (c *change) commit(ctx context.Context, failed error) error {
	if failed == nil {
		failed = c.Push(ctx, c.capability)
	}
	if failed != nil {
		return &failure{exitFailed, failed}
	}
	return nil
}

// change lets f change the capability in the registry, and says what is current then.
func (t *target) change(ctx context.Context, s streams, f func(reg *registry.Registry, capability string) error) error {
	c, err := t.begin(ctx, s, t.signing, t.ID)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.commit(ctx, f(c.Registry, c.capability)); err != nil {
		return err
	}
	entry, err := c.Find(ctx, t.ID)
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
	Successor string `help:"Version to use instead." placeholder:"VERSION"`
}

func (c *deprecateCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Deprecated, Reason: c.Reason, Sunset: c.Sunset, Successor: c.Successor})
}

type yankCmd struct {
	target
	Reason    string `required:"" help:"Why, for its callers." placeholder:"TEXT"`
	Successor string `help:"Version to use instead." placeholder:"VERSION"`
}

func (c *yankCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Yanked, Reason: c.Reason, Successor: c.Successor})
}

type revokeCmd struct {
	target
	Reason    string `required:"" help:"What is wrong with it, for its callers." placeholder:"TEXT"`
	Successor string `help:"Version to use instead." placeholder:"VERSION"`
}

func (c *revokeCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Revoked, Reason: c.Reason, Successor: c.Successor})
}

type reinstateCmd struct{ target }

func (c *reinstateCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, evidence.Lifecycle{State: evidence.Active})
}
