package command

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/registry"
)

// ReleaseFlags name a published release.
type ReleaseFlags struct {
	Release setting.Release `arg:"" complete:"release" help:"Release, as CAPABILITY@VERSION."`

	RegistryFlags
}

// Attach lets f attach a signed statement to the release, and prints the digest.
func (a *ReleaseFlags) Attach(ctx context.Context, s Streams, what, key string, f func(reg *registry.Registry, capability string) (digest string, err error)) error {
	reg, err := a.Open(ctx, s, SigningFlag{key})
	if err != nil {
		return err
	}
	defer reg.Close()
	var capability, digest string
	err = reg.Change(ctx, a.Release.ID, func(reg *registry.Registry, id string) (err error) {
		capability = id
		digest, err = f(reg, id)
		return err
	})
	if err == nil {
		fmt.Fprintf(s.Out, "%s %s %s (%s)\n", what, capability, a.Release.Version, digest)
	}
	return err
}

// FindRelease returns the release, which must have executables.
func (a *ReleaseFlags) FindRelease(ctx context.Context, s Streams, who TrustFlags) (*registry.Release, error) {
	catalog, err := a.Catalog(ctx, s.Err, true, who)
	if err != nil {
		return nil, err
	}
	entry, err := catalog.Published(a.Release.ID)
	if err != nil {
		return nil, err
	}
	for _, rel := range entry.Releases {
		switch {
		case rel.Version != a.Release.Version:
		case rel.Table != nil:
			return nil, Misuse(fmt.Errorf("%s %s is a table: its rows are published as they are, and nothing is built", rel.Capability, rel.Version))
		default:
			return rel, nil
		}
	}
	return nil, &audit.NotPublishedError{Capability: entry.ID, Version: a.Release.Version}
}
