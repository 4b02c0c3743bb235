package source

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
)

// AddLibrary adds the releases of the library to the registry, if that is a directory. It creates the directory
// if there is none. A registry that cannot be written is served as it is, and the error is logged.
func (p *Place) AddLibrary(ctx context.Context, log *slog.Logger) {
	if p.Library == "" || remote.IsAddress(p.Registry) {
		return
	}
	added, err := p.addLibrary(ctx)
	if err != nil && ctx.Err() == nil {
		log.Error("the server could not add the whole library to the registry", "library", p.Library, "error", err)
	}
	if added > 0 {
		log.Info("the server added new versions of the library to the registry", "library", p.Library, "versions", added)
	}
}

func (p *Place) addLibrary(ctx context.Context) (added int, err error) {
	reg, err := registry.Open(p.Registry, nil)
	if err != nil {
		return 0, err
	}
	return p.include(ctx, reg)
}

// include adds the releases of the library to a registry, unless the registry is the library.
func (p *Place) include(ctx context.Context, reg *registry.Registry) (added int, err error) {
	if p.Library == "" || sameDir(p.Library, p.Registry) {
		return 0, nil
	}
	if err := mustExist(p.Library); err != nil {
		return 0, err
	}
	library, err := registry.Open(p.Library, &registry.Options{Engines: registry.EnginesLater})
	if err != nil {
		return 0, err
	}
	added, damage, err := reg.Include(ctx, library)
	if err == nil {
		err = damage
	}
	return added, err
}

func sameDir(a, b string) bool {
	one, err := filepath.Abs(a)
	other, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && one == other
}
