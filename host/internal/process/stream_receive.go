package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Bounds on stray frames, which answer no call. The receiver pauses after each of them, so
// that a flood costs the host almost nothing. More than mostStrays break the contract.
const (
	mostStrays = 64
	strayPause = 5 * time.Millisecond
)

// largeFrame is the error of a call whose answer was skipped because it is too large.
type largeFrame struct{ size, most int }

func (e *largeFrame) Error() string {
	return fmt.Sprintf("%v: answer of %d bytes where %d are enough", ErrContract, e.size, e.most)
}

func (e *largeFrame) Unwrap() error { return ErrContract }

// receive delivers every frame to the call that waits for it, until the stream ends. A
// violation of the contract ends the stream too.
func (s *stream) receive() {
	defer close(s.done)
	in := bufio.NewReaderSize(s.conn, contract.ReadBuffer)
	for {
		err := s.receiveFrame(in)
		if err == nil {
			continue
		}
		abused := errors.Is(err, ErrContract)
		if !abused {
			err = fmt.Errorf("%w: %w", ErrLost, err)
		}
		s.end(err)
		if abused {
			s.abused()
		}
		return
	}
}

// receiveFrame reads one frame. A large body gets memory only if a call waits for it, and at
// most as much as the answer to that call can need. The error ends the stream.
func (s *stream) receiveFrame(in *bufio.Reader) error {
	kind, size, err := contract.ReadHeader(in)
	if err != nil {
		return err
	}
	id, err := contract.PeekID(in, size)
	if err != nil {
		return err
	}
	if size > freeMessage {
		return s.receiveLarge(in, kind, id, size)
	}
	body, err := in.Peek(size)
	if err != nil {
		return err
	}
	_, _ = in.Discard(size) // cannot fail after Peek; body is valid until the next read
	w, asked, err := s.claim(kind, id)
	switch {
	case err != nil:
		return err
	case !asked:
		return s.stray()
	}
	s.noteReceived(in)
	switch {
	case w == nil:
	case size > w.most:
		w.reply <- reply{err: &largeFrame{size, w.most}}
	default:
		own := bodies.Get().(*frameBody)
		own.bytes = append(own.bytes[:0], body...)
		w.reply <- reply{body: own}
	}
	return nil
}

// receiveLarge reads a body of more than freeMessage bytes, for which it acquires memory from
// the share. A body that is too large, or for which there is no memory, is skipped and fails
// the call.
func (s *stream) receiveLarge(in *bufio.Reader, kind byte, id uint64, size int) error {
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
		_, err = io.ReadFull(in, r.body.bytes)
	} else {
		_, err = in.Discard(size)
	}
	if err == nil && !asked {
		return s.stray()
	}
	if err == nil {
		s.noteReceived(in)
	}
	if err != nil || !s.deliver(id, r) {
		s.releaseBody(r.body)
	}
	return err
}

// noteReceived records that the engine is alive. Among frames that arrived together it does
// so only for the last one, to save reading the clock.
func (s *stream) noteReceived(in *bufio.Reader) {
	if !contract.FrameReady(in) {
		s.received.Store(time.Now().UnixNano())
	}
}

// claim removes the call that a frame answers from those that wait, and returns it. It
// returns nil for an abandoned call. Asked reports whether there was such a call at all.
func (s *stream) claim(kind byte, id uint64) (w *waiter, asked bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, waits := s.waiting[id]
	switch {
	case waits && w.kind != kind:
		return nil, false, fmt.Errorf("%w: frame of kind %d answers call %d", ErrContract, kind, id)
	case !waits && !s.abandoned[id]:
		return nil, false, nil
	}
	s.slow = false
	delete(s.waiting, id)
	delete(s.abandoned, id)
	return w, true, nil
}

// expect returns how many bytes the answer to a call may have: 0 for an abandoned call. The
// call goes on waiting. Asked reports whether there was such a call at all.
func (s *stream) expect(kind byte, id uint64) (most int, asked bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, waits := s.waiting[id]
	switch {
	case waits && w.kind != kind:
		return 0, false, fmt.Errorf("%w: frame of kind %d answers call %d", ErrContract, kind, id)
	case waits:
		return w.most, true, nil
	}
	return 0, s.abandoned[id], nil
}

// deliver gives the reply to a call, and reports false if the call was abandoned meanwhile.
func (s *stream) deliver(id uint64, r reply) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = false
	w, waits := s.waiting[id]
	delete(s.waiting, id)
	delete(s.abandoned, id)
	if waits {
		w.reply <- r // does not block: a call gets one reply
	}
	return waits
}

// stray counts a frame that answers no call, and pauses. The error means that there were too
// many.
func (s *stream) stray() error {
	if s.strays++; s.strays > mostStrays {
		return fmt.Errorf("%w: %d frames that nobody asked for", ErrContract, s.strays)
	}
	time.Sleep(strayPause)
	return nil
}
