package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/recheck"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// Recheck determines how numbers are computed again. The zero value is for production.
type Recheck struct {
	Every int           // one of so many calculations is kept and computed again; 100 if zero
	Round time.Duration // between two rounds; 2 min if zero
}

// openRecheck makes ready what computes numbers again.
func (s *Server) openRecheck() {
	o := &s.config.Recheck
	s.recheck = recheck.New(&recheck.Options{
		Engines: s.recheckEngines, Running: s.engines.Used, Differ: s.engines.Differed,
		Catalog: func() *catalog.Catalog { return s.service.Catalog() },
		Turn:    s.turn, Short: memory.Short, Every: o.Every, Round: o.Round, Log: s.log,
		Hide: s.config.Ledger.Dir != "" && s.config.Ledger.Inputs != ledger.Whole,
	})
}

func (s *Server) recheckEngines() (recheck.Engines, error) {
	b, err := s.engines.Background("recheck")
	if err != nil {
		return nil, err
	}
	return b, nil
}

// turnPrefix begins the keys by which servers that use the same Redis share work.
const turnPrefix = "slipstick:recheck:"

// turn reports whether this server does the work that the key names. Of the servers that use the
// same Redis one does, and none of the others for the time. Without Redis each does.
func (s *Server) turn(ctx context.Context, key string, life time.Duration) bool {
	if s.client == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, checkDeadline)
	defer cancel()
	_, err := s.client.Do(ctx, "set", turnPrefix+key, s.Addr().String(), "nx", "px", life.Milliseconds())
	return !errors.Is(err, redis.ErrNone)
}

// startRecheck computes numbers again until the returned function is called.
func (s *Server) startRecheck(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.recheck.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// rechecked is the service as its registry changes it. What becomes current is checked at once.
type rechecked struct {
	*calc.Service
	checker *recheck.Checker
}

func (r rechecked) Publish(c *catalog.Catalog) {
	r.Service.Publish(c)
	r.checker.Published()
}

// lookAtNumbers asks whether numbers differ from what they should be.
func (s *Server) lookAtNumbers(r *api.Readiness) {
	for _, d := range s.recheck.Differences() {
		r.Add(api.Degraded, api.Reason{Code: api.ReasonNumbers, Detail: fmt.Sprintf(
			"%s@%s: %s, first noticed at %s; the log has the inputs; withdraw the version with: %s",
			d.Capability, d.Version, d.Why, d.Since.UTC().Format(time.RFC3339), recheck.Withdraw(d.Capability, d.Version))})
	}
}

// countRechecks shows what was computed again.
func (s *Server) countRechecks() {
	s.metrics.Counters("slipstick_rechecks_total", "Checks of numbers while they are served, by check (again: another process computed a sampled calculation; formula: the published formula was evaluated; vectors: a reference vector was computed) and result (agrees, differs, failed).",
		[]string{"capability", "version", "check", "result"}, s.recheck.Counts)
	s.metrics.Gauges("slipstick_numbers_differ", "1 for a version whose results changed, or are not what its formula or its reference vectors give, until it agrees again or is withdrawn.",
		[]string{"capability", "version"}, func(add func(float64, ...string)) {
			for _, d := range s.recheck.Differences() {
				add(1, d.Capability, d.Version)
			}
		})
}
