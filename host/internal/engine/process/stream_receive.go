package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// strayPause is how long the receiver pauses after a stray frame, which answers no call, and for
// each freeMessage bytes of it. So a flood uses little CPU time of the server, and a call under way
// still gets its answer.
const strayPause = time.Millisecond

// largeFrame is the error of a call whose answer was skipped because it is too large.
type largeFrame struct{ size, most int }

func (e *largeFrame) Error() string {
	return fmt.Sprintf("%v: answer of %d bytes where %d are enough", ErrContract, e.size, e.most)
}

func (e *largeFrame) Unwrap() error { return ErrContract }

// frameHead is the header of a frame whose body has not been read completely. It survives a
// read deadline.
type frameHead struct {
	kind  byte
	size  int
	known bool
}

// receiveFrame reads one frame of at most freeMessage bytes. The reply to the call of the
// reader itself is returned; any other reply is delivered. After a read deadline it can be
// called again. Any other error ends the stream.
func (s *stream) receiveFrame(own *waiter) (got reply, mine bool, err error) {
	id, err := s.readHead()
	if err != nil {
		return got, false, err
	}
	if s.head.size > freeMessage {
		return got, false, errLarge
	}
	body, err := s.in.Peek(s.head.size)
	if err != nil {
		return got, false, err
	}
	_, _ = s.in.Discard(s.head.size) // cannot fail after Peek; body is valid until the next read
	s.head.known = false
	w, asked, err := s.claim(s.head.kind, id)
	switch {
	case err != nil:
		return got, false, err
	case !asked:
		s.stray(len(body))
		return got, false, nil
	}
	s.noteReceived()
	switch {
	case w == nil:
		return got, false, nil
	case len(body) > w.most:
		got.err = &largeFrame{len(body), w.most}
	default:
		got.body = bodies.Get().(*frameBody)
		got.body.bytes = append(got.body.bytes[:0], body...)
	}
	if w == own {
		return got, true, nil
	}
	w.reply <- got // does not block: a call gets one reply
	return got, false, nil
}

// errLarge is the error of receiveFrame when the body of the next frame is large.
var errLarge = errors.New("the next frame is large")

// readHead reads the header of the next frame, and returns the id of its message.
func (s *stream) readHead() (id uint64, err error) {
	if !s.head.known {
		kind, size, err := contract.ReadHeader(s.in)
		if err != nil {
			return 0, err
		}
		s.head = frameHead{kind, size, true}
	}
	return contract.PeekID(s.in, s.head.size)
}

// receiveLarge reads a body of more than freeMessage bytes, for which it acquires memory from
// the share. A large body gets memory only if a call waits for it, and at most as much as the
// answer to that call can need. A body that is too large, or for which there is no memory, is
// skipped and fails the call. The error ends the stream.
func (s *stream) receiveLarge() error {
	id, err := s.readHead()
	if err != nil {
		return err
	}
	kind, size := s.head.kind, s.head.size
	s.head.known = false
	most, asked, err := s.expect(kind, id)
	if err != nil {
		return err
	}
	var r reply
	switch {
	case !asked:
	case size > most:
		r.err = &largeFrame{size, most}
	default:
		r.err = s.answers.share.acquireMessage(context.Background(), int64(size))
	}
	if asked && r.err == nil {
		r.body = &frameBody{make([]byte, size), int64(size)}
		_, err = io.ReadFull(s.in, r.body.bytes)
	} else {
		_, err = s.in.Discard(size)
	}
	if err == nil && !asked {
		s.stray(size)
		return nil
	}
	if err == nil {
		s.noteReceived()
	}
	if err != nil || !s.deliver(kind, id, r) {
		s.releaseBody(r.body)
	}
	return err
}

// noteReceived records that the engine is alive. Among frames that arrived together it does
// so only for the last one, to save reading the clock.
func (s *stream) noteReceived() {
	if !contract.FrameReady(s.in) {
		s.received.Store(time.Now().UnixNano())
	}
}

// claim takes out of calls the one that a frame answers, and returns its waiter: nil if the
// caller has left. Asked reports whether there was such a call at all.
func (s *stream) claim(kind byte, id uint64) (w *waiter, asked bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, asked = s.calls[id]
	if w != nil && w.kind != kind {
		return nil, false, fmt.Errorf("%w: frame of kind %d answers call %d", ErrContract, kind, id)
	}
	if asked {
		s.flow.answered()
		delete(s.calls, id)
	}
	return w, asked, nil
}

// expect returns how many bytes the answer to a call may have: 0 if the caller has left. The call
// continues to wait. Asked reports whether there was such a call at all.
func (s *stream) expect(kind byte, id uint64) (most int, asked bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, asked := s.calls[id]
	switch {
	case w == nil:
		return 0, asked, nil
	case w.kind != kind:
		return 0, false, fmt.Errorf("%w: frame of kind %d answers call %d", ErrContract, kind, id)
	}
	return w.most, true, nil
}

// deliver gives the reply to a call. It reports false if the caller has left in the meantime. The
// kind is the kind of the call, which expect has checked.
func (s *stream) deliver(kind byte, id uint64, r reply) bool {
	w, _, _ := s.claim(kind, id)
	if w != nil {
		w.reply <- r // does not block: a call gets one reply
	}
	return w != nil
}

// stray records a frame that answers no call, and pauses.
func (s *stream) stray(size int) {
	s.strayed.CompareAndSwap(0, time.Now().UnixNano())
	time.Sleep(strayPause * time.Duration(1+size/freeMessage))
}
