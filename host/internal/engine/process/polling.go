package process

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// polling decides whether the caller who reads a stream polls it before it waits. To wait, and
// to be woken, takes longer than a quick engine takes to answer, as long as a processor has
// nothing else to do. If there is none, polling only keeps the engine from running. So both
// ways are tried in turn, again and again, and what was quicker is done in between.
//
// Only a call that is the only one under way in the host polls: with others, there is
// something better to do. The reader of the stream owns the polling.
type polling struct {
	conn   poller      // nil if the connection cannot be polled
	inTime func() bool // the method stillAlone, made once

	begun  time.Time     // of the wait for an answer; zero if it does not count
	calls  int           // isolated calls since the trial began
	misses int           // how often polling was in vain, one after the other
	polled time.Duration // what the answers took in the trial, where the caller polled
	waited time.Duration // and where it did not
	better bool          // polling was quicker
}

// poller is a connection that can be polled.
type poller interface {
	// Poll looks for bytes to read while goOn reports true, and reports whether there are any.
	Poll(goOn func() bool) bool
}

const (
	pollAtMost  = 80 * time.Microsecond // how long a caller polls
	trialCalls  = 32                    // calls in a trial of one way
	trialEvery  = 1024                  // calls from one trial to the next
	mostMisses  = 4                     // after which polling ends until the next trial
	longestWait = 4 * pollAtMost        // an answer that took longer counts as this
)

// underway is the number of calls under way on all streams.
var underway atomic.Int64

// start begins with a stream over the connection.
func (p *polling) start(c conn) {
	p.conn, _ = c.(poller)
	p.inTime = p.stillAlone
	p.restart()
}

// await polls for the answer, if that is likely to help. Answers to batches and pings are not
// polled for.
func (p *polling) await(w *waiter) {
	p.begun = time.Time{}
	if p.conn == nil || w.kind != contract.FrameOutcome || underway.Load() != 1 {
		return
	}
	p.begun = time.Now()
	if !p.polls() {
		return
	}
	if p.conn.Poll(p.inTime) {
		p.misses = 0
	} else {
		p.misses++
	}
}

// polls reports whether the next isolated call polls.
func (p *polling) polls() bool {
	if p.misses >= mostMisses {
		return false
	}
	return p.calls < trialCalls || p.calls >= 2*trialCalls && p.better
}

// stillAlone reports whether the caller goes on polling.
func (p *polling) stillAlone() bool {
	return underway.Load() == 1 && time.Since(p.begun) < pollAtMost
}

// answered counts the answer to the call of the last await.
func (p *polling) answered() {
	if p.begun.IsZero() {
		return
	}
	took := min(time.Since(p.begun), longestWait)
	p.calls++
	switch {
	case p.calls <= trialCalls:
		p.polled += took
	case p.calls < 2*trialCalls:
		p.waited += took
	case p.calls == 2*trialCalls:
		p.better = p.polled < p.waited+took
	case p.calls == trialEvery:
		p.restart()
	}
}

// restart begins a trial. On a single processor of the Go runtime there is none: polling would
// keep everything else in the host waiting.
func (p *polling) restart() {
	p.calls, p.misses, p.polled, p.waited, p.better = 0, 0, 0, 0, false
	if runtime.GOMAXPROCS(0) == 1 {
		p.calls = 2 * trialCalls
	}
}
