package process

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// stream is the host's end of the stream socket to an engine. It matches outcomes with calls
// by id.
//
// The engine computes calls on the stream one after the other. If the oldest call takes
// long, the stream is slow: the calls that wait behind it and new calls fail with errSlow,
// and their callers use gRPC instead.
//
// Every call in waiting gets exactly one reply: from the receiver when its frame arrives,
// from the patrol when its time is over or the stream is slow, or from end. Whoever removes
// it from waiting, under the mutex, replies.
type stream struct {
	spec     *sdk.Spec
	answers  *answers
	needs    contract.Needs
	conn     net.Conn
	out      frameWriter
	received atomic.Int64  // time of the last answer to a call, Unix nanoseconds
	done     chan struct{} // closed when the receiver has ended
	abused   func()        // called if the engine breaks the contract
	strays   int           // number of frames that answer no call; only the receiver uses it

	mu        sync.Mutex // guards what follows
	lastID    uint64
	waiting   map[uint64]*waiter // calls without a reply, by id
	ended     error              // why the stream has ended; nil while it is open
	resting   bool               // the patrol sleeps until wake
	oldest    uint64             // smallest waiting id at the last look of the patrol
	slow      bool               // the oldest call was already waiting at the look before
	diverted  bool               // calls were sent to gRPC since the stream became slow
	abandoned map[uint64]bool    // calls that got another reply, but that the engine may still compute

	wake chan struct{}
}

// errSlow is the error of a call that must go by gRPC, because the engine is busy with
// another call on the stream.
var errSlow = errors.New("the stream is held by a long call")

// The patrol of a stream looks at regular intervals for as long as there are calls.
const (
	patrolEvery = 20 * time.Millisecond
	patrolRest  = 50 // looks without a call after which the patrol sleeps
)

// waiter is a call that waits for its frame. The patrol of the stream finds out that its
// context has ended or its time is over. A timer and a second channel for each call would
// cost more.
type waiter struct {
	kind     byte       // of the frame that answers the call
	most     int        // largest size of the answer, in bytes
	reply    chan reply // has room for the one reply
	ctx      context.Context
	deadline time.Time // zero if only the context has a deadline
}

type reply struct {
	body *frameBody
	err  error
}

// frameBody is the message of a frame. Its memory is reused after releaseBody.
type frameBody struct {
	bytes []byte
	taken int64 // bytes acquired from the share
}

var (
	waiters = sync.Pool{New: func() any { return &waiter{reply: make(chan reply, 1)} }}
	bodies  = sync.Pool{New: func() any { return new(frameBody) }}
)

// newStream returns the stream over a connection, and starts its receiver and its patrol.
// Large messages from the engine take memory from the share of a. Abused is called at most
// once, if the engine breaks the contract.
func newStream(conn net.Conn, a *answers, abused func()) *stream {
	s := &stream{
		spec: a.spec, answers: a, needs: contract.NeedsOf(a.spec), abused: abused,
		conn: conn, done: make(chan struct{}), waiting: map[uint64]*waiter{}, abandoned: map[uint64]bool{},
		resting: true, wake: make(chan struct{}, 1),
	}
	s.out.conn = conn
	s.received.Store(time.Now().UnixNano())
	go s.receive()
	go s.patrol()
	return s
}

// ask sends one frame and returns the body of the frame that answers it. A limit above zero
// bounds the wait. Kind is that of the frame to send, answer that of the expected frame, and
// most the largest size of its body in bytes. The caller returns the body with releaseBody.
//
// The error is errSlow if the call must go by gRPC. Otherwise it wraps ErrLost, ErrContract
// or ErrBusy. Batches wait even on a slow stream: row by row they would take longer.
func (s *stream) ask(ctx context.Context, limit time.Duration, most int, kind, answer byte, frame func(b []byte, id uint64) []byte) (*frameBody, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	w := waiters.Get().(*waiter)
	w.kind, w.most, w.ctx, w.deadline = answer, most, ctx, time.Time{}
	if limit > 0 {
		w.deadline = time.Now().Add(limit)
	}
	s.mu.Lock()
	if busy := s.slow || len(s.abandoned) > 0; s.ended != nil || busy && answer != contract.FrameBatchOutcome {
		defer s.mu.Unlock()
		if s.ended != nil {
			return nil, &unsent{s.ended}
		}
		return nil, errSlow
	}
	if s.resting {
		s.resting = false
		s.wake <- struct{}{} // does not block: the patrol receives it before it rests again
	}
	s.lastID++
	id := s.lastID
	s.waiting[id] = w
	busy := len(s.waiting) > 1
	s.out.queueFrame(kind, func(b []byte) []byte { return frame(b, id) }) // under the lock, so in the order of ids
	s.mu.Unlock()
	if busy {
		runtime.Gosched() // lets other callers queue their frames, so that one write sends all
	}
	s.send()
	r := <-w.reply
	w.ctx = nil
	waiters.Put(w)
	return r.body, r.err
}

// patrol looks for calls that need not wait any longer, until the stream ends. Without calls
// it sleeps, so that an idle engine costs no processor time.
func (s *stream) patrol() {
	ticker := time.NewTicker(patrolEvery)
	defer ticker.Stop()
	for idle := 0; ; {
		select {
		case <-s.done:
			return
		case now := <-ticker.C:
			if idle++; s.giveUp(now) > 0 {
				idle = 0
			}
		}
		if idle < patrolRest || !s.rest() {
			continue
		}
		idle = 0
		ticker.Stop()
		select {
		case <-s.done:
			return
		case <-s.wake:
		}
		ticker.Reset(patrolEvery)
	}
}

// rest prepares the patrol to sleep until the next call. It reports false if a call is
// already waiting.
func (s *stream) rest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting = len(s.waiting) == 0
	return s.resting
}

// giveUp is one look of the patrol. It fails the calls whose context has ended or whose time
// is over. If the stream is slow, it also diverts calls to gRPC. It returns how many calls
// were waiting.
func (s *stream) giveUp(now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting, first := len(s.waiting), uint64(math.MaxUint64)
	for id, w := range s.waiting {
		first = min(first, id)
		err := w.ctx.Err()
		if err == nil && (w.deadline.IsZero() || now.Before(w.deadline)) {
			continue
		}
		if err == nil {
			err = context.DeadlineExceeded
		}
		delete(s.waiting, id)
		s.abandoned[id] = true
		w.reply <- reply{err: fmt.Errorf("%w: %w", ErrLost, err)}
	}
	wasSlow := s.slow
	if s.slow = waiting > 0 && first == s.oldest; s.slow {
		for id, w := range s.waiting {
			// These go on waiting: batches, which would take longer row by row; and the
			// oldest call, which is probably the long one. But if calls were diverted at
			// an earlier look and the stream is still slow, the long calculation may be
			// one of those, so the oldest call is diverted too. A ping never waits.
			if w.kind == contract.FrameBatchOutcome || id == first && w.kind != contract.FramePong && !(wasSlow && s.diverted) {
				continue
			}
			delete(s.waiting, id)
			s.abandoned[id] = true
			w.reply <- reply{err: errSlow}
			s.diverted = true
		}
	} else {
		s.diverted = false
	}
	s.oldest = first
	return waiting
}

// send writes the queued frames. If that fails, the stream ends.
func (s *stream) send() {
	if err := s.out.flush(); err != nil {
		s.end(err)
	}
}

// end ends the stream. All calls that wait, and all later ones, fail with err.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return
	}
	s.ended = err
	for id, w := range s.waiting {
		w.reply <- reply{err: err}
		delete(s.waiting, id)
	}
	s.conn.Close()
}

// idle reports whether no call is waiting.
func (s *stream) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) == 0
}

// over reports whether the stream has ended.
func (s *stream) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended != nil
}

// close ends the stream of an engine that has ended, and waits for the receiver.
func (s *stream) close() {
	s.end(fmt.Errorf("%w: it was ended", ErrLost))
	<-s.done
}

func (s *stream) calculate(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error) {
	c := contract.Call{Timeout: timeLeft(ctx, limit), Trace: traceparent(ctx), Inputs: in}
	body, err := s.ask(ctx, limit, s.needs.Call(in), contract.FrameCall, contract.FrameOutcome, func(b []byte, id uint64) []byte {
		c.ID = id
		return contract.AppendCall(b, &c)
	})
	if err != nil {
		return sdk.Outcome{}, err
	}
	defer s.releaseBody(body)
	return s.answers.outcome(ctx, body.bytes)
}

// releaseBody returns the memory of a message. A nil body is allowed.
func (s *stream) releaseBody(body *frameBody) {
	if body == nil {
		return
	}
	s.answers.share.releaseMessage(body.taken)
	if body.taken = 0; cap(body.bytes) <= freeMessage {
		bodies.Put(body)
	}
}

// pongNeed is the largest size of the answer to a ping, in bytes.
const pongNeed = 64

// ping returns nil if the engine answers before the context ends. The error may be errSlow.
func (s *stream) ping(ctx context.Context) error {
	body, err := s.ask(ctx, 0, pongNeed, contract.FramePing, contract.FramePong, func(b []byte, id uint64) []byte { return contract.AppendID(b, id) })
	if err != nil {
		return err
	}
	s.releaseBody(body)
	return nil
}

// timeLeft returns the time that a call may take: the smaller of the limit and the time until
// the deadline of the context. 0 means that there is no bound.
func timeLeft(ctx context.Context, limit time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return limit
	}
	left := max(1, time.Until(deadline))
	if limit > 0 {
		return min(left, limit)
	}
	return left
}

// socketPair returns a connected pair: the host's end, and the engine's as a file.
func socketPair() (net.Conn, *os.File, error) {
	ours, theirs, err := socketFiles()
	if err != nil {
		return nil, nil, fmt.Errorf("socket pair: %w", err)
	}
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn, theirs, nil
}
