package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
)

// Place is the location of a registry, with the options to reach it.
type Place struct {
	Registry string // a directory, an oci:// URL, or the URL of a server, from which releases can be read but not run
	Mirrors  string // directory for the mirrors of remote registries
	Remote   remote.Options
	Trust    Trust

	// Library is the directory of a registry with releases that a registry in a directory includes, or "".
	// A server adds them at its start, and Store when it creates the directory.
	Library string

	// Wanted names the releases to read from a server, as CAPABILITY@VERSION, or as CAPABILITY for the current
	// version. Releases that they use are read too. It is nil for all releases.
	Wanted []string
}

// Dir returns the directory of the registry, or "" for a remote registry.
func (p *Place) Dir() string {
	if remote.IsAddress(p.Registry) {
		return ""
	}
	return p.Registry
}

// remote returns the remote registry, with its mirror. Without engines, the mirror does not have the
// engines, so no release can run.
func (p *Place) remote(engines bool) (*remote.Registry, error) {
	check := registry.EnginesLater
	if !engines {
		check = registry.WithoutEngines
	}
	options, err := p.Trust.options(check)
	if err != nil {
		return nil, err
	}
	reach := p.Remote
	reach.Mirror = *options
	remoteRegistry, err := remote.Open(p.Registry, p.Mirrors, &reach)
	if err != nil {
		return nil, &SettingError{err}
	}
	return remoteRegistry, nil
}

// Directory opens an existing registry, so that its releases can run.
func Directory(dir string, trust Trust) (*registry.Registry, error) {
	options, err := trust.options(registry.EnginesLater)
	if err != nil {
		return nil, err
	}
	if err := mustExist(dir); err != nil {
		return nil, err
	}
	return registry.Open(dir, options)
}

func mustExist(dir string) error {
	if IsServer(dir) {
		return &SettingError{fmt.Errorf("%s is a server, and this needs engines. Name a registry with --registry (or SLIPSTICK_REGISTRY): a directory, or oci://HOST/PREFIX", dir)}
	}
	_, err := os.Stat(dir)
	if errors.Is(err, fs.ErrPermission) {
		return &SettingError{fmt.Errorf("this user cannot read the registry %s: use its owner or root, or name another registry with --registry or SLIPSTICK_REGISTRY", dir)}
	}
	if err != nil {
		return &SettingError{fmt.Errorf("there is no registry at %s. Name one with --registry or SLIPSTICK_REGISTRY: a directory, or oci://HOST/PREFIX. Or create one: slipstick publish ENGINE --to %[1]s", dir)}
	}
	return nil
}

// Capabilities reads and verifies the capabilities of the registry, and assigns each tool id to its
// owner. It runs no engine. Engines are compared with their digests when they run; without engines, a
// mirror does not download them. If a remote registry cannot be read, Capabilities reads its mirror, and
// down is the reason. A server has no mirror, and its engines cannot be read.
func (p *Place) Capabilities(ctx context.Context, engines bool) (list []registry.Capability, down, err error) {
	if IsServer(p.Registry) && !engines {
		list, err = p.served(ctx)
		return list, nil, err
	}
	readAt := time.Now()
	list, down, err = p.read(ctx, engines)
	if err != nil {
		return nil, nil, err
	}
	if down != nil {
		readAt = time.Time{}
	}
	reg, _, err := p.local()
	if err != nil {
		return nil, nil, err
	}
	g, err := newGuard(reg, "", p.Trust, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	_ = g.renew(readAt) // apply marks the releases if the log is not accepted
	names := new(registry.Names)
	g.adoptNames(names)
	list, err = names.Assign(list)
	list, _ = g.apply(list)
	return list, down, err
}

// Complete returns the registry to read all that it has: its directory, or the mirror of a remote registry
// after an update. The error is also the damage of the remote registry.
func (p *Place) Complete(ctx context.Context) (*registry.Registry, error) {
	if !remote.IsAddress(p.Registry) {
		return Directory(p.Registry, p.Trust)
	}
	remoteRegistry, err := p.remote(true)
	if err != nil {
		return nil, err
	}
	damage, err := remoteRegistry.Sync(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(damage)) {
		return nil, fmt.Errorf("%s: %w", id, damage[id])
	}
	return remoteRegistry.Mirror(), nil
}

// local opens the registry in its directory, or the present mirror of a remote registry. A server
// identifies the registry by the returned address.
func (p *Place) local() (reg *registry.Registry, address string, err error) {
	if remote.IsAddress(p.Registry) {
		remoteRegistry, err := p.remote(false)
		if err != nil {
			return nil, "", err
		}
		return remoteRegistry.Mirror(), p.Registry, nil
	}
	address, err = filepath.Abs(p.Registry)
	if err == nil {
		reg, err = Directory(p.Registry, p.Trust)
	}
	return reg, address, err
}

func (p *Place) read(ctx context.Context, engines bool) (list []registry.Capability, down, err error) {
	if !remote.IsAddress(p.Registry) {
		reg, err := Directory(p.Registry, p.Trust)
		if err != nil {
			return nil, nil, err
		}
		list, err = reg.Capabilities(ctx)
		return list, nil, err
	}
	remoteRegistry, err := p.remote(engines)
	if err != nil {
		return nil, nil, err
	}
	damage, down := remoteRegistry.Sync(ctx)
	if down != nil && ctx.Err() != nil {
		return nil, nil, down
	}
	list, err = remoteRegistry.Mirror().Capabilities(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case down != nil && len(list) == 0:
		return nil, nil, down
	}
	return withDamage(list, damage), down, nil
}

// withDamage adds the damage of the registry to the capabilities of its mirror. A damaged capability that
// the mirror lacks has an entry without releases.
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

// Store is a registry that can be changed: a directory, or the draft of a remote registry.
type Store struct {
	*registry.Registry
	place string        // [Place.Registry]
	draft *remote.Draft // nil for a directory
}

// Store opens the registry to change it, and creates the directory if it does not exist. The caller must
// close the Store. Close discards changes that were not pushed.
func (p *Place) Store(ctx context.Context, options *registry.Options) (*Store, error) {
	if !remote.IsAddress(p.Registry) {
		_, missing := os.Stat(p.Registry)
		reg, err := registry.Open(p.Registry, options)
		if err == nil && missing != nil {
			_, err = p.include(ctx, reg)
		}
		return &Store{Registry: reg, place: p.Registry}, err
	}
	remoteRegistry, err := p.remote(false)
	if err != nil {
		return nil, err
	}
	draft, err := remoteRegistry.Draft(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Store{draft.Registry(), p.Registry, draft}, nil
}

// Existing opens an existing registry to change it.
func (p *Place) Existing(ctx context.Context, options *registry.Options) (*Store, error) {
	if !remote.IsAddress(p.Registry) {
		if err := mustExist(p.Registry); err != nil {
			return nil, err
		}
	}
	return p.Store(ctx, options)
}

// Find returns the capability with this capability id or tool id. If there is none, the error is a
// problem with the code ENGINE_NOT_FOUND.
func (s *Store) Find(ctx context.Context, id string) (*catalog.Entry, error) {
	list, err := s.Capabilities(ctx)
	if err == nil {
		list, err = new(registry.Names).Assign(list)
	}
	if err != nil {
		return nil, err
	}
	return catalog.In(s.place, list).Published(id)
}

// Push publishes the changes of a capability.
func (s *Store) Push(ctx context.Context, capability string) error {
	if s.draft == nil {
		return nil
	}
	return s.draft.Push(ctx, capability)
}

// Engines downloads the published engines of a capability, so that they can run.
func (s *Store) Engines(ctx context.Context, capability string) error {
	if s.draft == nil {
		return nil
	}
	return s.draft.Engines(ctx, capability)
}

// Close discards changes that were not pushed.
func (s *Store) Close() {
	if s.draft != nil {
		s.draft.Close()
	}
}
