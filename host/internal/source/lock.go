package source

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
)

// Lock returns the content of a lock file. Without versions it locks everything in the registry. With
// versions it adds these to the existing file. Each is CAPABILITY@VERSION, or CAPABILITY for the current
// version. Tables and calculations that a version uses are locked with it, also through others. The error is a [*problem.Problem] if one of them is not published.
func Lock(file, registryAddress string, versions []string, list []registry.Capability) (*lockfile.File, error) {
	if len(versions) == 0 {
		return lockfile.All(registryAddress, list)
	}
	locked := &lockfile.File{Format: lockfile.Format}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		locked, err = lockfile.Read(file)
		if err != nil {
			return nil, err
		}
	}
	locked.Registry = registryAddress
	published := catalog.New(list)
	for _, name := range versions {
		id, version, _ := strings.Cut(name, "@")
		entry, err := published.Published(id)
		if err != nil {
			return nil, problem.Of(err)
		}
		if version == "" {
			version = entry.Current
		}
		if err := locked.Add(&entry.Capability, version); err != nil {
			return nil, err
		}
		for u := range catalog.AllUses(entry.Version(version)) {
			used, err := published.Published(u.ID)
			if err != nil {
				return nil, problem.Of(err)
			}
			if err := locked.Add(&used.Capability, u.Version); err != nil {
				return nil, err
			}
		}
	}
	return locked, nil
}
