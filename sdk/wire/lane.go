package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/sdk"
)

// lane is the host's end of an engine's lane. Calls are matched with outcomes by id.
type lane struct {
	spec   *sdk.Spec
	conn   net.Conn
	out    frameWriter
	lastID atomic.Uint64
	heard  atomic.Int64  // when the engine last sent anything, Unix nanoseconds
	done   chan struct{} // closed when the lane has ended

	mu      sync.Mutex
	waiting map[uint64]*waiter
	ended   error
}

// waiter is a call that waits for its frame.
type waiter struct {
	kind  byte // of the frame that answers it
	reply chan reply
	late  *time.Timer
}

type reply struct {
	body *[]byte
	err  error
}

var (
	waiters = sync.Pool{New: newWaiter}
	bodies  = sync.Pool{New: func() any { return new([]byte) }}
)

func newWaiter() any {
	w := &waiter{reply: make(chan reply, 1), late: time.NewTimer(time.Hour)}
	w.late.Stop()
	return w
}

func newLane(conn net.Conn, spec *sdk.Spec) *lane {
	l := &lane{spec: spec, conn: conn, done: make(chan struct{}), waiting: map[uint64]*waiter{}}
	l.out.conn = conn
	l.heard.Store(time.Now().UnixNano())
	go l.receive()
	return l
}

// ask sends one frame and returns the body of the frame that answers it, within the
// limit if there is one. The caller gives the body back to bodies.
func (l *lane) ask(ctx context.Context, limit time.Duration, kind, answer byte, frame func(b []byte, id uint64) []byte) (*[]byte, error) {
	w := waiters.Get().(*waiter)
	w.kind = answer
	id := l.lastID.Add(1)
	l.mu.Lock()
	if l.ended != nil {
		defer l.mu.Unlock()
		return nil, l.ended
	}
	l.waiting[id] = w
	busy := len(l.waiting) > 1
	l.mu.Unlock()
	l.out.queueFrame(kind, func(b []byte) []byte { return frame(b, id) })
	if busy {
		runtime.Gosched() // others are about to queue theirs: one write for all
	}
	if err := l.out.flush(); err != nil {
		l.end(err)
	}
	if limit > 0 {
		w.late.Reset(limit)
		defer w.late.Stop()
	}
	select {
	case r := <-w.reply:
		waiters.Put(w)
		return r.body, r.err
	case <-w.late.C:
		l.leave(id, w)
		return nil, fmt.Errorf("%w: no answer in %s", ErrLost, limit)
	case <-ctx.Done():
		l.leave(id, w)
		return nil, fmt.Errorf("%w: %w", ErrLost, ctx.Err())
	}
}

// leave forgets a call and tells the engine.
func (l *lane) leave(id uint64, w *waiter) {
	l.mu.Lock()
	_, waits := l.waiting[id]
	delete(l.waiting, id)
	l.mu.Unlock()
	if !waits { // its reply is already there
		if r := <-w.reply; r.body != nil {
			bodies.Put(r.body)
		}
	}
	waiters.Put(w)
	l.out.queueFrame(frameLeave, func(b []byte) []byte { return appendUint(b, callID, id) })
	if err := l.out.flush(); err != nil {
		l.end(err)
	}
}

// receive hands every frame to whoever waits for it, until the lane ends.
func (l *lane) receive() {
	defer close(l.done)
	in := bufio.NewReaderSize(l.conn, readBuffer)
	for {
		kind, body, err := readFrame(in)
		if large, ok := errors.AsType[*largeFrame](err); ok {
			l.refuse(large)
			continue
		}
		if err != nil {
			if !errors.Is(err, ErrContract) {
				err = fmt.Errorf("%w: %w", ErrLost, err)
			}
			l.end(err)
			return
		}
		l.heard.Store(time.Now().UnixNano())
		if err := l.deliver(kind, body); err != nil {
			l.end(err)
			return
		}
	}
}

// deliver hands over one frame. One that nobody waits for is dropped: its caller has
// left.
func (l *lane) deliver(kind byte, body []byte) error {
	id, err := decodeID(body)
	if err != nil {
		return contractError(err)
	}
	l.mu.Lock()
	w, waits := l.waiting[id]
	if waits && w.kind != kind {
		l.mu.Unlock()
		return fmt.Errorf("%w: frame of kind %d answers call %d", ErrContract, kind, id)
	}
	delete(l.waiting, id)
	l.mu.Unlock()
	if waits {
		own := bodies.Get().(*[]byte)
		*own = append((*own)[:0], body...)
		w.reply <- reply{body: own}
	}
	return nil
}

// refuse fails the call whose answer was too large.
func (l *lane) refuse(large *largeFrame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w, waits := l.waiting[large.id]; waits {
		delete(l.waiting, large.id)
		w.reply <- reply{err: large}
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
	body, err := l.ask(ctx, limit, frameCall, frameOutcome, func(b []byte, id uint64) []byte {
		return appendCall(b, id, timeout, trace, in)
	})
	if err != nil {
		return sdk.Outcome{}, err
	}
	defer putBody(body)
	return decodeOutcome(*body, l.spec)
}

// putBody gives back the memory of a frame, unless it is large.
func putBody(body *[]byte) {
	if cap(*body) <= keepBuffer {
		bodies.Put(body)
	}
}

// ping returns nil when the engine answers before the context ends.
func (l *lane) ping(ctx context.Context) error {
	body, err := l.ask(ctx, 0, framePing, framePong, func(b []byte, id uint64) []byte { return appendUint(b, callID, id) })
	if err != nil {
		return err
	}
	putBody(body)
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
