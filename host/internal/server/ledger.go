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

// openLedger opens the ledger, if it is configured. The snapshot keys sign it.
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
			s.log.Error("the server could not close the ledger", "error", err)
		}
	})
	return nil
}

// recorder returns the ledger for the calculation service, nil if there is none.
func (s *Server) recorder() calc.Ledger {
	if s.ledger == nil {
		return nil
	}
	return s.ledger
}

// receipts returns the ledger for requests of proofs, nil if there is none.
func (s *Server) receipts() api.Receipts {
	if s.ledger == nil {
		return nil
	}
	return s.ledger
}

// lossShownFor is how long readiness reports a lost record.
const lossShownFor = time.Minute

// addLedger adds failures and losses of the ledger.
func (s *Server) addLedger(r *api.Readiness) {
	if s.ledger == nil {
		return
	}
	stats := s.ledger.Stats()
	r.Ledger = "ok"
	switch {
	case stats.Failure != nil:
		r.Ledger = stats.Failure.Error()
		r.Add(api.Degraded, api.Reason{Code: api.ReasonLedger, Detail: "the server answers, but cannot write records to the ledger: " + r.Ledger})
	case time.Since(stats.LastAt) < lossShownFor:
		r.Ledger = "records were lost"
		r.Add(api.Degraded, api.Reason{Code: api.ReasonLedger, Detail: fmt.Sprintf("the ledger lost records in the last minute, and %d since the server started, because the disk is too slow", stats.Lost)})
	}
}

// countLedger registers the metrics of the ledger.
func (s *Server) countLedger() {
	if s.ledger == nil {
		return
	}
	stats := s.ledger.Stats
	s.metrics.Watch("slipstick_ledger_records_total", "Records of responses that the ledger accepted for writing.", func() float64 { return float64(stats().Records) })
	s.metrics.Watch("slipstick_ledger_lost_total", "Records of responses that the ledger lost because the disk was too slow or full.", func() float64 { return float64(stats().Lost) })
}
