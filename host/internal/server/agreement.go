package server

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/source/agree"
)

// agree starts the agreement with the other servers that use the same Redis, if Redis is
// configured.
func (s *Server) agree(ctx context.Context) {
	if s.client == nil {
		return
	}
	s.agreed = agree.New(s.client, &agree.Options{
		Address: s.Addr().String(),
		Keys: func() (k agree.Keys) {
			keys := s.snapshots.Keys()
			k.Signs, k.Knows = keys.Fingerprints(time.Now())
			k.Secrets = keys.DeriveAll("slipstick agreement")
			return k
		},
		Ready:   func() bool { return s.follows.Load() != nil && !s.draining.Load() },
		ReadAt:  s.registryReadAt,
		Changed: s.reconsider,
		Log:     s.log,
	})
	s.config.Source.Agreed = s.agreed
	s.agreed.Beat(ctx)
	s.countAgreed()
}

// registryReadAt returns the time of the last read of the registry.
func (s *Server) registryReadAt() time.Time {
	if f := s.follows.Load(); f != nil {
		return f.ReadAt()
	}
	return time.Time{}
}

// reconsider serves the versions that the servers have agreed on.
func (s *Server) reconsider() {
	if f := s.follows.Load(); f != nil {
		f.Reconsider()
	}
}

// join takes part in the agreement until the returned function is called.
func (s *Server) join(ctx context.Context) (leave func()) {
	if s.agreed == nil {
		return func() {}
	}
	s.agreed.Beat(ctx) // before the first request, because the start can have taken long
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.agreed.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// addAgreement adds the differences between this server and the others.
func (s *Server) addAgreement(r *api.Readiness) {
	if s.agreed == nil {
		return
	}
	state := s.agreed.State()
	if state.Misfit != nil {
		r.Add(api.Unready, api.Reason{Code: api.ReasonKeys, Detail: fmt.Sprintf(
			"this server signs snapshots with the key %s. The server at %s started before it and signs with %s. At least one of them does not know the key of the other: %s",
			state.Signs, state.Misfit.Address, state.Misfit.Signs, agree.ShareKeys)})
	}
	if len(state.OutOfDate) > 0 {
		r.Add(api.Unready, api.Reason{Code: api.ReasonOutOfDate, Detail: fmt.Sprintf(
			"the other servers serve a current version of %s that the registry of this server does not make current, or that does not start here. This server rejects calls without a pin. Check that all servers follow the same registry", few(state.OutOfDate))})
	}
	if len(state.Waiting) > 0 {
		r.Add(api.Degraded, api.Reason{Code: api.ReasonWaiting, Detail: fmt.Sprintf(
			"the registry makes another version of %s current; the version before is served until enough servers can follow", few(state.Waiting))})
	}
	if state.Alone {
		r.Add(api.Degraded, api.Reason{Code: api.ReasonAlone, Detail: "the values that the servers agree on cannot be read from Redis; this server follows its registry alone"})
	}
}

// few returns the first names as text, and the number of the others.
func few(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// countAgreed registers the metrics of the agreement.
func (s *Server) countAgreed() {
	state := s.agreed.State
	s.metrics.Gauge("slipstick_agreement_degraded", "1 while this server differs from the other servers in versions or snapshot keys, waits for them, or cannot reach Redis; otherwise 0.", func() float64 {
		if n := state(); n.Alone || n.Misfit != nil || len(n.OutOfDate)+len(n.Waiting) > 0 {
			return 1
		}
		return 0
	})
	s.metrics.Gauge("slipstick_agreement_hosts", "Number of running servers that use the same Redis, including this server, at the last successful read of Redis.", func() float64 { return float64(state().Hosts) })
	s.metrics.Gauge("slipstick_agreement_behind", "Number of capabilities for which this server refuses calls without a pin, because it cannot serve the current version of the other servers.", func() float64 { return float64(len(state().OutOfDate)) })
	s.metrics.Gauge("slipstick_agreement_refused", "Number of versions that are refused, because their bytes in the registry differ from the bytes that a server saw first.", func() float64 { return float64(state().Refused) })
	s.metrics.Watch("slipstick_agreement_forged_total", "Values from Redis that were ignored, because no snapshot key of this server verifies them. Each read of such a value counts.", func() float64 { return float64(state().Forged) })
	s.metrics.Gauge("slipstick_agreement_late_seconds", "Delay in seconds between the time at which the last change of a current version applied to all servers and the change on this server.", func() float64 { return state().Late.Seconds() })
	s.metrics.Watch("slipstick_agreement_switches_total", "Changes of the current version of a capability on this server, including changes to or from no current version.", func() float64 { return float64(state().Changes) })
}
