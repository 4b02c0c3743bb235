package calc

import (
	"sync/atomic"
	"time"
)

// pace is how many rows an engine is given at once: as many as it computes in a moment.
// Who asks the same engine for one calculation meanwhile waits no longer, and rows of a
// slow engine have as much time in a batch as alone; fast ones cross in large pieces.
type pace struct{ atRows atomic.Int64 }

const (
	paceTime   = 10 * time.Millisecond // until the answer, behind the pieces of other hands
	paceGrowth = 16                    // how much more than the last time is risked
	paceMax    = 2 * windowRows
)

// rows is how many to give now.
func (p *pace) rows() int { return int(max(1, p.atRows.Load())) }

// note learns from the time that some rows took.
func (p *pace) note(rows int, took time.Duration) {
	fit := float64(rows) * float64(paceTime) / float64(max(1, took))
	p.atRows.Store(int64(min(max(1, fit), float64(paceGrowth*p.rows()), paceMax)))
}
