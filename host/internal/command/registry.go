package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
)

// RegistryFlags are the flags that name the registry of the published engines.
type RegistryFlags struct {
	Registry string   `default:"${registry}" env:"SLIPSTICK_REGISTRY" help:"Registry of the published engines: a directory, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`
	Wanted   []string `kong:"-"` // releases to read from a server; see [source.Place]

	RemoteFlags
}

// LibraryFlag is the flag for the library that a registry includes.
type LibraryFlag struct {
	Library string `default:"${library}" env:"SLIPSTICK_LIBRARY" help:"Registry of the library, which a registry in a directory includes. None if empty. By default it is the library in the package of Slipstick." placeholder:"DIR"`
}

// RemoteFlags are the flags for remote registries. The environment variables SLIPSTICK_REGISTRY_USER and
// SLIPSTICK_REGISTRY_PASSWORD have the credentials. Without them docker's credentials are used.
type RemoteFlags struct {
	Mirror    string `default:"${mirror}" env:"SLIPSTICK_MIRROR" help:"Directory of the mirrors of registries at oci:// addresses. The server uses them while a registry is not reachable." placeholder:"DIR"`
	PlainHTTP bool   `name:"plain-http" env:"SLIPSTICK_PLAIN_HTTP" help:"Also use plain HTTP for a registry on another machine."`

	RegistryAuth     []string `name:"registry-auth" env:"SLIPSTICK_REGISTRY_AUTH" help:"Other machines that issue tokens for the registry, and receive its name and password." placeholder:"HOST[:PORT]"`
	RegistryRedirect []string `name:"registry-redirect" env:"SLIPSTICK_REGISTRY_REDIRECT" help:"Other machines to which the registry redirects requests for blobs. They receive no password." placeholder:"HOST[:PORT]"`
}

// PlaceAt returns the registry at a URL or in a directory.
func (r *RemoteFlags) PlaceAt(at string) *source.Place {
	return &source.Place{Registry: at, Mirrors: r.Mirror, Remote: remote.Options{
		PlainHTTP: r.PlainHTTP,
		Username:  os.Getenv("SLIPSTICK_REGISTRY_USER"), Password: os.Getenv("SLIPSTICK_REGISTRY_PASSWORD"),
		AuthHosts: r.RegistryAuth, RedirectHosts: r.RegistryRedirect,
	}}
}

// OwnAt returns the files of a server with the registry at a URL or in a directory. Engines cannot read them.
func (r *RemoteFlags) OwnAt(at string) sandbox.ServerFiles {
	return sandbox.ServerFiles{Data: OwnData(), Registry: r.PlaceAt(at).Dir(), Mirror: r.Mirror}
}

// Own returns the files of a server with the registry. Engines cannot read them.
func (o *RegistryFlags) Own() sandbox.ServerFiles { return o.RemoteFlags.OwnAt(o.Registry) }

// Place returns the registry, with the trust settings if there are any.
func (o *RegistryFlags) Place(who ...TrustFlags) *source.Place {
	p := o.RemoteFlags.PlaceAt(o.Registry)
	p.Wanted = o.Wanted
	for _, t := range who {
		p.Trust = t.Policy()
	}
	return p
}

// Capabilities verifies and reads the published capabilities, and runs no engine. With engines set, it also
// needs their executables.
func (o *RegistryFlags) Capabilities(ctx context.Context, warn io.Writer, engines bool, who ...TrustFlags) ([]registry.Capability, error) {
	list, down, err := o.Place(who...).Capabilities(ctx, engines)
	if err != nil {
		return nil, err
	}
	if down != nil {
		fmt.Fprintf(warn, "slipstick: the registry cannot be read, so this is from its mirror: %v\n", down)
	}
	return list, nil
}

// Catalog returns the published capabilities as callers see them.
func (o *RegistryFlags) Catalog(ctx context.Context, warn io.Writer, engines bool, who ...TrustFlags) (*catalog.Catalog, error) {
	list, err := o.Capabilities(ctx, warn, engines, who...)
	if err != nil {
		return nil, err
	}
	return catalog.In(o.Registry, list), nil
}

// Open opens an existing registry for changes. It signs them if a key is given. It refuses the library of a package, which
// commands read while there is no own registry.
func (o *RegistryFlags) Open(ctx context.Context, s Streams, by SigningFlag) (*source.Store, error) {
	options, err := by.RegistryOptions(s)
	if err != nil {
		return nil, err
	}
	if o.Registry != "" && o.Registry == setting.Library() {
		return nil, Misuse(fmt.Errorf("%s is the library of the package, which the next package replaces. Name your own registry with --registry; slipstick serve and slipstick publish create one with the library", o.Registry))
	}
	return o.Place().Existing(ctx, options)
}

// Service returns a service that calculates with the published engines, and their pool. The caller must close the pool.
func (o *RegistryFlags) Service(ctx context.Context, s Streams, who TrustFlags, how SandboxFlags) (*calc.Service, *pool.Pool, error) {
	catalog, running, err := o.Start(ctx, s, who, how, &pool.Options{Log: slog.New(slog.NewTextHandler(s.Err, nil))})
	if err != nil {
		return nil, nil, err
	}
	return calc.New(catalog, running, nil), running, nil
}

// Start returns the published capabilities and a pool that runs their engines. The caller must close the pool.
func (o *RegistryFlags) Start(ctx context.Context, s Streams, who TrustFlags, how SandboxFlags, with *pool.Options) (*catalog.Catalog, *pool.Pool, error) {
	published, err := o.Catalog(ctx, s.Err, true, who)
	if err != nil {
		return nil, nil, err
	}
	own := o.Own()
	own.Trust = who.Trust
	running, err := how.NewPool(s.Err, with, own)
	return published, running, err
}
