package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
)

// origin is where a command finds the published engines.
type origin struct {
	Registry string `default:"${registry}" env:"SLIPSTICK_REGISTRY" help:"Registry of the published engines: a directory, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`

	reach
}

// reach is how a registry that is elsewhere is reached. The name and password of
// SLIPSTICK_REGISTRY_USER and SLIPSTICK_REGISTRY_PASSWORD are used there, or else those
// that docker keeps.
type reach struct {
	Mirror    string `default:"${mirror}" env:"SLIPSTICK_MIRROR" help:"Directory of the mirrors of registries at oci:// addresses. What is in it is served when they cannot be reached." placeholder:"DIR"`
	PlainHTTP bool   `name:"plain-http" env:"SLIPSTICK_PLAIN_HTTP" help:"Speak plain HTTP to a registry on another machine too."`

	RegistryAuth     []string `name:"registry-auth" env:"SLIPSTICK_REGISTRY_AUTH" help:"Other hosts that give the tokens of the registry, and may be told its name and password." placeholder:"HOST[:PORT]"`
	RegistryRedirect []string `name:"registry-redirect" env:"SLIPSTICK_REGISTRY_REDIRECT" help:"Other hosts that the registry may redirect to for blobs; they are told no password." placeholder:"HOST[:PORT]"`
}

func (r *reach) remote(address string, engines bool, who ...trusting) (*remote.Registry, error) {
	options, err := optionsOf(who)
	if err != nil {
		return nil, err
	}
	if !engines {
		options.Engines = registry.WithoutEngines
	}
	there, err := remote.Open(address, r.Mirror, &remote.Options{
		PlainHTTP: r.PlainHTTP,
		Username:  os.Getenv("SLIPSTICK_REGISTRY_USER"), Password: os.Getenv("SLIPSTICK_REGISTRY_PASSWORD"),
		AuthHosts: r.RegistryAuth, RedirectHosts: r.RegistryRedirect,
		Mirror: *options,
	})
	if err != nil {
		return nil, &failure{exitMisuse, err}
	}
	return there, nil
}

// capabilities verifies and reads what the registry holds, with every tool id at the
// capability that it belongs to, without running anything. Engines are compared with their digests when they are run; a command that runs none
// need not have them.
func (o *origin) capabilities(ctx context.Context, warn io.Writer, engines bool, who ...trusting) ([]registry.Capability, error) {
	list, err := o.read(ctx, warn, engines, who...)
	if err != nil {
		return nil, err
	}
	return new(registry.Names).Give(list)
}

func (o *origin) read(ctx context.Context, warn io.Writer, engines bool, who ...trusting) ([]registry.Capability, error) {
	if !remote.IsAddress(o.Registry) {
		reg, err := openRegistry(o.Registry, who...)
		if err != nil {
			return nil, err
		}
		return reg.Capabilities(ctx)
	}
	there, err := o.remote(o.Registry, engines, who...)
	if err != nil {
		return nil, err
	}
	damage, err := there.Sync(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	list, readErr := there.Mirror().Capabilities(ctx)
	switch {
	case readErr != nil:
		return nil, readErr
	case err != nil && len(list) == 0:
		return nil, err
	case err != nil:
		fmt.Fprintf(warn, "slipstick: what follows is of the mirror, for the registry cannot be read: %v\n", err)
	}
	return withDamage(list, damage), nil
}

// catalog is what the registry holds, as callers see it.
func (o *origin) catalog(ctx context.Context, warn io.Writer, engines bool, who ...trusting) (*calc.Catalog, error) {
	list, err := o.capabilities(ctx, warn, engines, who...)
	if err != nil {
		return nil, err
	}
	return calc.NewCatalog(list), nil
}

// withDamage adds to the capabilities of a mirror what is wrong in the registry. Of some
// there may be nothing else.
func withDamage(list []registry.Capability, damage map[string]error) []registry.Capability {
	here := map[string]bool{}
	for i, c := range list {
		here[c.ID] = true
		list[i].Problem = errors.Join(c.Problem, damage[c.ID])
	}
	for id, problem := range damage {
		if !here[id] {
			list = append(list, registry.Capability{ID: id, Problem: problem})
		}
	}
	slices.SortFunc(list, func(a, b registry.Capability) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// openRegistry opens a registry that is there, to run what is in it.
func openRegistry(dir string, who ...trusting) (*registry.Registry, error) {
	options, err := optionsOf(who)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, &failure{exitMisuse, fmt.Errorf("there is no registry at %s: name one with --registry (or SLIPSTICK_REGISTRY): a directory, or oci://HOST/PREFIX. In a checkout scripts/serve makes var/registry; slipstick publish --to DIR makes another", dir)}
	}
	return registry.Open(dir, options)
}

// optionsOf makes a registry be read as those trust who read it, its engines when they are
// run.
func optionsOf(who []trusting) (*registry.Options, error) {
	options := &registry.Options{Engines: registry.EnginesLater}
	for _, t := range who {
		if err := t.apply(options); err != nil {
			return nil, err
		}
	}
	return options, nil
}

// store is a registry to be changed: a directory, or the draft of one that is elsewhere.
type store struct {
	*registry.Registry
	draft *remote.Draft // nil for a directory
}

func (r *reach) store(ctx context.Context, at string, options *registry.Options) (*store, error) {
	if !remote.IsAddress(at) {
		reg, err := registry.Open(at, options)
		return &store{Registry: reg}, err
	}
	there, err := r.remote(at, false)
	if err != nil {
		return nil, err
	}
	draft, err := there.Draft(ctx, options)
	if err != nil {
		return nil, err
	}
	return &store{draft.Registry(), draft}, nil
}

// existing is the store at the origin. There is one, or none is made.
func (o *origin) existing(ctx context.Context, options *registry.Options) (*store, error) {
	if !remote.IsAddress(o.Registry) {
		if _, err := openRegistry(o.Registry); err != nil {
			return nil, err
		}
	}
	return o.store(ctx, o.Registry, options)
}

// find returns the capability with the capability id or tool id. The error may be a
// problem of ENGINE_NOT_FOUND.
func (s *store) find(ctx context.Context, id string) (*calc.Entry, error) {
	list, err := s.Capabilities(ctx)
	if err == nil {
		list, err = new(registry.Names).Give(list)
	}
	if err != nil {
		return nil, err
	}
	return calc.NewCatalog(list).Find(id)
}

// push makes what was changed of a capability effective.
func (s *store) push(ctx context.Context, capability string) error {
	if s.draft == nil {
		return nil
	}
	return s.draft.Push(ctx, capability)
}

// engines makes sure that the published engines of a capability can be run.
func (s *store) engines(ctx context.Context, capability string) error {
	if s.draft == nil {
		return nil
	}
	return s.draft.Engines(ctx, capability)
}

func (s *store) close() {
	if s.draft != nil {
		s.draft.Close()
	}
}
