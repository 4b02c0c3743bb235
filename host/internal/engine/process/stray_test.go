package process

import (
	"context"
	"errors"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// played is a stream whose engine is the test.
type played struct {
	*stream
	engine net.Conn
	abused chan struct{}
}

// silent is an engine that does not answer by gRPC.
func silent(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func playStream(t *testing.T) *played { return playStreamOf(t, silent) }

// playStreamOf returns a stream whose engine answers by gRPC as runs does.
func playStreamOf(t *testing.T, runs func(context.Context) error) *played {
	t.Helper()
	ours, theirs := net.Pipe()
	p := &played{engine: theirs, abused: make(chan struct{})}
	p.stream = newStream(ours, newAnswers(benchSpec()), func() { close(p.abused) }, runs)
	t.Cleanup(func() {
		theirs.Close()
		<-p.done
	})
	return p
}

func (p *played) send(t *testing.T, kind byte, id uint64, more int) {
	t.Helper()
	frame := contract.AppendFrame(nil, kind, func(b []byte) []byte { return append(contract.AppendID(b, id), make([]byte, more)...) })
	if _, err := p.engine.Write(frame); err != nil {
		t.Fatal(err)
	}
}

// ping asks and returns the id of the frame that came.
func (p *played) ping(t *testing.T, ctx context.Context) (id uint64, answer chan error) {
	t.Helper()
	answer = make(chan error, 1)
	go func() { answer <- p.stream.ping(ctx) }()
	frame := make([]byte, 100)
	n, err := p.engine.Read(frame)
	if err != nil {
		t.Fatal(err)
	}
	id, err = contract.DecodeID(frame[contract.FrameHeader:n])
	if err != nil {
		t.Fatal(err)
	}
	return id, answer
}

// strays is how many frames arrive that answer no call.
const strays = 100

func (p *played) answersPing(t *testing.T) {
	t.Helper()
	id, answer := p.ping(t, t.Context())
	p.send(t, contract.FramePong, id, 0)
	if err := <-answer; err != nil {
		t.Error(err)
	}
}

// Frames that answer no call are read over, and do not show that the engine is alive. A second
// after the first one the process is unfit, but it can still answer calls.
func TestStrays(t *testing.T) {
	for name, send := range map[string]func(p *played, i int){
		"outcomes": func(p *played, i int) { p.send(t, contract.FrameOutcome, uint64(1e6+i), 100) },
		"large":    func(p *played, i int) { p.send(t, contract.FrameBatchOutcome, uint64(1e6+i), freeMessage) },
		"without":  func(p *played, _ int) { p.send(t, contract.FrameOutcome, 0, 0) },
		"unknown":  func(p *played, i int) { p.send(t, 200, uint64(1e6+i), 10) },
	} {
		t.Run(name, func(t *testing.T) {
			p := playStream(t)
			p.answersPing(t)
			if err := p.unfit(time.Now().Add(time.Hour)); err != nil {
				t.Errorf("before: %v", err)
			}
			p.received.Store(1)
			for i := range strays {
				send(p, i)
			}
			if p.received.Load() != 1 {
				t.Error("a frame that answers no call counts as received")
			}
			p.answersPing(t)
			first := time.Unix(0, p.strayed.Load())
			if err := p.unfit(first.Add(strayTime - 1)); err != nil {
				t.Errorf("too early: %v", err)
			}
			if err := p.unfit(first.Add(strayTime)); !errors.Is(err, ErrContract) {
				t.Errorf("afterwards: %v", err)
			}
			p.answersPing(t)
		})
	}
}

// The answer to a call whose caller has left was asked for.
func TestLateAnswers(t *testing.T) {
	p := playStream(t)
	const callers = strays
	ctx, leave := context.WithCancel(t.Context())
	var ids [callers]uint64
	var answers [callers]chan error
	for i := range callers {
		ids[i], answers[i] = p.ping(t, ctx)
	}
	leave()
	for _, answer := range answers {
		if err := <-answer; err == nil {
			t.Fatal("a caller who left was answered")
		}
	}
	for _, id := range ids {
		p.send(t, contract.FramePong, id, 0)
	}
	for !p.idle() { // until the last one was read
		runtime.Gosched()
	}
	p.answersPing(t)
	if err := p.unfit(time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
}

// If a frame is announced and does not arrive, its call fails at the limit, and its memory is
// released.
func TestFrameDoesNotCome(t *testing.T) {
	p := playStream(t)
	rows := []value.Values{benchInputs(1)}
	asked := make(chan error, 1)
	go func() {
		_, err := p.calculateBatch(t.Context(), 50*time.Millisecond, rows)
		asked <- err
	}()
	if _, err := p.engine.Read(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.engine.Write([]byte{0, 2, 0, 1, contract.FrameBatchOutcome, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if err := <-asked; !errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
	p.engine.Close()
	<-p.done
	if share := p.stream.answers.share; !share.messages.bytes.TryAcquire(share.messages.size) {
		t.Error("memory is missing")
	}
}
