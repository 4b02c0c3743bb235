package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/source"
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

// place is the registry at the address or in the directory.
func (r *reach) place(at string) *source.Place {
	return &source.Place{Registry: at, Mirrors: r.Mirror, Remote: remote.Options{
		PlainHTTP: r.PlainHTTP,
		Username:  os.Getenv("SLIPSTICK_REGISTRY_USER"), Password: os.Getenv("SLIPSTICK_REGISTRY_PASSWORD"),
		AuthHosts: r.RegistryAuth, RedirectHosts: r.RegistryRedirect,
	}}
}

// own are the files of a host of the registry in the directory or at the address.
func (r *reach) own(at string) sandbox.ServerFiles {
	return sandbox.ServerFiles{Data: ownData(), Registry: r.place(at).Dir(), Mirror: r.Mirror}
}

func (o *origin) own() sandbox.ServerFiles { return o.reach.own(o.Registry) }

func (o *origin) place(who ...trusting) *source.Place {
	p := o.reach.place(o.Registry)
	for _, t := range who {
		p.Trust = t.source()
	}
	return p
}

// capabilities verifies and reads what the registry holds, without running anything. A
// command that runs no engine need not have them.
func (o *origin) capabilities(ctx context.Context, warn io.Writer, engines bool, who ...trusting) ([]registry.Capability, error) {
	list, down, err := o.place(who...).Capabilities(ctx, engines)
	if err != nil {
		return nil, err
	}
	if down != nil {
		fmt.Fprintf(warn, "slipstick: what follows is of the mirror, for the registry cannot be read: %v\n", down)
	}
	return list, nil
}

// catalog is what the registry holds, as callers see it.
func (o *origin) catalog(ctx context.Context, warn io.Writer, engines bool, who ...trusting) (*catalog.Catalog, error) {
	list, err := o.capabilities(ctx, warn, engines, who...)
	if err != nil {
		return nil, err
	}
	return catalog.New(list), nil
}

// signed opens the registry at the origin to be changed. There is one, or none is made.
// What is written is signed with the key, if there is one.
func (o *origin) signed(ctx context.Context, s streams, by signing) (*source.Store, error) {
	options, err := by.options(s)
	if err != nil {
		return nil, err
	}
	return o.place().Existing(ctx, options)
}

// computing returns what calculates with the published engines, and what ends them.
func (o *origin) computing(ctx context.Context, s streams, who trusting, how confinement) (*calc.Service, func(), error) {
	catalog, running, err := o.starting(ctx, s, who, how, &pool.Options{Log: slog.New(slog.NewTextHandler(s.err, nil))})
	if err != nil {
		return nil, nil, err
	}
	return calc.New(catalog, running, nil), running.Close, nil
}

// starting returns what is published, and what runs its engines, which the caller closes.
func (o *origin) starting(ctx context.Context, s streams, who trusting, how confinement, with *pool.Options) (*catalog.Catalog, *pool.Pool, error) {
	published, err := o.catalog(ctx, s.err, true, who)
	if err != nil {
		return nil, nil, err
	}
	own := o.own()
	own.Trust = who.Trust
	running, err := how.startWith(s.err, with, own)
	return published, running, err
}
