package process

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// flow records whether the engine answers on a stream. The mutex of the stream guards it.
//
// A busy machine can keep an engine, or the server, from running for a long time. Moving calls to
// gRPC would not help then: they would cost more. So the stream counts as blocked only if two
// conditions are met. No call was answered between two checks of the watchdog, and the engine has
// since answered on another connection.
type flow struct {
	blocked     bool
	diverted    bool   // calls were moved to gRPC since the stream became blocked
	proving     bool   // the engine is being asked by gRPC whether it runs
	answers     uint64 // number of calls that the engine has answered
	lastAnswers uint64 // answers at the last check of the watchdog
	lastWaiting bool   // there were calls at the last check

	oldest uint64    // id of the oldest call at the last check
	due    time.Time // when the engine should have ended that call
}

// answered records the answer to a call.
func (f *flow) answered() {
	f.answers++
	f.blocked, f.diverted = false, false
}

// check records a check of the watchdog. It reports whether nothing was answered since the previous
// check.
func (f *flow) check(waiting bool) (stalled bool) {
	stalled = f.lastAnswers == f.answers && f.lastWaiting == waiting
	f.lastWaiting, f.lastAnswers = waiting, f.answers
	return stalled
}

// check is one check of the watchdog. It fails the calls whose context has ended or whose time is
// over. If the stream does not answer, check starts to find out whether it is blocked. If there
// were no calls since the previous check, check removes the stream from the watchdog.
func (s *stream) check(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := s.oldest()
	s.flow.noteOldest(oldest, s.calls[oldest], now)
	for id, w := range s.calls {
		if w != nil {
			if err := w.over(now); err != nil {
				s.abandon(id, fmt.Errorf("%w: %w", ErrLost, err))
			}
		}
	}
	waiting := len(s.calls) > 0
	stalled := s.flow.check(waiting)
	switch {
	case s.ended != nil, stalled && !waiting && s.turn.reader != caller:
		s.rest()
		return
	case s.flow.blocked:
		s.divert()
	case stalled && waiting && !s.flow.proving:
		s.flow.proving = true
		go s.prove(s.flow.answers)
	}
}

// noteOldest records when the engine should have ended the oldest call. If the waiter has left,
// that does not change any more. A call without a deadline can take as long as its waiter waits.
func (f *flow) noteOldest(oldest uint64, w *waiter, now time.Time) {
	if oldest != f.oldest {
		f.oldest, f.due = oldest, now
	}
	if w == nil {
		return
	}
	f.due = w.deadline
	if at, ok := w.ctx.Deadline(); ok && (f.due.IsZero() || at.Before(f.due)) {
		f.due = at
	}
	if f.due.IsZero() {
		f.due = now
	}
}

// oldest returns the smallest id of the calls. The stream is locked.
func (s *stream) oldest() uint64 {
	oldest := s.lastID
	for id := range s.calls {
		oldest = min(oldest, id)
	}
	return oldest
}

const (
	// strayTime is how long after its first stray frame a process is unfit. So a program that
	// sends them to every call is not replaced more often.
	strayTime = time.Second

	// overdueTime is how long after the end of its time a call may keep the stream blocked.
	overdueTime = 3 * time.Second
)

// unfit returns why the process of the stream should be replaced, or nil. The calls under way
// can still get their answers.
func (s *stream) unfit(now time.Time) error {
	if first := s.strayed.Load(); first != 0 && now.Sub(time.Unix(0, first)) >= strayTime {
		return fmt.Errorf("%w: it sends answers to calls that it does not have", ErrContract)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if late := now.Sub(s.flow.due); s.flow.blocked && late >= overdueTime {
		return fmt.Errorf("%w: a call that should have ended %v ago blocks its stream", ErrLost, late.Round(time.Second))
	}
	return nil
}

// over returns why the call need not wait any longer, or nil.
func (w *waiter) over(now time.Time) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if !w.deadline.IsZero() && !now.Before(w.deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// rest lets the resident read while there are no calls. The stream is locked.
func (s *stream) rest() {
	s.watched = false
	streams.remove(s)
	if s.turn.reader == noReader && s.ended == nil {
		s.turn.pass(resident, s.conn)
		s.wakeResident()
	}
}

// proofTime bounds how long the engine may take to show that it runs.
const proofTime = time.Second

// prove finds out whether the stream is blocked. It is blocked if the engine shows twice that it
// runs, and does not answer any call in the meantime. By the second time the engine has had enough
// CPU time to answer a call that waited only for the CPU.
func (s *stream) prove(answers uint64) {
	ctx, cancel := context.WithTimeout(s.open, proofTime)
	defer cancel()
	err := s.runs(ctx)
	if err == nil {
		err = s.runs(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flow.proving = false
	if err == nil && s.flow.answers == answers && s.ended == nil {
		s.flow.blocked = true
		s.divert()
	}
}

// divert moves calls to gRPC, except batches, which would take longer row by row, and the oldest
// call, which is probably the long one. But an engine may delay an answer to write it together with
// the next one. So the long call may be one of the moved calls. If the stream is still blocked
// after calls were moved, divert moves the oldest call too. A ping never waits. The stream is
// locked.
func (s *stream) divert() {
	oldest := s.oldest()
	all := s.flow.diverted
	for id, w := range s.calls {
		if w == nil || w.kind == contract.FrameBatchOutcome || id == oldest && w.kind != contract.FramePong && !all {
			continue
		}
		s.abandon(id, errSlow)
		s.flow.diverted = true
	}
}
