package main

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/registry"
)

// target names a published version. Hosts that serve the registry follow within seconds.
type target struct {
	ID       string `arg:"" help:"Capability or tool."`
	Version  string `arg:"" help:"Published version, such as 1.0.0."`
	Registry string `default:"${registry}" env:"SLIPSTICK_REGISTRY" help:"Directory of the registry." placeholder:"DIR"`

	signing
}

// open returns the registry and the capability id.
func (t *target) open(ctx context.Context, s streams) (*registry.Registry, string, error) {
	catalog, err := openCatalog(ctx, t.Registry)
	if err != nil {
		return nil, "", err
	}
	entry, err := catalog.Find(t.ID)
	if err != nil {
		return nil, "", describeProblem(calc.ProblemOf(err))
	}
	by, err := t.signing.option(s)
	if err != nil {
		return nil, "", err
	}
	reg, err := registry.Open(t.Registry, by)
	return reg, entry.ID, err
}

// set records where the version is in its life, and says what follows.
func (t *target) set(ctx context.Context, s streams, standing registry.Standing) error {
	reg, capability, err := t.open(ctx, s)
	if err != nil {
		return err
	}
	standing.Since = time.Now().UTC().Truncate(time.Second)
	if err := reg.SetStanding(ctx, capability, t.Version, standing); err != nil {
		return &failure{exitFailed, err}
	}
	fmt.Fprintf(s.out, "%s %s %s\n", standing.State, capability, t.Version)
	return t.tellCurrent(ctx, s, capability)
}

func (t *target) tellCurrent(ctx context.Context, s streams, capability string) error {
	catalog, err := openCatalog(ctx, t.Registry)
	if err != nil {
		return err
	}
	entry, err := catalog.Find(capability)
	switch {
	case err != nil:
		return err
	case entry.Current == "":
		fmt.Fprintf(s.err, "no version is current now: calls without a pin are answered with VERSION_MISMATCH\n")
	default:
		fmt.Fprintf(s.out, "current %s %s\n", capability, entry.Current)
	}
	return nil
}

type promoteCmd struct{ target }

func (c *promoteCmd) Help() string {
	return `Makes a version the one that calls without a pin are answered by. It must have passed
conformance, be no pre-release, and be neither yanked nor revoked; it may be older than the
one that is current, to go back.`
}

func (c *promoteCmd) Run(ctx context.Context, s streams) error {
	reg, capability, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	if err := reg.Promote(ctx, capability, c.Version); err != nil {
		return &failure{exitFailed, err}
	}
	return c.tellCurrent(ctx, s, capability)
}

type deprecateCmd struct {
	target
	Reason    string `required:"" help:"Why, for its callers." placeholder:"TEXT"`
	Sunset    string `help:"Date after which it may be withdrawn." placeholder:"YYYY-MM-DD"`
	Successor string `help:"Version to use instead." placeholder:"VERSION"`
}

func (c *deprecateCmd) Help() string {
	return `The version is served as before, and every answer carries the warning VERSION_DEPRECATED
and the headers Deprecation and Sunset.`
}

func (c *deprecateCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, registry.Standing{State: registry.Deprecated, Reason: c.Reason, Sunset: c.Sunset, Successor: c.Successor})
}

type yankCmd struct {
	target
	Reason    string `required:"" help:"Why, for its callers." placeholder:"TEXT"`
	Successor string `help:"Version to use instead." placeholder:"VERSION"`
}

func (c *yankCmd) Help() string {
	return `The version is never chosen again without a pin; if it was current, the newest other version
becomes that. Who pins exactly it still gets its numbers, with the warning VERSION_YANKED.`
}

func (c *yankCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, registry.Standing{State: registry.Yanked, Reason: c.Reason, Successor: c.Successor})
}

type revokeCmd struct {
	target
	Reason    string `required:"" help:"What is wrong with it, for its callers." placeholder:"TEXT"`
	Successor string `help:"Version to use instead." placeholder:"VERSION"`
}

func (c *revokeCmd) Help() string {
	return `The version was wrong or malicious: no host executes it again, pins of it are answered with
409 and the reason. Snapshots of it stay readable. This is final.`
}

func (c *revokeCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, registry.Standing{State: registry.Revoked, Reason: c.Reason, Successor: c.Successor})
}

type reinstateCmd struct{ target }

func (c *reinstateCmd) Help() string {
	return `Takes back a deprecation or a yank. The version does not become current by that; promote
does.`
}

func (c *reinstateCmd) Run(ctx context.Context, s streams) error {
	return c.set(ctx, s, registry.Standing{State: registry.Active})
}
