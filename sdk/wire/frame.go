package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// laneFeature is how an engine announces that it serves the lane.
const laneFeature = "lane.v1"

// laneVariable is the environment variable that offers the lane to an engine.
const laneVariable = "SLIPSTICK_LANE"

// Kinds of frames; see engine.proto.
const (
	frameCall byte = iota + 1
	frameOutcome
	framePing
	framePong
	frameBatch
	frameBatchOutcome
)

const frameHeader = 5 // length and kind

// maxBatchFrame bounds a batch, and the answer to one.
const maxBatchFrame = 16 << 20

// frameReady reports whether the reader holds a whole frame.
func frameReady(r *bufio.Reader) bool {
	if r.Buffered() < frameHeader {
		return false
	}
	header, _ := r.Peek(frameHeader) // buffered
	return r.Buffered() >= 4+int(binary.BigEndian.Uint32(header))
}

// appendFrame appends one frame whose message body appends.
func appendFrame(b []byte, kind byte, body func([]byte) []byte) []byte {
	start := len(b)
	b = body(append(b, 0, 0, 0, 0, kind))
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

// readHeader reads what precedes the body of a frame.
func readHeader(r *bufio.Reader) (kind byte, size int, err error) {
	header, err := r.Peek(frameHeader)
	if err != nil {
		return 0, 0, err
	}
	kind = header[4]
	size = int(binary.BigEndian.Uint32(header)) - 1
	if size < 0 || size > maxBatchFrame {
		return kind, size, fmt.Errorf("%w: frame of kind %d with %d bytes", ErrContract, kind, size)
	}
	_, _ = r.Discard(frameHeader) // peeked
	return kind, size, nil
}

// idSize is how many bytes an id takes at most, with its tag.
const idSize = 11

// peekID returns the id of a message that is about to be read, which comes first.
func peekID(r *bufio.Reader, size int) (uint64, error) {
	head, err := r.Peek(min(size, idSize))
	if err != nil {
		return 0, err
	}
	field, kind, n := protowire.ConsumeTag(head)
	if n < 0 || field != callID || kind != protowire.VarintType {
		return 0, nil // no id is zero
	}
	id, n := protowire.ConsumeVarint(head[n:])
	if n < 0 {
		return 0, contractError(errEncoding)
	}
	return id, nil
}

// readFrame reads one frame, in the engine. The body is valid until the next read, if it
// fits the reader's buffer, and has memory of its own if it does not.
func readFrame(r *bufio.Reader) (kind byte, body []byte, err error) {
	kind, n, err := readHeader(r)
	if err != nil {
		return kind, nil, err
	}
	if n <= r.Size() {
		body, err = r.Peek(n)
		if err == nil {
			_, _ = r.Discard(n) // peeked: the bytes stay until the next read
		}
		return kind, body, err
	}
	body = make([]byte, n)
	_, err = io.ReadFull(r, body)
	return kind, body, err
}

// largeFrame is the error of a frame that was read over because of its size.
type largeFrame struct{ size, most int }

func (e *largeFrame) Error() string {
	return fmt.Sprintf("%v: answer of %d bytes where %d are enough", ErrContract, e.size, e.most)
}

func (e *largeFrame) Unwrap() error { return ErrContract }

const (
	readBuffer  = 64 << 10
	maxBacklog  = 4 << 20        // bytes that may wait for a reader that does not read
	writeBound  = time.Second    // a write that takes longer means that nobody reads
	renewBefore = writeBound / 2 // a write deadline is renewed when less than this is left
	keepBuffer  = 256 << 10      // larger buffers are given back
)

// frameWriter sends frames of many goroutines. Whoever finds no write under way
// writes, for all that queue up meanwhile too, so that an idle lane has no delay and
// a busy one sends many frames with one system call.
type frameWriter struct {
	conn net.Conn

	mu      sync.Mutex
	queue   []byte
	spare   []byte // the buffer that is not the queue
	writing bool
	failed  error

	deadline time.Time // of writes; the writer's own
}

// queueFrame queues a frame for the next flush. What is queued for a lane that has
// failed is lost, as flush says.
func (w *frameWriter) queueFrame(kind byte, body func([]byte) []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.failed != nil:
	case len(w.queue) > maxBacklog:
		w.failed = fmt.Errorf("%w: %d bytes wait for it to read", ErrLost, len(w.queue))
	default:
		w.queue = appendFrame(w.queue, kind, body)
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
		w.queue, w.spare = w.spare, nil
		w.mu.Unlock()
		err := w.write(out)
		w.mu.Lock()
		if cap(out) <= keepBuffer {
			w.spare = out[:0]
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
