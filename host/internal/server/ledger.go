package server

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/timestamp"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/source"
)

// openLedger opens the ledger, if one is wanted. The keys of snapshots sign it.
func (s *Server) openLedger() (err error) {
	o := &s.config.Ledger
	if o.Dir == "" {
		return nil
	}
	var stamp ledger.Stamp
	if o.Timestamp != "" {
		stamp = func(ctx context.Context, digest [sha256.Size]byte) ([]byte, error) {
			return timestamp.Request(ctx, o.Timestamp, digest)
		}
	}
	s.ledger, err = ledger.Open(o.Dir, &ledger.Options{
		Stamp:  stamp,
		Inputs: o.Inputs, Sync: o.Sync, Close: o.Close, Keep: o.Keep, Queue: o.Queue, Log: s.log,
		Sign: func(at time.Time, message []byte) (ed25519.PublicKey, []byte) {
			return s.snapshots.Keys().Sign(at, message)
		},
		Secret: s.snapshots.Keys().Derive("slipstick ledger"),
	})
	if err != nil {
		return &source.SettingError{Err: fmt.Errorf("--ledger %s: %w", o.Dir, err)}
	}
	s.closers = append(s.closers, func() {
		if err := s.ledger.Close(); err != nil {
			s.log.Error("the end of the ledger was not written", "error", err)
		}
	})
	return nil
}

// recorder is the ledger as those see it who answer.
func (s *Server) recorder() calc.Ledger {
	if s.ledger == nil {
		return nil
	}
	return s.ledger
}

// receipts is the ledger as those see it who ask for proofs.
func (s *Server) receipts() api.Receipts {
	if s.ledger == nil {
		return nil
	}
	return s.ledger
}

// lossLogEvery is how long readiness tells of a lost record.
const lossLogEvery = time.Minute

// lookAtLedger asks whether records can be kept.
func (s *Server) lookAtLedger(r *api.Readiness) {
	if s.ledger == nil {
		return
	}
	stats := s.ledger.Stats()
	r.Ledger = "ok"
	switch {
	case stats.Failure != nil:
		r.Ledger = stats.Failure.Error()
		r.Add(api.Degraded, api.Reason{Code: api.ReasonLedger, Detail: "answers are given, and their records cannot be written: " + r.Ledger})
	case time.Since(stats.LastAt) < lossLogEvery:
		r.Ledger = "records were lost"
		r.Add(api.Degraded, api.Reason{Code: api.ReasonLedger, Detail: fmt.Sprintf("records of answers were lost in the last minute, %d since the host began: the disk is too slow for them", stats.Lost)})
	}
}

// countLedger shows the figures of the ledger.
func (s *Server) countLedger() {
	if s.ledger == nil {
		return
	}
	stats := s.ledger.Stats
	s.metrics.Watch("slipstick_ledger_records_total", "Records of answers that were taken.", func() float64 { return float64(stats().Records) })
	s.metrics.Watch("slipstick_ledger_lost_total", "Records that were lost, because the disk did not take them in time.", func() float64 { return float64(stats().Lost) })
}
