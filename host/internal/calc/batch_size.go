package calc

import (
	"sync/atomic"
	"time"
)

// batchSize adapts the number of rows in a batch to the speed of the engine, so that a batch takes
// about targetTime. A single request to the same engine waits no longer than that for a batch. The
// rows of a slow engine get the same time limit as single calculations, and a fast engine gets many
// rows at a time.
type batchSize struct{ current atomic.Int64 }

const (
	targetTime   = 10 * time.Millisecond // of a batch, including the wait for batches of other workers
	maxGrowth    = 16                    // factor by which the size may grow from one batch to the next
	maxBatchRows = 2048
)

// get returns the number of rows to send now, at least 1.
func (s *batchSize) get() int { return int(max(1, s.current.Load())) }

// observe sets the size from the time that a number of rows took.
func (s *batchSize) observe(rows int, took time.Duration) {
	fit := float64(rows) * float64(targetTime) / float64(max(1, took))
	s.current.Store(int64(min(max(1, fit), float64(maxGrowth*s.get()), maxBatchRows)))
}
