package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Drain determines how a host ends, so that no request is lost: it says that it is not ready,
// and goes on to answer until all who send requests here have noticed.
type Drain struct {
	Delay    time.Duration   // from being unready to accepting no more connections; 0: none
	Timeout  time.Duration   // that requests under way have to finish after the delay; 10 s if zero
	EndDelay <-chan struct{} // closed: the delay is over; nil: it is not
}

const (
	defaultDrainTimeout = 10 * time.Second
	// batchesEnd is how long batches may take to write how far they got.
	batchesEnd = 2 * time.Second
	// lastCall and leastLastCall are how long idle connections may stay after the delay.
	lastCall, leastLastCall = time.Second, 40 * time.Millisecond
)

// ending is how far the end of a host has come.
type ending struct {
	draining   atomic.Bool // not ready; every answer is the last of its connection
	batches    context.Context
	endBatches context.CancelFunc
}

func (e *ending) init() { e.batches, e.endBatches = context.WithCancel(context.Background()) }

// drain ends what Run began. Nobody is turned away before everybody could know that this host
// is not ready.
func (s *Server) drain(ctx context.Context) error {
	s.draining.Store(true)
	delay, timeout := s.config.Drain.Delay, cmp.Or(s.config.Drain.Timeout, defaultDrainTimeout)
	s.log.Info("draining: /readyz says 503, and every answer is the last of its connection", "delay", delay)
	if !s.await(delay) {
		delay = 0
	}
	s.log.Info("draining: no more connections are accepted; requests under way finish", "timeout", timeout)
	if s.retire(ctx, timeout, max(leastLastCall, min(delay, lastCall))) == nil {
		s.log.Info("drained: every request was answered")
		return s.shut(ctx)
	}
	s.log.Warn("draining: the time is over; batches end and say how far they got", "batches", s.capacity.batches.Used())
	s.endBatches()
	if err := s.retire(ctx, batchesEnd, leastLastCall); err != nil {
		over, cancel := context.WithCancel(ctx)
		cancel()
		return fmt.Errorf("requests were cut off after %s: %w", timeout+batchesEnd, errors.Join(err, s.http.Close(), s.shut(over)))
	}
	s.log.Info("drained: every request was answered, and batches were ended")
	return s.shut(ctx)
}

// await waits for the delay. It reports false if the host was told to hurry.
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
func (s *Server) retire(ctx context.Context, timeout, lastCall time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return s.bounded.Retire(ctx, lastCall)
}

// shut ends what has read from connections.
func (s *Server) shut(ctx context.Context) error {
	err := s.http.Shutdown(ctx) // closes the front as well
	if s.front != nil {
		err = errors.Join(err, s.front.Wait(ctx))
	}
	return err
}
