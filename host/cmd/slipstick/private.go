package main

import (
	"cmp"
	"os"
	"slices"

	"github.com/slipstick/slipstick/host/internal/confine"
	"github.com/slipstick/slipstick/registry/remote"
)

const defaultData = "var/data"

// dataFiles are those of a data directory. A command that needs none has that of the
// host that would be started here.
func dataFiles(dir string) confine.Files {
	return confine.Files{}.Add("data directory", cmp.Or(dir, os.Getenv("SLIPSTICK_DATA"), defaultData), true)
}

func (r *reach) files() confine.Files { return confine.Files{}.Add("mirror", r.Mirror, false) }

func registryFiles(address string) confine.Files {
	if remote.IsAddress(address) {
		return nil
	}
	return confine.Files{}.Add("registry", address, false)
}

func (o *origin) files() confine.Files {
	return slices.Concat(registryFiles(o.Registry), o.reach.files())
}

func (t trusting) files() confine.Files { return confine.Files{}.Add("trust file", t.Trust, true) }

func (c checkpointing) files() confine.Files {
	return confine.Files{}.Add("checkpoint", c.Checkpoint, true)
}

func (g signing) files() confine.Files { return confine.Files{}.Add("signing key", g.Sign, true) }

func (c *serveCmd) files() confine.Files {
	return slices.Concat(dataFiles(c.Data), c.origin.files(), c.trusting.files(), c.checkpointing.files()).
		Add("lock file", string(c.Locked), true).Add("settings file", string(c.Config), true)
}
