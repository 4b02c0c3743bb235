package server

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/http/api"
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
	aloneLogEvery = 10 * time.Second // how long it is told that calls were judged without Redis
)

// ready looks whether every current release answers, and the store.
func (s *Server) ready(ctx context.Context) api.Readiness {
	if s.draining.Load() {
		r := api.Readiness{Status: api.Ready}
		r.Add(api.Unready, api.Reason{Code: api.ReasonDraining, Detail: "this host is ending; send requests to another one"})
		return r
	}
	s.readiness.Lock()
	defer s.readiness.Unlock()
	if now := time.Now(); now.After(s.readiness.until) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkDeadline)
		defer cancel()
		s.readiness.last = s.look(ctx)
		s.readiness.until = time.Now().Add(readyFor)
	}
	r := s.readiness.last
	r.Reasons = slices.Clone(r.Reasons)
	s.addAgreement(&r)
	return r
}

// look asks everything that readiness depends on. Whoever adds something adds a function that
// adds its reasons.
func (s *Server) look(ctx context.Context) api.Readiness {
	r := api.Readiness{Status: api.Ready}
	s.lookAtEngines(ctx, &r)
	s.lookAtRegistry(&r)
	s.lookAtStore(ctx, &r)
	s.lookAtLedger(&r)
	s.lookAtNumbers(&r)
	return r
}

// lookAtEngines asks the engines of all current releases.
func (s *Server) lookAtEngines(ctx context.Context, r *api.Readiness) {
	published := s.service.Catalog()
	r.Releases = map[string]string{}
	well, revoked := 0, 0
	for name, state := range s.engines.States(ctx, published) {
		r.Releases[name] = string(state)
		switch {
		case state.Answers():
			well++
		case state == pool.Revoked: // as it should be, while another version of it can be asked
			revoked++
		}
	}
	switch {
	case well == 0:
		r.Add(api.Unready, api.Reason{Code: api.ReasonNoEngine, Detail: "nothing can be calculated; releases says why"})
	case well+revoked < len(r.Releases) || slices.ContainsFunc(published.Entries(), (*catalog.Entry).Revoked):
		r.Add(api.Degraded, api.Reason{Code: api.ReasonEngines, Detail: "not everything can be calculated; releases says what cannot"})
	}
}

// lookAtRegistry asks what is known of the registry and its log.
func (s *Server) lookAtRegistry(r *api.Readiness) {
	r.Registry = s.follows.Load().State()
	if r.Registry != "ok" {
		r.Add(api.Degraded, api.Reason{Code: api.ReasonRegistry, Detail: r.Registry})
	}
	expired := false
	r.Checkpoint, expired = s.guard.Ready()
	switch {
	case expired:
		r.Add(api.Unready, api.Reason{Code: api.ReasonCheckpoint, Detail: r.Checkpoint})
	case r.Checkpoint != "" && r.Checkpoint != "ok":
		r.Add(api.Degraded, api.Reason{Code: api.ReasonCheckpoint, Detail: r.Checkpoint})
	}
}

// lookAtFile asks whether snapshots could be kept the last time.
func (s *Server) lookAtFile(r *api.Readiness) {
	if s.file == nil {
		return
	}
	r.Store = "ok"
	if err := s.file.State(); err != nil {
		r.Store = err.Error()
		r.Add(api.Degraded, api.Reason{Code: api.ReasonStore, Detail: "snapshots cannot be kept, and get embedded ids: " + r.Store})
	}
}

// lookAtStore asks whether Redis answers, if there is one.
func (s *Server) lookAtStore(ctx context.Context, r *api.Readiness) {
	if s.client == nil {
		s.lookAtFile(r)
		return
	}
	r.Store, r.Limits = "ok", "shared"
	if _, err := s.client.Do(ctx, "ping"); err != nil {
		r.Store, r.Limits = "cannot be reached", "per process"
		r.Add(api.Degraded, api.Reason{Code: api.ReasonStore, Detail: "the store cannot be reached; calls are limited per process"})
		return
	}
	if s.limiter.Alone(aloneLogEvery) {
		r.Limits = "per process"
		r.Add(api.Degraded, api.Reason{Code: api.ReasonLimits, Detail: "in the last 10 s this host judged calls alone, because the store did not answer in time; clients may have had more calls than their limit at all hosts together"})
	}
}
