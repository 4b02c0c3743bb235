package process

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// playFlow returns a stream that only the test checks.
func playFlow(t *testing.T, runs func(context.Context) error) *played {
	t.Helper()
	p := playStreamOf(t, runs)
	p.mu.Lock()
	p.watched = true
	p.mu.Unlock()
	t.Cleanup(func() { p.end(ErrLost) })
	return p
}

// ask makes a call that expects an answer of the kind, and returns its id and its error.
func (p *played) ask(t *testing.T, ctx context.Context, kind byte) (id uint64, answer chan error) {
	t.Helper()
	answer, ids := make(chan error, 1), make(chan uint64, 1)
	go func() {
		body, err := p.stream.ask(ctx, 0, pongNeed, contract.FrameCall, kind, func(b []byte, id uint64) []byte {
			ids <- id
			return contract.AppendID(b, id)
		})
		p.releaseBody(body)
		answer <- err
	}()
	if _, err := p.engine.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	return <-ids, answer
}

// checkTwice runs the watchdog until it can find that nothing was answered between two checks.
func (p *played) checkTwice() {
	for range 3 {
		p.check(time.Now())
	}
}

func (p *played) proving() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flow.proving
}

// An engine that answers on no connection gets no processor: its calls stay on the stream.
func TestStarvedEngine(t *testing.T) {
	asked := make(chan struct{}, 1)
	p := playFlow(t, func(ctx context.Context) error {
		asked <- struct{}{}
		return silent(ctx)
	})
	first, answer := p.ask(t, t.Context(), contract.FrameOutcome)
	p.checkTwice()
	<-asked
	second, answer2 := p.ask(t, t.Context(), contract.FrameOutcome)
	p.checkTwice()
	for id, answer := range map[uint64]chan error{first: answer, second: answer2} {
		p.send(t, contract.FrameOutcome, id, 0)
		if err := <-answer; err != nil {
			t.Errorf("call %d: %v", id, err)
		}
	}
}

// A server that gets no CPU time sees the answer late, but it sees it. The engine answered the call
// while it was asked whether it runs.
func TestStarvedHost(t *testing.T) {
	var p *played
	var id uint64
	answered := make(chan error, 1)
	p = playFlow(t, func(context.Context) error {
		if !p.idle() {
			p.send(t, contract.FrameOutcome, id, 0)
			answered <- nil
		}
		for !p.idle() {
			runtime.Gosched() // the answer is being read
		}
		return nil
	})
	id, answer := p.ask(t, t.Context(), contract.FrameOutcome)
	p.checkTwice()
	<-answered
	if err := <-answer; err != nil {
		t.Error(err)
	}
	for p.proving() {
		runtime.Gosched()
	}
	p.answersPing(t)
}

// An engine that runs, but does not answer on the stream, computes a long call. The calls after it
// and new calls are moved, until an answer comes. Batches wait, and so does the long call until it
// is known that others were moved in vain.
func TestBlockedStream(t *testing.T) {
	p := playFlow(t, func(context.Context) error { return nil })
	long, answer := p.ask(t, t.Context(), contract.FrameOutcome)
	_, batch := p.ask(t, t.Context(), contract.FrameBatchOutcome)
	_, second := p.ask(t, t.Context(), contract.FrameOutcome)
	p.check(time.Now())
	p.check(time.Now())
	if err := <-second; err != errSlow {
		t.Errorf("after the long call: %v", err)
	}
	if err := p.stream.ping(t.Context()); err != errSlow {
		t.Errorf("a ping: %v", err)
	}
	_, late := p.ask(t, t.Context(), contract.FrameBatchOutcome)
	if len(answer)+len(batch)+len(late) > 0 {
		t.Error("the long call or a batch was moved at once")
	}
	p.check(time.Now())
	if err := <-answer; err != errSlow {
		t.Errorf("the long call, at the next check: %v", err)
	}
	p.send(t, contract.FrameOutcome, long, 0) // late
	for p.isBlocked() {
		runtime.Gosched()
	}
	again, answer := p.ask(t, t.Context(), contract.FrameOutcome)
	p.send(t, contract.FrameOutcome, again, 0)
	if err := <-answer; err != nil || len(batch)+len(late) > 0 {
		t.Errorf("afterwards: %v", err)
	}
	p.end(ErrLost)
	for _, waits := range []chan error{batch, late} {
		if err := <-waits; !errors.Is(err, ErrLost) {
			t.Errorf("a batch at the end: %v", err)
		}
	}
}

// Half of an answer blocks the stream. The calls move to gRPC, and the process is unfit when the
// time of its call has been over for a while. When the answer is complete, it is fit again.
func TestHalfFrame(t *testing.T) {
	p := playFlow(t, func(context.Context) error { return nil })
	due := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), due)
	defer cancel()
	long, answer := p.ask(t, ctx, contract.FrameOutcome)
	_, second := p.ask(t, t.Context(), contract.FrameOutcome)
	frame := contract.AppendFrame(nil, contract.FrameOutcome, func(b []byte) []byte { return append(contract.AppendID(b, long), make([]byte, 20)...) })
	if _, err := p.engine.Write(frame[:len(frame)/2]); err != nil {
		t.Fatal(err)
	}
	p.check(time.Now())
	p.check(time.Now())
	for _, moved := range []chan error{second, answer} {
		if err := <-moved; err != errSlow {
			t.Errorf("a call: %v", err)
		}
		p.check(time.Now())
	}
	if err := p.unfit(due.Add(overdueTime - 1)); err != nil {
		t.Errorf("too early: %v", err)
	}
	if err := p.unfit(due.Add(overdueTime)); !errors.Is(err, ErrLost) {
		t.Errorf("afterwards: %v", err)
	}
	if _, err := p.engine.Write(frame[len(frame)/2:]); err != nil {
		t.Fatal(err)
	}
	for p.isBlocked() {
		runtime.Gosched()
	}
	if err := p.unfit(due.Add(overdueTime)); err != nil {
		t.Errorf("after the rest: %v", err)
	}
}

func (p *played) isBlocked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flow.blocked
}

// While there are no calls, the watchdog has no stream, and the resident notices the end at once.
func TestEndOfIdleStream(t *testing.T) {
	p := playFlow(t, silent)
	streams.add(p.stream) // as the first call does
	p.answersPing(t)
	p.checkTwice()
	p.mu.Lock()
	watched, reader := p.watched, p.turn.reader
	p.mu.Unlock()
	if watched || reader != resident {
		t.Errorf("watched %v, reader %v", watched, reader)
	}
	p.engine.Close()
	<-p.done
}
