//go:build unix

package process

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
	"github.com/slipstick/slipstick/sdk/wire/socket"
)

// pollCounter counts how often it is polled. The test decides whether it has bytes to read.
type pollCounter struct {
	conn
	polls int
	found bool
	held  bool // Poll goes on for as long as it may
}

func (c *pollCounter) Poll(proceed func() bool) bool {
	c.polls++
	for c.held && proceed() {
		runtime.Gosched()
	}
	return c.found
}

func pollingOf(c *pollCounter) *polling {
	p := new(polling)
	p.start(c)
	p.calls = 0 // as if there were several processors
	return p
}

var (
	call  = &waiter{kind: contract.FrameOutcome}
	batch = &waiter{kind: contract.FrameBatchOutcome}
)

// alone makes the test the only one that calls, with n calls under way.
func alone(t *testing.T, n int64) {
	t.Helper()
	before := underway.Swap(n)
	t.Cleanup(func() { underway.Store(before) })
}

// A call polls only if it is the only one in the server.
func TestOnlyALoneCallPolls(t *testing.T) {
	for _, c := range []struct {
		calls int64
		w     *waiter
		polls int
	}{{1, call, 1}, {2, call, 0}, {64, call, 0}, {1, batch, 0}} {
		alone(t, c.calls)
		conn := &pollCounter{found: true}
		p := pollingOf(conn)
		p.await(c.w)
		p.answered()
		if conn.polls != c.polls || p.calls != c.polls {
			t.Errorf("%d calls under way: polled %d times, %d calls counted", c.calls, conn.polls, p.calls)
		}
	}
}

// A second call ends the polling of the first, and so does time.
func TestPollingEnds(t *testing.T) {
	alone(t, 1)
	conn := &pollCounter{held: true}
	p := pollingOf(conn)
	p.await(call)
	if took := time.Since(p.started); took < pollAtMost {
		t.Errorf("polled for %v", took)
	}
	p.started = time.Now().Add(time.Hour) // the time is never over
	ended := make(chan bool)
	go func() { ended <- conn.Poll(p.inTime) }()
	underway.Add(1)
	<-ended
}

// After a few polls without an answer, a caller does not poll before the next trial.
func TestPollingInVain(t *testing.T) {
	alone(t, 1)
	conn := &pollCounter{}
	p := pollingOf(conn)
	for range trialEvery {
		p.await(call)
		p.answered()
	}
	if conn.polls != mostMisses {
		t.Errorf("polled %d times", conn.polls)
	}
	if p.polled != 0 || p.calls > 2*trialCalls {
		t.Errorf("no new trial: %+v", p)
	}
}

// After a trial the quicker way is taken until the next.
func TestPollingTakesTheQuickerWay(t *testing.T) {
	alone(t, 1)
	for _, quicker := range []bool{true, false} {
		conn := &pollCounter{found: true}
		p := pollingOf(conn)
		answer := func(polled, waited time.Duration) {
			before := conn.polls
			p.await(call)
			took := waited
			if conn.polls > before {
				took = polled
			}
			p.started = time.Now().Add(-took)
			p.answered()
		}
		for range trialEvery - 1 {
			if quicker {
				answer(0, longestWait)
			} else {
				answer(longestWait, 0)
			}
		}
		if want := map[bool]int{true: trialEvery - trialCalls - 1, false: trialCalls}[quicker]; conn.polls != want {
			t.Errorf("quicker %v: polled %d times, want %d", quicker, conn.polls, want)
		}
	}
}

// With GOMAXPROCS=1, no caller polls.
func TestNoPollingOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone(t, 1)
	conn := &pollCounter{found: true}
	p := new(polling)
	p.start(conn)
	for range 2 * trialEvery {
		p.await(call)
		p.answered()
	}
	if conn.polls > 0 {
		t.Errorf("polled %d times", conn.polls)
	}
}

// A caller who polls notices the end of the stream, and its own.
func TestPollingOfADeadStream(t *testing.T) {
	ours, theirs, err := socket.Pair()
	if err != nil {
		t.Fatal(err)
	}
	s := newStream(ours, newAnswers(benchSpec()), func() { t.Error("the engine broke the contract") }, silent)
	defer s.close()
	go func() {
		_, _ = theirs.Read(make([]byte, 1))
		theirs.Close()
	}()
	_, err = s.ask(t.Context(), 0, contract.MaxAnswer, contract.FrameCall, contract.FrameOutcome, contract.AppendID)
	if !errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
	if n := underway.Load(); n != 0 {
		t.Errorf("%d calls under way after all have ended", n)
	}
}
