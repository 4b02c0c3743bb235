package server

import (
	"context"
	"maps"
	"os"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
)

// Reloader reads the settings again.
type Reloader interface {
	// Requests receives whenever the settings are to be read again.
	Requests() <-chan os.Signal
	// Read returns the settings as they are now. Of these a running host takes over the
	// limits, the trusted proxies, the keys of snapshots, and everything about its source.
	Read() (*Config, error)
	// InForce is told that what was read last is in force. It returns the settings that
	// have changed, and those that take effect after a restart.
	InForce() (now, later []string)
}

// reloaded is everything that a reload puts into force, read and found good.
type reloaded struct {
	config *Config
	keys   *snapshot.Keys
	source *source.Source
	list   []registry.Capability
	down   error // of the registry, whose mirror is served
}

// reload puts into force what was read again, or nothing. It must not run beside a look.
func (s *Server) reload(ctx context.Context) {
	next, err := s.read(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Error("SIGHUP: what was read again is not used; what was in force before stays", "error", err)
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
	s.log.Info("SIGHUP: settings, keys, trust file and lock file were read again", "changed", now, "after_restart", later)
}

// read reads everything again and changes nothing.
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
	next.source, next.list, next.down, err = s.follows.Load().Reload(ctx, &next.config.Source)
	return next, err
}
