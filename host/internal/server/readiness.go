package server

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/api"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/engines"
)

// readiness is what the last look has found.
type readiness struct {
	sync.Mutex
	last  api.Readiness
	until time.Time // good for so long
}

const (
	readyFor      = 2 * time.Second // how long one look is good for: anybody may ask
	checkDeadline = time.Second
)

// ready looks whether every current release answers, and the store.
func (s *Server) ready(ctx context.Context) api.Readiness {
	if s.draining.Load() {
		return api.Readiness{Status: api.Unready}
	}
	s.readiness.Lock()
	defer s.readiness.Unlock()
	if now := time.Now(); now.After(s.readiness.until) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkDeadline)
		defer cancel()
		s.readiness.last = s.look(ctx)
		s.readiness.until = time.Now().Add(readyFor)
	}
	return s.readiness.last
}

func (s *Server) look(ctx context.Context) api.Readiness {
	catalog := s.service.Catalog()
	r := api.Readiness{Status: api.Ready, Releases: map[string]string{}}
	well, revoked := 0, 0
	for name, state := range s.engines.States(ctx, catalog) {
		r.Releases[name] = string(state)
		switch {
		case state.Answers():
			well++
		case state == engines.Revoked: // as it should be, while another version of it can be asked
			revoked++
		}
	}
	if well+revoked < len(r.Releases) || slices.ContainsFunc(catalog.Entries(), (*calc.Entry).Revoked) {
		r.Status = api.Degraded
	}
	if r.Registry = s.following.State(); r.Registry != "ok" {
		r.Status = api.Degraded
	}
	if s.client != nil {
		r.Store, r.Limits = "ok", "shared"
		if err := s.client.Ping(ctx).Err(); err != nil {
			r.Status, r.Store, r.Limits = api.Degraded, "cannot be reached", "per process"
		}
	}
	expired := false
	if r.Checkpoint, expired = s.guard.Ready(); r.Checkpoint != "" && r.Checkpoint != "ok" {
		r.Status = api.Degraded
	}
	if well == 0 || expired {
		r.Status = api.Unready
	}
	return r
}
