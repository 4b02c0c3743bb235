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

// stream is the host's end of an engine's stream. Calls are matched with outcomes by id.
//
// The engine computes them in turn. When the first of those that wait takes long, the
// others are told so, and so are those that come meanwhile: they go another way.
type stream struct {
	spec     *sdk.Spec
	answers  *answers
	needs    contract.Needs
	conn     net.Conn
	out      frameWriter
	received atomic.Int64  // when the engine last sent what it was asked for, Unix nanoseconds
	done     chan struct{} // closed when the stream has ended
	abused   func()        // called when the engine does not speak the contract
	strays   int           // frames that nobody asked for; the receiver's own

	mu        sync.Mutex
	lastID    uint64
	waiting   map[uint64]*waiter
	ended     error
	resting   bool            // the patrol waits to be woken
	oldest    uint64          // the first that waited when the patrol looked last
	slow      bool            // it waited still at the next look
	diverted  bool            // and was not alone
	abandoned map[uint64]bool // calls that nobody waits for any more, and the engine may still compute

	wake chan struct{}
}

// errSlow says that the engine is busy with another call.
var errSlow = errors.New("the stream is held by a long call")

// The patrol of a stream looks every so often, as long as there are calls.
const (
	patrolEvery = 20 * time.Millisecond
	patrolRest  = 50 // looks without a call, after which it waits to be woken
)

// waiter is a call that waits for its frame. That its caller has left, or its time is
// over, is found by the stream's patrol: asking the runtime to tell costs a call more.
type waiter struct {
	kind     byte // of the frame that answers it
	most     int  // bytes that the answer can need
	reply    chan reply
	ctx      context.Context
	deadline time.Time // zero: none beside that of the context
}

type reply struct {
	body *frameBody
	err  error
}

// frameBody is the message of a frame, in memory that others will use.
type frameBody struct {
	bytes []byte
	taken int64 // of the share
}

var (
	waiters = sync.Pool{New: func() any { return &waiter{reply: make(chan reply, 1)} }}
	bodies  = sync.Pool{New: func() any { return new(frameBody) }}
)

// newStream returns the stream of an engine with the Spec. What it sends takes the share's
// memory. Abused is called, once at most, when it does not speak the contract.
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

// ask sends one frame and returns the body of the frame that answers it, within the
// limit if there is one. An answer of more bytes than most is refused. The caller gives
// the body back by releaseBody.
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
			return nil, s.ended
		}
		return nil, errSlow
	}
	if s.resting {
		s.resting = false
		s.wake <- struct{}{} // there is room: it is taken before the next rest
	}
	s.lastID++
	id := s.lastID
	s.waiting[id] = w
	busy := len(s.waiting) > 1
	s.out.queueFrame(kind, func(b []byte) []byte { return frame(b, id) }) // in the order of ids
	s.mu.Unlock()
	if busy {
		runtime.Gosched() // others are about to queue theirs: one write for all
	}
	s.send()
	r := <-w.reply
	w.ctx = nil
	waiters.Put(w)
	return r.body, r.err
}

// patrol finds calls that wait in vain, until the stream ends.
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

// rest lets the next call wake the patrol, unless there is one already.
func (s *stream) rest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting = len(s.waiting) == 0
	return s.resting
}

// giveUp fails the calls whose caller has left or whose time is over, and those that
// stand behind a long one. It returns how many calls waited.
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
			// The answer to the first may stand behind the long call, which is another
			// then; and a ping can go another way at once.
			// Batches wait: row by row they would take longer than what they wait for.
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

// send sends what is queued.
func (s *stream) send() {
	if err := s.out.flush(); err != nil {
		s.end(err)
	}
}

// end ends the stream: every call that waits, or comes later, fails with err.
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

// idle reports whether no call waits.
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

// close ends the stream of an engine that has ended.
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

// releaseBody gives back the memory of a message.
func (s *stream) releaseBody(body *frameBody) {
	if body == nil {
		return
	}
	s.answers.share.releaseMessage(body.taken)
	if body.taken = 0; cap(body.bytes) <= freeMessage {
		bodies.Put(body)
	}
}

// pongNeed is how large the answer to a ping can be.
const pongNeed = 64

// ping returns nil when the engine answers before the context ends.
func (s *stream) ping(ctx context.Context) error {
	body, err := s.ask(ctx, 0, pongNeed, contract.FramePing, contract.FramePong, func(b []byte, id uint64) []byte { return contract.AppendID(b, id) })
	if err != nil {
		return err
	}
	s.releaseBody(body)
	return nil
}

// timeLeft is what a call may take, 0 for as long as it likes.
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
