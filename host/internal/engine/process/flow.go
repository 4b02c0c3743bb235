package process

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// flow says whether the engine answers on a stream. It is guarded by the stream.
//
// A machine that is merely busy can keep an engine, or its host, from running for a long
// time. Moving calls to gRPC would not help then: they would cost more. So the stream counts
// as blocked only after proof: no call was answered between two looks of the patrol, and the
// engine has answered on another connection since.
type flow struct {
	blocked  bool
	diverted bool   // calls were moved to gRPC since the stream became blocked
	proving  bool   // the engine is being asked by gRPC whether it runs
	answers  uint64 // number of calls that the engine has answered
	seen     uint64 // answers at the last look of the patrol
	waited   bool   // at the last look there were calls

	oldest uint64    // id of the oldest call at the last look
	due    time.Time // when the engine should have ended that call
}

// answered records the answer to a call.
func (f *flow) answered() {
	f.answers++
	f.blocked, f.diverted = false, false
}

// look records a look of the patrol. It reports whether nothing was answered since the look
// before.
func (f *flow) look(waiting bool) (stands bool) {
	stands = f.seen == f.answers && f.waited == waiting
	f.waited, f.seen = waiting, f.answers
	return stands
}

// look is one look of the patrol. It fails the calls whose context has ended or whose time is
// over. If the stream does not answer, it begins to prove whether it is blocked. If there were
// no calls since the look before, the patrol leaves the stream.
func (s *stream) look(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := s.oldest()
	s.flow.hold(oldest, s.calls[oldest], now)
	for id, w := range s.calls {
		if w != nil {
			if err := w.over(now); err != nil {
				s.leave(id, fmt.Errorf("%w: %w", ErrLost, err))
			}
		}
	}
	waiting := len(s.calls) > 0
	stands := s.flow.look(waiting)
	switch {
	case s.ended != nil, stands && !waiting && s.turn.reader != caller:
		s.rest()
		return
	case s.flow.blocked:
		s.divert()
	case stands && waiting && !s.flow.proving:
		s.flow.proving = true
		go s.prove(s.flow.answers)
	}
}

// hold records when the engine should have ended the oldest call. If the waiter has left, that
// does not change any more. A call without a deadline can take as long as its waiter waits.
func (f *flow) hold(oldest uint64, w *waiter, now time.Time) {
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
	streams.leave(s)
	if s.turn.reader == noReader && s.ended == nil {
		s.turn.pass(resident, s.conn)
		s.wakeResident()
	}
}

// proofTime bounds how long the engine may take to show that it runs.
const proofTime = time.Second

// prove finds out whether the stream is blocked. It is, if the engine shows twice that it
// runs, and does not answer any call meanwhile: the second time it has had the processor for
// long enough to answer a call that only waited for that.
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

// divert moves calls to gRPC. These go on waiting: batches, which would take longer row by
// row; and the oldest call, which is probably the long one. But an engine may hold an answer
// back to write it together with the next one. So if the stream is still blocked after calls
// were moved, the long call may be one of those, and the oldest call is moved too. A ping
// never waits. The stream is locked.
func (s *stream) divert() {
	oldest := s.oldest()
	all := s.flow.diverted
	for id, w := range s.calls {
		if w == nil || w.kind == contract.FrameBatchOutcome || id == oldest && w.kind != contract.FramePong && !all {
			continue
		}
		s.leave(id, errSlow)
		s.flow.diverted = true
	}
}
