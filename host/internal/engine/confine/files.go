package confine

import (
	"errors"
	"slices"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// Own are the files and directories of this host that no engine may read. A path is empty
// where no setting names the file.
type Own struct {
	Data       string // directory with the keys that sign snapshots
	Registry   string // directory, none if the registry is elsewhere
	Mirror     string // directory of what was fetched from registries elsewhere
	Trust      string
	Checkpoint string
	Lock       string
	Settings   string
	Key        string // that signs what is written to a registry
	Ledger     string // directory of what was answered
}

// private are the files that are named. What everybody may fetch, registries and their
// mirrors, is no secret: another path may show it.
func (o *Own) private() []sandbox.Private {
	return slices.DeleteFunc([]sandbox.Private{
		{Name: "data directory", Path: o.Data, Secret: true},
		{Name: "registry", Path: o.Registry},
		{Name: "mirror", Path: o.Mirror},
		{Name: "trust file", Path: o.Trust, Secret: true},
		{Name: "checkpoint", Path: o.Checkpoint, Secret: true},
		{Name: "lock file", Path: o.Lock, Secret: true},
		{Name: "settings file", Path: o.Settings, Secret: true},
		{Name: "signing key", Path: o.Key, Secret: true},
		{Name: "ledger", Path: o.Ledger, Secret: true},
	}, func(p sandbox.Private) bool { return p.Path == "" })
}

// IsPrivate reports whether a refusal is that a release asks for files of this host.
func IsPrivate(refusal error) bool {
	var private *sandbox.PrivateError
	return errors.As(refusal, &private)
}
