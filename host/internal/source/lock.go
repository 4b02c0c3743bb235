package source

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
)

// Lock returns the content of a lock file. Without versions it locks everything in the registry. With
// versions it adds these to the existing file. Each is CAPABILITY@VERSION, or CAPABILITY for the current
// version. Tables and calculations that a version uses are locked with it, also through others. Names of an
// existing file keep their versions. The error is a [*problem.Problem] if one of them is not published.
func Lock(file, registryAddress string, versions []string, list []registry.Capability) (*lockfile.File, error) {
	locked := &lockfile.File{Format: lockfile.Format}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		locked, err = lockfile.Read(file)
		if err != nil {
			return nil, err
		}
	}
	if len(versions) == 0 {
		for i := range list {
			for _, r := range list[i].Releases {
				if err := locked.Changed(&list[i], r.Version); err != nil {
					return nil, err
				}
			}
		}
		all, err := lockfile.All(registryAddress, list)
		if err == nil {
			maps.Copy(all.Names, locked.Names)
		}
		return all, err
	}
	locked.Registry = registryAddress
	published := catalog.In(registryAddress, list)
	for _, name := range versions {
		id, version, _ := strings.Cut(name, "@")
		if err := AddTo(locked, published, id, version); err != nil {
			return nil, err
		}
	}
	return locked, nil
}

// AddTo locks a version, and everything that it uses. The version "" is the current one. A version that is locked
// with another digest is an error.
func AddTo(locked *lockfile.File, published *catalog.Catalog, id, version string) error {
	entry, err := published.Published(id)
	if err != nil {
		return problem.Of(err)
	}
	if version == "" {
		version = entry.Current
	}
	add := func(e *catalog.Entry, version string) error {
		if d := locked.Changed(&e.Capability, version); d != nil {
			return d
		}
		return locked.Add(&e.Capability, version)
	}
	if err := add(entry, version); err != nil {
		return err
	}
	for u := range catalog.AllUses(entry.Version(version)) {
		used, err := published.Published(u.ID)
		if err != nil {
			return problem.Of(err)
		}
		if err := add(used, u.Version); err != nil {
			return err
		}
	}
	return nil
}
