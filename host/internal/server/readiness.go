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

// readiness is the result of the last check.
type readiness struct {
	sync.Mutex
	last  api.Readiness
	until time.Time // valid until then
}

const (
	readyFor      = 2 * time.Second // validity of one check, because any client can ask
	checkDeadline = time.Second
	aloneShownFor = 10 * time.Second // how long readiness reports that calls were limited without Redis
)

// ready checks all current releases and the stores.
func (s *Server) ready(ctx context.Context) api.Readiness {
	if s.draining.Load() {
		r := api.Readiness{Status: api.Ready}
		r.Add(api.Unready, api.Reason{Code: api.ReasonDraining, Detail: "this server is draining; send requests to another server"})
		return r
	}
	s.readiness.Lock()
	defer s.readiness.Unlock()
	if now := time.Now(); now.After(s.readiness.until) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkDeadline)
		defer cancel()
		s.readiness.last = s.checkAll(ctx)
		s.readiness.until = time.Now().Add(readyFor)
	}
	r := s.readiness.last
	r.Reasons = slices.Clone(r.Reasons)
	s.addAgreement(&r)
	return r
}

// checkAll checks everything that readiness depends on. To add a check, add a function that adds its
// reasons.
func (s *Server) checkAll(ctx context.Context) api.Readiness {
	r := api.Readiness{Status: api.Ready}
	s.addEngines(ctx, &r)
	s.addRegistry(&r)
	s.addStore(ctx, &r)
	s.addLedger(&r)
	s.addNumbers(&r)
	return r
}

// addEngines adds current releases with engines that do not respond.
func (s *Server) addEngines(ctx context.Context, r *api.Readiness) {
	published := s.service.Catalog()
	r.Releases = map[string]string{}
	well, revoked := 0, 0
	for name, state := range s.engines.States(ctx, published) {
		r.Releases[name] = string(state)
		switch {
		case state.Answers():
			well++
		case state == pool.Revoked: // correct, as long as another version can be called
			revoked++
		}
	}
	switch {
	case well == 0:
		r.Add(api.Unready, api.Reason{Code: api.ReasonNoEngine, Detail: "no release can answer; releases lists the reasons"})
	case well+revoked < len(r.Releases) || slices.ContainsFunc(published.Entries(), (*catalog.Entry).Revoked):
		r.Add(api.Degraded, api.Reason{Code: api.ReasonEngines, Detail: "some releases cannot answer; releases lists them"})
	}
}

// addRegistry adds problems of the registry and its transparency log.
func (s *Server) addRegistry(r *api.Readiness) {
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

// addFile adds the last failure to store a snapshot in the file.
func (s *Server) addFile(r *api.Readiness) {
	if s.file == nil {
		return
	}
	r.Store = "ok"
	if err := s.file.State(); err != nil {
		r.Store = err.Error()
		r.Add(api.Degraded, api.Reason{Code: api.ReasonStore, Detail: "the server cannot store snapshots, and gives them embedded ids: " + r.Store})
	}
}

// addStore adds problems of Redis, if it is configured, or of the snapshot file.
func (s *Server) addStore(ctx context.Context, r *api.Readiness) {
	if s.client == nil {
		s.addFile(r)
		return
	}
	r.Store, r.Limits = "ok", "shared"
	if _, err := s.client.Do(ctx, "ping"); err != nil {
		r.Store, r.Limits = "cannot be reached", "per process"
		r.Add(api.Degraded, api.Reason{Code: api.ReasonStore, Detail: "the server cannot reach Redis, and counts limits alone"})
		return
	}
	if s.limiter.FellBackWithin(aloneShownFor) {
		r.Limits = "per process"
		r.Add(api.Degraded, api.Reason{Code: api.ReasonLimits, Detail: "in the last 10 s this server counted limits alone, because Redis did not answer in time. Clients can have exceeded their limit over all servers"})
	}
}
