package process

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// turn records which goroutine reads a stream:
//
//	            take                        give, calls are left
//	none ---------------> caller ------------------------------> resident
//	  ^ ^                   |                                     |    ^
//	  | +-------------------+                                     |    |
//	  |    give, no calls are left                                |    |
//	  +-----------------------------------------------------------+    |
//	  |                  yield, no calls are left                      |
//	  +----------------------------------------------------------------+
//	                     rest, after some time without calls
//
// If no goroutine reads, a caller reads itself, so that a single call wakes no goroutine but its
// own. The resident is the stream's own goroutine. It reads for several callers and for callers who
// have left. It also reads while there are no calls, to notice the end of the stream.
//
// Only the resident reads large frames and ends by an error alone. A caller may be interrupted at
// any time. Then the next reader continues at the same byte, because the part of a small frame that
// was read is still in the buffer.
type turn struct {
	reader      reader
	caller      *waiter // who reads, if a caller does
	interrupted bool    // there is a read deadline, which ends the wait of the caller
}

type reader int8

const (
	noReader reader = iota
	caller
	resident
)

// take makes the caller the reader if there is none, and reports whether it is.
func (t *turn) take(w *waiter) bool {
	if t.reader != noReader {
		return false
	}
	t.reader, t.caller = caller, w
	return true
}

// interrupt makes the caller check for its reply, if it is reading.
func (t *turn) interrupt(w *waiter, c conn) {
	if t.reader == caller && t.caller == w && !t.interrupted {
		t.interrupted = true
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// pass ends the turn of the reader. The next reader is the resident, or there is none.
func (t *turn) pass(to reader, c conn) {
	if t.interrupted {
		_ = c.SetReadDeadline(time.Time{})
	}
	*t = turn{reader: to}
}

// readFor reads until the call of w has its reply. Its caller must have the turn, which ends before
// readFor returns.
func (s *stream) readFor(w *waiter) reply {
	s.polling.await(w)
	for {
		r, mine, err := s.receiveFrame(w)
		switch {
		case mine:
			s.polling.answered()
			s.give()
			return r
		case err == nil: // a frame for another caller
		case errors.Is(err, errLarge):
			s.give()
			return <-w.reply
		case !errors.Is(err, os.ErrDeadlineExceeded):
			s.fail(err)
			return <-w.reply
		}
		select {
		case r := <-w.reply: // its time is over
			s.give()
			return r
		default:
		}
	}
}

// give ends the turn of a caller.
func (s *stream) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		s.turn.pass(noReader, s.conn)
		return
	}
	s.turn.pass(resident, s.conn)
	s.wakeResident()
}

// wakeResident makes the resident check whether it has the turn or the stream has ended.
func (s *stream) wakeResident() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// reside reads whenever it is the turn of the resident, until the stream ends.
func (s *stream) reside() {
	defer close(s.done)
	for s.awaitTurn() {
		for {
			_, _, err := s.receiveFrame(nil)
			if errors.Is(err, errLarge) {
				err = s.receiveLarge()
			}
			if err != nil {
				s.fail(err)
				return
			}
			if !contract.FrameReady(s.in) && s.yield() {
				break
			}
		}
	}
}

// awaitTurn waits for the turn of the resident. It reports false if the stream has ended.
func (s *stream) awaitTurn() bool {
	for {
		s.mu.Lock()
		ended, mine := s.ended != nil, s.turn.reader == resident
		s.mu.Unlock()
		if ended || mine {
			return !ended
		}
		<-s.wake
	}
}

// yield ends the turn of the resident if no calls are left and the watchdog checks the stream.
// Without the watchdog, only the resident notices new bytes.
func (s *stream) yield() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) > 0 || !s.watched {
		return false
	}
	s.turn.pass(noReader, s.conn)
	return true
}

// fail ends the stream because of an error of its reader.
func (s *stream) fail(err error) {
	abused := errors.Is(err, ErrContract)
	if !abused {
		err = fmt.Errorf("%w: %w", ErrLost, err)
	}
	if s.end(err) && abused {
		s.abused()
	}
}
