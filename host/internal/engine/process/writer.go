package process

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

const (
	maxBacklog = 4 << 20     // bytes that may wait for an engine
	writeBound = time.Second // after that long a write fails, since the engine does not read
	quickWrite = 32 << 10    // bytes that a socket takes without waiting, if the engine has read all before
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

// flush writes until the queue is empty, unless another goroutine is doing so already. It writes at
// most that many bytes, and reports whether more wait. The error wraps ErrLost.
func (w *frameWriter) flush(most int) (more bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writing {
		return false, w.failed
	}
	w.writing = true
	for written := 0; len(w.queue) > 0 && w.failed == nil; {
		written += len(w.queue)
		if written > most {
			more = true
			break
		}
		out, before := w.queue, w.sent
		w.queue, w.free, w.sent = w.free, nil, w.queued
		w.mu.Unlock()
		n, err := w.conn.Write(out)
		w.mu.Lock()
		if err != nil && n == 0 {
			w.sent = before
		}
		if cap(out) <= contract.KeepBuffer {
			w.free = out[:0]
		}
		if err != nil {
			w.failed = fmt.Errorf("%w: %w", ErrLost, err)
		}
	}
	w.writing = false
	return more, w.failed
}
