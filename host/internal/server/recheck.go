package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/recheck"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
)

// Recheck are the settings of the checks of published numbers. The zero value is for production.
type Recheck struct {
	Every int           // one calculation in this many is kept and recomputed; 100 if zero
	Round time.Duration // time between two rounds; 2 min if zero
}

// openRecheck creates the checker of published numbers.
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

// turnPrefix is the prefix of the Redis keys with which servers share the checks.
const turnPrefix = "slipstick:recheck:"

// turn reports whether this server does the work that the key names. Among the servers that use the
// same Redis, one does it within the lifetime. Without Redis, each server does it.
func (s *Server) turn(ctx context.Context, key string, life time.Duration) bool {
	if s.client == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, checkDeadline)
	defer cancel()
	own := s.Addr().String() + " " + rand.Text() // so that a command that was sent twice finds its own value
	former, err := s.client.Do(ctx, "set", turnPrefix+key, own, "nx", "get", "px", life.Milliseconds())
	return err != nil || former == own
}

// startRecheck runs the checks until the returned function is called.
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

// rechecked is the service for changes of the registry. The checker learns about each new catalog,
// so that releases that become current are checked immediately.
type rechecked struct {
	*calc.Service
	checker *recheck.Checker
}

func (r rechecked) Publish(c *catalog.Catalog) {
	r.Service.Publish(c)
	r.checker.Published()
}

// addNumbers adds the releases with wrong or changed numbers.
func (s *Server) addNumbers(r *api.Readiness) {
	for _, d := range s.recheck.Differences() {
		r.Add(api.Degraded, api.Reason{Code: api.ReasonNumbers, Detail: fmt.Sprintf(
			"%s@%s: %s, first noticed at %s. The log has the inputs. Withdraw the version with: %s",
			d.Capability, d.Version, d.Why, d.Since.UTC().Format(time.RFC3339), recheck.Withdraw(d.Capability, d.Version))})
	}
}

// countRechecks registers the metrics of the checks.
func (s *Server) countRechecks() {
	s.metrics.Counters("slipstick_rechecks_total", "Checks of results of served versions, by check and result. The check is again (recomputed by another process), formula (compared with the published formula) or vectors (reference vector). The result is agrees, differs or failed.",
		[]string{"capability", "version", "check", "result"}, s.recheck.Counts)
	s.metrics.Gauges("slipstick_numbers_differ", "1 for each version that gives changed results, or results that contradict its formula or its reference vectors. The series ends when the version agrees again or is withdrawn.",
		[]string{"capability", "version"}, func(add func(float64, ...string)) {
			for _, d := range s.recheck.Differences() {
				add(1, d.Capability, d.Version)
			}
		})
}
