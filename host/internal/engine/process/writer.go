package process

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

const (
	maxBacklog = 4 << 20  // bytes that may wait for an engine
	quickWrite = 32 << 10 // bytes after which a caller does not write for others
)

// frameWriter sends the frames of many goroutines over one connection. A goroutine that finds no
// write under way writes the queue, and also some frames that other goroutines queue in the
// meantime. So an idle stream has no delay, and a busy one sends many frames with one system call.
type frameWriter struct {
	conn io.Writer

	mu      sync.Mutex
	queue   []byte
	free    []byte // second buffer, which becomes the queue while the first is written
	writing bool
	failed  error  // why nothing can be sent any more
	queued  uint64 // number of frames so far
	sent    uint64 // number of frames that the engine may have received, at least in part
}

// queueFrame queues a frame for the next flush, and returns its number, from 1. It returns 0 if too
// many bytes wait. After a failure it drops the frame, and flush returns the error.
func (w *frameWriter) queueFrame(kind byte, body func([]byte) []byte) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > maxBacklog {
		return 0
	}
	w.queued++
	if w.failed == nil {
		w.queue = contract.AppendFrame(w.queue, kind, body)
	}
	return w.queued
}

// stop prevents further writes, and returns how many frames the engine may have received.
func (w *frameWriter) stop(err error) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.failed = err
	}
	return w.sent
}

// flush writes the queue, unless another goroutine is doing so already. It does not wait for the
// engine to read, and ends after quickWrite bytes. If it reports that more wait, the caller must have
// finish write them. The error wraps ErrLost.
func (w *frameWriter) flush() (more bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writing {
		return false, w.failed
	}
	return w.write(true)
}

// finish writes after a flush that left something, until the queue is empty.
func (w *frameWriter) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.write(false)
	return err
}

// write writes the queue. The writer is locked, except during the writes.
func (w *frameWriter) write(quick bool) (more bool, err error) {
	w.writing = true
	write := w.conn.Write
	if c, ok := w.conn.(quickWriter); ok && quick {
		write = c.WriteNow
	}
	for written := 0; len(w.queue) > 0 && w.failed == nil && !more; {
		out, before := w.queue, w.sent
		w.queue, w.free, w.sent = w.free, nil, w.queued
		w.mu.Unlock()
		n, err := write(out)
		w.mu.Lock()
		written += n
		if n == 0 {
			w.sent = before
		}
		switch {
		case err != nil:
			w.failed = fmt.Errorf("%w: %w", ErrLost, err)
		case n < len(out):
			w.queue = slices.Concat(out[n:], w.queue)
			more = true
		default:
			more = quick && written >= quickWrite && len(w.queue) > 0
		}
		if cap(out) <= contract.KeepBuffer {
			w.free = out[:0]
		}
	}
	w.writing = more
	return more, w.failed
}

// quickWriter is a connection that can write without waiting.
type quickWriter interface {
	WriteNow([]byte) (int, error)
}
