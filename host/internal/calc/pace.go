package calc

import (
	"sync/atomic"
	"time"
)

// pace is how many rows an engine is given at once: as many as it computes in a small
// part of the time that one calculation may take. So rows of an engine that is slow
// have as much time in a batch as alone, and fast ones cross in few large pieces.
type pace struct{ atRows atomic.Int64 }

const (
	pacePart   = 10 // of the time of one calculation
	paceGrowth = 16 // how much more than the last time is risked
	paceMax    = 2 * windowRows
)

// rows is how many to give now.
func (p *pace) rows() int { return int(max(1, p.atRows.Load())) }

// note learns from the time that some rows took.
func (p *pace) note(rows int, took, timeout time.Duration) {
	fit := float64(rows) * float64(timeout) / pacePart / float64(max(1, took))
	p.atRows.Store(int64(min(max(1, fit), float64(paceGrowth*p.rows()), paceMax)))
}
