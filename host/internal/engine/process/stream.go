package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// stream is the server's end of the stream socket to an engine. It matches outcomes with calls by
// id.
//
// The engine computes calls on the stream one after the other. If one call takes long, the stream
// is blocked: the calls after it and new calls fail with errSlow, and their callers use gRPC
// instead. They do so also if too many bytes wait for the engine.
//
// Every call in calls gets exactly one reply. It comes from the goroutine that reads its frame,
// from the watchdog if its time is over or the stream is blocked, or from end. The goroutine that
// takes the waiter out of calls, under the mutex, replies.
//
// One goroutine at a time reads; see turn.
type stream struct {
	spec     *sdk.Spec
	answers  *answers
	needs    contract.Needs
	conn     conn
	out      frameWriter
	received atomic.Int64                // time of the last answer to a call, Unix nanoseconds
	strayed  atomic.Int64                // time of the first frame that answers no call, Unix nanoseconds; 0: there was none
	done     chan struct{}               // closed when the resident has ended
	abused   func()                      // called if the engine breaks the contract
	runs     func(context.Context) error // asks the engine by gRPC whether it runs

	requestID func(context.Context) string // see Options; can be nil

	// Only the goroutine that has the turn uses these.
	in      *bufio.Reader
	head    frameHead // of the frame that is being read
	polling polling

	mu      sync.Mutex // guards what follows
	lastID  uint64
	calls   map[uint64]*waiter // calls that the engine has not answered, by id; nil if the caller has left
	ended   error              // why the stream has ended; nil while it is open
	turn    turn
	flow    flow
	watched bool          // by the watchdog
	wake    chan struct{} // wakes the resident, for its turn or because the stream has ended

	open context.Context // until the stream ends
	shut context.CancelFunc
}

// errSlow is the error of a call that must go by gRPC, because the engine is busy with
// other calls on the stream.
var errSlow = errors.New("the stream is busy")

// conn is the server's end of the socket.
type conn interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
}

// waiter is a call that waits for its frame. The watchdog detects that its context has ended or its
// time is over. A timer and a second channel for each call would cost more.
type waiter struct {
	kind     byte       // of the frame that answers the call
	frame    uint64     // number of the frame of the call
	most     int        // largest size of the answer, in bytes
	reply    chan reply // with a buffer of one, for the one reply
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

// newStream returns the stream over a connection. Large messages from the engine take memory
// from the share of a. Abused is called at most once, if the engine breaks the contract.
// Runs returns nil if the engine shows by gRPC that it runs.
func newStream(conn conn, a *answers, abused func(), runs func(context.Context) error) *stream {
	s := &stream{
		spec: a.spec, answers: a, needs: contract.NeedsOf(a.spec), abused: abused, runs: runs,
		conn: conn, in: bufio.NewReaderSize(conn, contract.ReadBuffer), done: make(chan struct{}),
		calls: map[uint64]*waiter{}, turn: turn{reader: resident}, wake: make(chan struct{}, 1),
	}
	s.open, s.shut = context.WithCancel(context.Background())
	s.out.conn = conn
	s.polling.start(conn)
	s.received.Store(time.Now().UnixNano())
	go s.reside()
	return s
}

// ask sends one frame and returns the body of the frame that answers it. A limit above zero bounds
// the wait. Kind is the kind of the frame to send, and answer the kind of the expected frame. Most
// is the largest size of the answer's body in bytes. The caller returns the body with releaseBody.
//
// The error is errSlow if the call must go by gRPC. Otherwise it wraps ErrLost, ErrContract or
// ErrBusy. Batches wait even on a blocked stream: row by row they would take longer. They get errSlow
// only if too many bytes wait for the engine.
func (s *stream) ask(ctx context.Context, limit time.Duration, most int, kind, answer byte, frame func(b []byte, id uint64) []byte) (*frameBody, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	underway.Add(1)
	defer underway.Add(-1)
	w := waiters.Get().(*waiter)
	w.kind, w.most, w.ctx, w.deadline = answer, most, ctx, time.Time{}
	if limit > 0 {
		w.deadline = time.Now().Add(limit)
	}
	s.mu.Lock()
	if s.ended != nil || s.flow.blocked && answer != contract.FrameBatchOutcome {
		defer s.mu.Unlock()
		if s.ended != nil {
			return nil, &unsent{s.ended}
		}
		return nil, errSlow
	}
	if !s.watched {
		s.watched = true
		streams.add(s)
	}
	id := s.lastID + 1
	w.frame = s.out.queueFrame(kind, func(b []byte) []byte { return frame(b, id) }) // under the lock, so in the order of ids
	if w.frame == 0 {
		s.mu.Unlock()
		return nil, errSlow
	}
	s.lastID = id
	s.calls[id] = w
	busy := len(s.calls) > 1
	reads := s.turn.take(w)
	s.mu.Unlock()
	if busy {
		runtime.Gosched() // lets other callers queue their frames, so that one write sends all
	}
	s.send()
	var r reply
	if reads {
		r = s.readFor(w)
	} else {
		r = <-w.reply
	}
	w.ctx = nil
	waiters.Put(w)
	return r.body, r.err
}

// send writes the queued frames for a caller. The caller leaves a long write to another goroutine,
// because it would get its own answer late. And while the reader of answers waits for the engine to
// read, the engine can wait for it.
func (s *stream) send() {
	more, err := s.out.flush()
	if more {
		go func() { s.endIf(s.out.finish()) }()
	}
	s.endIf(err)
}

func (s *stream) endIf(err error) {
	if err != nil {
		s.end(err)
	}
}

// end ends the stream. All calls that wait, and all later ones, fail with err. A call is unsent if
// the engine has received no byte of it. It reports false if the stream had ended before.
func (s *stream) end(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return false
	}
	s.ended = err
	sent := s.out.stop(err)
	for id, w := range s.calls {
		if w != nil && w.frame > sent {
			s.abandon(id, &unsent{err})
			continue
		}
		s.abandon(id, err)
	}
	s.conn.Close()
	s.shut()
	s.wakeResident()
	return true
}

// abandon gives a call the reply err, in place of an answer that may still arrive. The stream is
// locked.
func (s *stream) abandon(id uint64, err error) {
	w := s.calls[id]
	if w == nil {
		return
	}
	s.calls[id] = nil
	w.reply <- reply{err: err} // does not block: a call gets one reply
	s.turn.interrupt(w, s.conn)
}

// idle reports whether the engine has answered every call.
func (s *stream) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls) == 0
}

// over reports whether the stream has ended.
func (s *stream) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended != nil
}

// close ends the stream of an engine that has ended, and waits for the resident.
func (s *stream) close() {
	s.end(fmt.Errorf("%w: it was ended", ErrLost))
	<-s.done
}

func (s *stream) calculate(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error) {
	c := contract.Call{Timeout: timeLeft(ctx, limit), Trace: traceparent(ctx), Request: requestOf(ctx, s.requestID), Inputs: in}
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
	body.taken = 0
	if cap(body.bytes) <= freeMessage {
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
