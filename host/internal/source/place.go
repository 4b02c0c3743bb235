package source

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
)

// Place is where a registry is, and how it is reached there.
type Place struct {
	Registry string // a directory, or an oci:// address
	Mirrors  string // directory of the mirrors of registries at addresses
	Remote   remote.Options
	Trust    Trust
}

// Dir is the directory of the registry, "" if that is at an address.
func (p *Place) Dir() string {
	if remote.IsAddress(p.Registry) {
		return ""
	}
	return p.Registry
}

// remote returns the registry at the address, with its mirror. Engines can be left out if
// none is going to be run.
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
	there, err := remote.Open(p.Registry, p.Mirrors, &reach)
	if err != nil {
		return nil, &SettingError{err}
	}
	return there, nil
}

// Directory opens a registry that must be there, to run what is in it.
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
	if _, err := os.Stat(dir); err != nil {
		return &SettingError{fmt.Errorf("there is no registry at %s: name one with --registry (or SLIPSTICK_REGISTRY): a directory, or oci://HOST/PREFIX. In a checkout scripts/serve makes var/registry; slipstick publish --to DIR makes another. Where none is named, the first counts that is there of var, ~/.local/share/slipstick and /var/lib/slipstick", dir)}
	}
	return nil
}

// Capabilities reads and verifies what the registry holds, with every tool id at the
// capability that it belongs to, without running anything. Engines are compared with their
// digests when they are run; who runs none need not have them. If a registry at an address
// cannot be read, its mirror is, and down says why.
func (p *Place) Capabilities(ctx context.Context, engines bool) (list []registry.Capability, down, err error) {
	began := time.Now()
	list, down, err = p.read(ctx, engines)
	if err != nil {
		return nil, nil, err
	}
	if down != nil {
		began = time.Time{}
	}
	reg, _, err := p.local()
	if err != nil {
		return nil, nil, err
	}
	g, err := newGuard(reg, "", p.Trust, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	_ = g.renew(began) // what it says is missing then, and why
	names := new(registry.Names)
	g.adoptNames(names)
	list, err = names.Assign(list)
	list, _ = g.apply(list)
	return list, down, err
}

// local opens the registry in its directory, or the mirror of a registry at an address as it is.
// Address is what a host calls it by.
func (p *Place) local() (reg *registry.Registry, address string, err error) {
	if remote.IsAddress(p.Registry) {
		there, err := p.remote(false)
		if err != nil {
			return nil, "", err
		}
		return there.Mirror(), p.Registry, nil
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
	there, err := p.remote(engines)
	if err != nil {
		return nil, nil, err
	}
	damage, down := there.Sync(ctx)
	if down != nil && ctx.Err() != nil {
		return nil, nil, down
	}
	list, err = there.Mirror().Capabilities(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case down != nil && len(list) == 0:
		return nil, nil, down
	}
	return withDamage(list, damage), down, nil
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

// Store is a registry to be changed: a directory, or the draft of one that is elsewhere.
type Store struct {
	*registry.Registry
	draft *remote.Draft // nil for a directory
}

// Store opens the registry to change it; a directory is made if it is not there. Close
// drops what was not pushed.
func (p *Place) Store(ctx context.Context, options *registry.Options) (*Store, error) {
	if !remote.IsAddress(p.Registry) {
		reg, err := registry.Open(p.Registry, options)
		return &Store{Registry: reg}, err
	}
	there, err := p.remote(false)
	if err != nil {
		return nil, err
	}
	draft, err := there.Draft(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Store{draft.Registry(), draft}, nil
}

// Existing opens the registry to change it. There is one, or none is made.
func (p *Place) Existing(ctx context.Context, options *registry.Options) (*Store, error) {
	if !remote.IsAddress(p.Registry) {
		if err := mustExist(p.Registry); err != nil {
			return nil, err
		}
	}
	return p.Store(ctx, options)
}

// Find returns the capability with the capability id or tool id. The error may be a
// problem of ENGINE_NOT_FOUND.
func (s *Store) Find(ctx context.Context, id string) (*catalog.Entry, error) {
	list, err := s.Capabilities(ctx)
	if err == nil {
		list, err = new(registry.Names).Assign(list)
	}
	if err != nil {
		return nil, err
	}
	return catalog.New(list).Published(id)
}

// Push makes what was changed of a capability effective.
func (s *Store) Push(ctx context.Context, capability string) error {
	if s.draft == nil {
		return nil
	}
	return s.draft.Push(ctx, capability)
}

// Engines makes sure that the published engines of a capability can be run.
func (s *Store) Engines(ctx context.Context, capability string) error {
	if s.draft == nil {
		return nil
	}
	return s.draft.Engines(ctx, capability)
}

// Close ends the work on the registry.
func (s *Store) Close() {
	if s.draft != nil {
		s.draft.Close()
	}
}
