package main

import (
	"cmp"
	"os"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/jail"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
)

// files of this host that no engine may read, of those that its flags name.
type files []jail.Private

// add adds a file or directory, unless the flag that names it is not given.
func (f files) add(name, path string, secret bool) files {
	if path == "" {
		return f
	}
	return append(f, jail.Private{Name: name, Path: path, Secret: secret})
}

const defaultData = "var/data"

// dataFiles are those of a data directory. A command that needs none has that of the
// host that would be started here.
func dataFiles(dir string) files {
	return files{}.add("data directory", cmp.Or(dir, os.Getenv("SLIPSTICK_DATA"), defaultData), true)
}

func (r *reach) files() files { return files{}.add("mirror", r.Mirror, false) }

func registryFiles(address string) files {
	if remote.IsAddress(address) {
		return nil
	}
	return files{}.add("registry", address, false)
}

func (o *origin) files() files { return slices.Concat(registryFiles(o.Registry), o.reach.files()) }

func (t trusting) files() files { return files{}.add("trust file", t.Trust, true) }

func (c checkpointing) files() files { return files{}.add("checkpoint", c.Checkpoint, true) }

func (g signing) files() files { return files{}.add("signing key", g.Sign, true) }

func (c *serveCmd) files() files {
	return slices.Concat(dataFiles(c.Data), c.origin.files(), c.trusting.files(), c.checkpointing.files()).
		add("lock file", string(c.Locked), true).add("settings file", string(c.Config), true)
}

// check returns why engines that can be read would not be confined, so that it is known
// before they are asked for.
func (e *engines) check(catalog *calc.Catalog) map[*calc.Release]error {
	return each(catalog, func(_ *calc.Entry, r *calc.Release) error { return e.refusal(r) })
}

// refusal is why the jail would not let the engine read what its release asks for, nil
// if it does not ask or may.
func (e *engines) refusal(r *registry.Release) error {
	if e.jail == nil || len(r.Spec.ReadOnlyPaths) == 0 {
		return nil
	}
	return e.jail.Check(r.Spec.ReadOnlyPaths)
}
