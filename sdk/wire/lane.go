package wire

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
)

// lane is the host's end of an engine's lane. Calls are matched with outcomes by id.
//
// The engine computes them in turn. When the first of those that wait takes long, the
// others are told so, and so are those that come meanwhile: they go another way.
type lane struct {
	spec    *sdk.Spec
	answers *answers
	needs   needs
	conn    net.Conn
	out     frameWriter
	heard   atomic.Int64  // when the engine last sent what it was asked for, Unix nanoseconds
	done    chan struct{} // closed when the lane has ended
	abused  func()        // called when the engine does not speak the contract
	strays  int           // frames that nobody asked for; the receiver's own

	mu      sync.Mutex
	lastID  uint64
	waiting map[uint64]*waiter
	ended   error
	resting bool            // the patrol waits to be woken
	seen    uint64          // the first that waited when the patrol looked last
	slow    bool            // it waited still at the next look
	company bool            // and was not alone
	left    map[uint64]bool // calls that nobody waits for any more, and the engine may still compute

	wake chan struct{}
}

// errSlow says that the engine is busy with another call.
var errSlow = errors.New("the lane is held by a long call")

// The patrol of a lane looks every so often, as long as there are calls.
const (
	lanePatrolEvery = 20 * time.Millisecond
	lanePatrolRest  = 50 // looks without a call, after which it waits to be woken
)

// waiter is a call that waits for its frame. That its caller has left, or its time is
// over, is found by the lane's patrol: asking the runtime to tell costs a call more.
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

// newLane returns the lane of an engine with the Spec. What it sends takes the share's
// memory. Abused is called, once at most, when it does not speak the contract.
func newLane(conn net.Conn, a *answers, abused func()) *lane {
	l := &lane{
		spec: a.spec, answers: a, needs: needsOf(a.spec), abused: abused,
		conn: conn, done: make(chan struct{}), waiting: map[uint64]*waiter{}, left: map[uint64]bool{},
		resting: true, wake: make(chan struct{}, 1),
	}
	l.out.conn = conn
	l.heard.Store(time.Now().UnixNano())
	go l.receive()
	go l.patrol()
	return l
}

// ask sends one frame and returns the body of the frame that answers it, within the
// limit if there is one. An answer of more bytes than most is refused. The caller gives
// the body back by putBody.
func (l *lane) ask(ctx context.Context, limit time.Duration, most int, kind, answer byte, frame func(b []byte, id uint64) []byte) (*frameBody, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	w := waiters.Get().(*waiter)
	w.kind, w.most, w.ctx, w.deadline = answer, most, ctx, time.Time{}
	if limit > 0 {
		w.deadline = time.Now().Add(limit)
	}
	l.mu.Lock()
	if busy := l.slow || len(l.left) > 0; l.ended != nil || busy && answer != frameBatchOutcome {
		defer l.mu.Unlock()
		if l.ended != nil {
			return nil, l.ended
		}
		return nil, errSlow
	}
	if l.resting {
		l.resting = false
		l.wake <- struct{}{} // there is room: it is taken before the next rest
	}
	l.lastID++
	id := l.lastID
	l.waiting[id] = w
	busy := len(l.waiting) > 1
	l.out.queueFrame(kind, func(b []byte) []byte { return frame(b, id) }) // in the order of ids
	l.mu.Unlock()
	if busy {
		runtime.Gosched() // others are about to queue theirs: one write for all
	}
	l.send()
	r := <-w.reply
	w.ctx = nil
	waiters.Put(w)
	return r.body, r.err
}

// patrol finds calls that wait in vain, until the lane ends.
func (l *lane) patrol() {
	ticker := time.NewTicker(lanePatrolEvery)
	defer ticker.Stop()
	for idle := 0; ; {
		select {
		case <-l.done:
			return
		case now := <-ticker.C:
			if idle++; l.giveUp(now) > 0 {
				idle = 0
			}
		}
		if idle < lanePatrolRest || !l.rest() {
			continue
		}
		idle = 0
		ticker.Stop()
		select {
		case <-l.done:
			return
		case <-l.wake:
		}
		ticker.Reset(lanePatrolEvery)
	}
}

// rest lets the next call wake the patrol, unless there is one already.
func (l *lane) rest() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resting = len(l.waiting) == 0
	return l.resting
}

// giveUp fails the calls whose caller has left or whose time is over, and those that
// stand behind a long one. It returns how many calls waited.
func (l *lane) giveUp(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, first := len(l.waiting), uint64(math.MaxUint64)
	for id, w := range l.waiting {
		first = min(first, id)
		err := w.ctx.Err()
		if err == nil && (w.deadline.IsZero() || now.Before(w.deadline)) {
			continue
		}
		if err == nil {
			err = context.DeadlineExceeded
		}
		delete(l.waiting, id)
		l.left[id] = true
		w.reply <- reply{err: fmt.Errorf("%w: %w", ErrLost, err)}
	}
	wasSlow := l.slow
	if l.slow = waiting > 0 && first == l.seen; l.slow {
		for id, w := range l.waiting {
			// The answer to the first may stand behind the long call, which is another
			// then; and a ping can go another way at once.
			// Batches wait: row by row they would take longer than what they wait for.
			if w.kind == frameBatchOutcome || id == first && w.kind != framePong && !(wasSlow && l.company) {
				continue
			}
			delete(l.waiting, id)
			l.left[id] = true
			w.reply <- reply{err: errSlow}
			l.company = true
		}
	} else {
		l.company = false
	}
	l.seen = first
	return waiting
}

// send sends what is queued.
func (l *lane) send() {
	if err := l.out.flush(); err != nil {
		l.end(err)
	}
}

// end ends the lane: every call that waits, or comes later, fails with err.
func (l *lane) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return
	}
	l.ended = err
	for id, w := range l.waiting {
		w.reply <- reply{err: err}
		delete(l.waiting, id)
	}
	l.conn.Close()
}

// idle reports whether no call waits.
func (l *lane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) == 0
}

// over reports whether the lane has ended.
func (l *lane) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended != nil
}

// close ends the lane of an engine that has ended.
func (l *lane) close() {
	l.end(fmt.Errorf("%w: it was ended", ErrLost))
	<-l.done
}

func (l *lane) calculate(ctx context.Context, limit time.Duration, in sdk.Values) (sdk.Outcome, error) {
	timeout, trace := timeLeft(ctx, limit), traceparent(ctx)
	body, err := l.ask(ctx, limit, l.needs.call(in), frameCall, frameOutcome, func(b []byte, id uint64) []byte {
		return appendCall(b, id, timeout, trace, in)
	})
	if err != nil {
		return sdk.Outcome{}, err
	}
	defer l.putBody(body)
	return l.answers.outcome(ctx, body.bytes)
}

// putBody gives back the memory of a message.
func (l *lane) putBody(body *frameBody) {
	if body == nil {
		return
	}
	l.answers.share.giveMessage(body.taken)
	if body.taken = 0; cap(body.bytes) <= freeMessage {
		bodies.Put(body)
	}
}

// pongNeed is how large the answer to a ping can be.
const pongNeed = 64

// ping returns nil when the engine answers before the context ends.
func (l *lane) ping(ctx context.Context) error {
	body, err := l.ask(ctx, 0, pongNeed, framePing, framePong, func(b []byte, id uint64) []byte { return appendUint(b, callID, id) })
	if err != nil {
		return err
	}
	l.putBody(body)
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
