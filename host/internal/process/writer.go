package process

import (
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

const (
	maxBacklog  = 4 << 20        // bytes that may wait for an engine that does not read
	writeBound  = time.Second    // after that long a write fails, since the engine does not read
	renewBefore = writeBound / 2 // a write deadline is renewed if less than this is left
)

// frameWriter sends the frames of many goroutines over one connection. A goroutine that
// finds no write under way writes the queue, and also what other goroutines queue meanwhile.
// So an idle stream has no delay, and a busy one sends many frames with one system call.
type frameWriter struct {
	conn net.Conn

	mu      sync.Mutex
	queue   []byte
	free    []byte // second buffer, which becomes the queue while the first is written
	writing bool
	failed  error // why nothing can be sent any more

	deadline time.Time // of writes; only the goroutine that writes uses it
}

// queueFrame queues a frame for the next flush. After a failure it drops the frame, and flush
// returns the error.
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

// flush writes until the queue is empty, unless another goroutine is doing so already. The
// error wraps ErrLost.
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

// write writes b. Setting a deadline costs a little, so it is kept while enough time is left.
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
