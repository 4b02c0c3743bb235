package process

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// polling decides whether the caller who reads a stream polls it before it waits. As long as a CPU
// is idle, waiting and being woken takes longer than a quick engine takes to answer. If no CPU is
// idle, polling only keeps the engine from running. So trials compare both ways at regular
// intervals, and in between the caller uses the quicker way.
//
// A caller polls only if its call is the only one under way in the server. With other calls, the
// CPU has more useful work. The reader of the stream owns the polling.
type polling struct {
	conn   poller      // nil if the connection cannot be polled
	inTime func() bool // the method shouldPoll, as a value that is made once

	started time.Time     // of the wait for an answer; zero if it does not count
	calls   int           // isolated calls since the trial started
	misses  int           // consecutive polls without an answer
	polled  time.Duration // total time of the answers in the trial for which the caller polled
	waited  time.Duration // and of the answers for which it did not
	better  bool          // polling was quicker
}

// poller is a connection that can be polled.
type poller interface {
	// Poll looks for bytes to read while proceed reports true, and reports whether there are any.
	Poll(proceed func() bool) bool
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

// start initializes the polling of a stream over the connection.
func (p *polling) start(c conn) {
	p.conn, _ = c.(poller)
	p.inTime = p.shouldPoll
	p.restart()
}

// await polls for the answer if that is likely to help. It does not poll for answers to batches and
// pings.
func (p *polling) await(w *waiter) {
	p.started = time.Time{}
	if p.conn == nil || w.kind != contract.FrameOutcome || underway.Load() != 1 {
		return
	}
	p.started = time.Now()
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

// shouldPoll reports whether the caller continues to poll.
func (p *polling) shouldPoll() bool {
	return underway.Load() == 1 && time.Since(p.started) < pollAtMost
}

// answered counts the answer to the call of the last await.
func (p *polling) answered() {
	if p.started.IsZero() {
		return
	}
	took := min(time.Since(p.started), longestWait)
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

// restart starts a trial. With GOMAXPROCS=1 there is no trial, because polling would block all
// other goroutines of the server.
func (p *polling) restart() {
	p.calls, p.misses, p.polled, p.waited, p.better = 0, 0, 0, 0, false
	if runtime.GOMAXPROCS(0) == 1 {
		p.calls = 2 * trialCalls
	}
}
