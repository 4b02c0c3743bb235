package server

import (
	"context"
	"maps"
	"os"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
)

// Reloader reads the settings again while the server runs.
type Reloader interface {
	// Requests returns a channel that receives a value for each request to reload.
	Requests() <-chan os.Signal
	// Read returns the current settings. A running server applies only the limits, the trusted
	// proxies, the snapshot keys, and the source.
	Read() (*Config, error)
	// InForce is called after the settings of the last Read were applied. It returns the changed
	// settings that are applied now, and those for the next start.
	InForce() (now, later []string)
}

// reloaded has all settings of a reload after they were read and checked.
type reloaded struct {
	config *Config
	keys   *snapshot.Keys
	source *source.Source
	list   []registry.Capability
	down   error // error of the registry; its mirror is served
}

// reload applies all settings that were read again, or none. It must not run concurrently with a
// look at the registry.
func (s *Server) reload(ctx context.Context) {
	next, err := s.read(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Error("SIGHUP: the server cannot use the new settings, and keeps the previous ones", "error", err)
		}
		return
	}
	if !maps.Equal(next.config.Clients.Limits, s.limiter.Limits()) {
		s.limiter.Replace(next.config.Clients.Limits)
	}
	s.trusted.Replace(next.config.Clients.Trusted)
	s.snapshots.SetKeys(next.keys)
	s.follows.Load().Replace(ctx, next.source, next.list, next.down)
	now, later := s.config.Reloader.InForce()
	s.log.Info("SIGHUP: the server read settings, keys, trust file and lock file again", "changed", now, "after_restart", later)
}

// read reads all settings again, and changes nothing.
func (s *Server) read(ctx context.Context) (next reloaded, err error) {
	next.config, err = s.config.Reloader.Read()
	if err != nil {
		return reloaded{}, err
	}
	next.config.Source.Log, next.config.Source.Agreed = s.log, s.config.Source.Agreed
	next.keys, err = next.config.keys()
	if err != nil {
		return reloaded{}, err
	}
	next.config.Source.AddLibrary(ctx, s.log)
	next.source, next.list, next.down, err = s.follows.Load().Reload(ctx, &next.config.Source)
	return next, err
}
