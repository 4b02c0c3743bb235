package process

import (
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

const (
	maxBacklog  = 4 << 20        // bytes that may wait for a reader that does not read
	writeBound  = time.Second    // a write that takes longer means that nobody reads
	renewBefore = writeBound / 2 // a write deadline is renewed when less than this is left
)

// frameWriter sends frames of many goroutines. Whoever finds no write under way
// writes, for all that queue up meanwhile too, so that an idle stream has no delay and
// a busy one sends many frames with one system call.
type frameWriter struct {
	conn net.Conn

	mu      sync.Mutex
	queue   []byte
	free    []byte // the buffer that is not the queue
	writing bool
	failed  error

	deadline time.Time // of writes; the writer's own
}

// queueFrame queues a frame for the next flush. What is queued for a stream that has
// failed is lost, as flush says.
func (w *frameWriter) queueFrame(kind byte, body func([]byte) []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.failed != nil:
	case len(w.queue) > maxBacklog:
		w.failed = fmt.Errorf("%w: %d bytes wait for it to read", ErrLost, len(w.queue))
	default:
		w.queue = contract.AppendFrame(w.queue, kind, body)
	}
}

// flush writes the queue until it is empty, unless another goroutine is at it.
func (w *frameWriter) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writing {
		return w.failed
	}
	w.writing = true
	for len(w.queue) > 0 && w.failed == nil {
		out := w.queue
		w.queue, w.free = w.free, nil
		w.mu.Unlock()
		err := w.write(out)
		w.mu.Lock()
		if cap(out) <= contract.KeepBuffer {
			w.free = out[:0]
		}
		if err != nil {
			w.failed = fmt.Errorf("%w: %w", ErrLost, err)
		}
	}
	w.writing = false
	return w.failed
}

func (w *frameWriter) write(b []byte) error {
	if now := time.Now(); w.deadline.Sub(now) < renewBefore {
		w.deadline = now.Add(writeBound)
		if err := w.conn.SetWriteDeadline(w.deadline); err != nil {
			return err
		}
	}
	_, err := w.conn.Write(b)
	return err
}
