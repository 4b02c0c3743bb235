package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Drain has the settings of a shutdown without lost requests. The server reports that it is not
// ready. It continues to serve until all clients and load balancers have noticed.
type Drain struct {
	Delay    time.Duration   // time from not being ready to accepting no more connections; 0: none
	Timeout  time.Duration   // time for running requests to finish after the delay; 10 s if zero
	EndDelay <-chan struct{} // closed: the delay ends early; nil: it does not
}

const (
	defaultDrainTimeout = 10 * time.Second
	// batchEndTimeout is the time for batches to write how far they got.
	batchEndTimeout = 2 * time.Second
	// maxIdle and minIdle limit the time for which idle connections stay open after the
	// delay.
	maxIdle, minIdle = time.Second, 40 * time.Millisecond
)

// ending is the state of a shutdown.
type ending struct {
	draining   atomic.Bool // the server is not ready; every response is the last of its connection
	batches    context.Context
	endBatches context.CancelFunc
}

func (e *ending) init() { e.batches, e.endBatches = context.WithCancel(context.Background()) }

// drain ends the server that Run started. It refuses no connection before clients had time to
// notice that this server is not ready.
func (s *Server) drain(ctx context.Context) error {
	s.draining.Store(true)
	delay, timeout := s.config.Drain.Delay, cmp.Or(s.config.Drain.Timeout, defaultDrainTimeout)
	s.log.Info("draining: /readyz returns 503, and every response closes its connection", "delay", delay)
	if !s.await(delay) {
		delay = 0
	}
	s.log.Info("draining: the server accepts no more connections, and finishes current requests", "timeout", timeout)
	if s.retire(ctx, timeout, max(minIdle, min(delay, maxIdle))) == nil {
		s.log.Info("drained: the server answered every request")
		return s.shut(ctx)
	}
	s.log.Warn("draining: the time is over; the server ends running batches, which report their next row. Increase --drain-timeout for longer batches", "batches", s.capacity.batches.Used())
	s.endBatches()
	if err := s.retire(ctx, batchEndTimeout, minIdle); err != nil {
		over, cancel := context.WithCancel(ctx)
		cancel()
		return fmt.Errorf("requests were cut off after %s: %w", timeout+batchEndTimeout, errors.Join(err, s.http.Close(), s.shut(over)))
	}
	s.log.Info("drained: the server answered every request, and ended batches")
	return s.shut(ctx)
}

// await waits for the delay. It reports false if the delay was ended early.
func (s *Server) await(delay time.Duration) bool {
	if delay <= 0 {
		return true
	}
	over := time.NewTimer(delay)
	defer over.Stop()
	select {
	case <-over.C:
		return true
	case <-s.config.Drain.EndDelay:
		return false
	}
}

// retire waits until all connections have ended.
func (s *Server) retire(ctx context.Context, timeout, maxIdle time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return s.bounded.Retire(ctx, maxIdle)
}

// shut closes the HTTP server and the front.
func (s *Server) shut(ctx context.Context) error {
	err := s.http.Shutdown(ctx) // closes the front as well
	if s.front != nil {
		err = errors.Join(err, s.front.Wait(ctx))
	}
	return err
}
