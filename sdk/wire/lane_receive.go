package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// What an engine may send that nobody asked for. Each such frame holds the reader back,
// so that a flood of them costs the host nothing, and after so many it is no accident.
const (
	mostStrays = 64
	strayPause = 5 * time.Millisecond
)

// receive hands every frame to whoever waits for it, until the lane ends.
func (l *lane) receive() {
	defer close(l.done)
	in := bufio.NewReaderSize(l.conn, readBuffer)
	for {
		err := l.receiveFrame(in)
		if err == nil {
			continue
		}
		abused := errors.Is(err, ErrContract)
		if !abused {
			err = fmt.Errorf("%w: %w", ErrLost, err)
		}
		l.end(err)
		if abused {
			l.abused()
		}
		return
	}
}

// receiveFrame reads one frame. A large body gets memory only if a call waits for it, and
// no more than the answer to that call can need.
func (l *lane) receiveFrame(in *bufio.Reader) error {
	kind, size, err := readHeader(in)
	if err != nil {
		return err
	}
	id, err := peekID(in, size)
	if err != nil {
		return err
	}
	if size > freeMessage {
		return l.receiveLarge(in, kind, id, size)
	}
	body, err := in.Peek(size)
	if err != nil {
		return err
	}
	_, _ = in.Discard(size) // peeked: the bytes stay until the next read
	w, asked, err := l.claim(kind, id)
	switch {
	case err != nil:
		return err
	case !asked:
		return l.stray()
	}
	l.hear(in)
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

// receiveLarge reads a body that takes memory of the share.
func (l *lane) receiveLarge(in *bufio.Reader, kind byte, id uint64, size int) error {
	most, asked, err := l.expect(kind, id)
	if err != nil {
		return err
	}
	var r reply
	switch {
	case !asked:
	case size > most:
		r.err = &largeFrame{size, most}
	default:
		r.err = l.answers.share.takeMessage(context.Background(), int64(size))
	}
	if asked && r.err == nil {
		r.body = &frameBody{make([]byte, size), int64(size)}
		_, err = io.ReadFull(in, r.body.bytes)
	} else {
		_, err = in.Discard(size)
	}
	if err == nil && !asked {
		return l.stray()
	}
	if err == nil {
		l.hear(in)
	}
	if err != nil || !l.hand(id, r) {
		l.putBody(r.body)
	}
	return err
}

// hear notes that the engine is alive, once for all frames that came together.
func (l *lane) hear(in *bufio.Reader) {
	if !frameReady(in) {
		l.heard.Store(time.Now().UnixNano())
	}
}

// claim returns the call that the frame answers, which then waits no more: nil when its
// caller has left.
func (l *lane) claim(kind byte, id uint64) (w *waiter, asked bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, waits := l.waiting[id]
	switch {
	case waits && w.kind != kind:
		return nil, false, fmt.Errorf("%w: frame of kind %d answers call %d", ErrContract, kind, id)
	case !waits && !l.left[id]:
		return nil, false, nil
	}
	l.slow = false
	delete(l.waiting, id)
	delete(l.left, id)
	return w, true, nil
}

// expect returns how many bytes the answer to a call may have, which goes on waiting:
// none when its caller has left.
func (l *lane) expect(kind byte, id uint64) (most int, asked bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, waits := l.waiting[id]
	switch {
	case waits && w.kind != kind:
		return 0, false, fmt.Errorf("%w: frame of kind %d answers call %d", ErrContract, kind, id)
	case waits:
		return w.most, true, nil
	}
	return 0, l.left[id], nil
}

// hand gives the reply to the call, unless its caller has left meanwhile.
func (l *lane) hand(id uint64, r reply) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slow = false
	w, waits := l.waiting[id]
	delete(l.waiting, id)
	delete(l.left, id)
	if waits {
		w.reply <- r // there is room: a call has one reply
	}
	return waits
}

// stray counts a frame that nobody asked for.
func (l *lane) stray() error {
	if l.strays++; l.strays > mostStrays {
		return fmt.Errorf("%w: %d frames that nobody asked for", ErrContract, l.strays)
	}
	time.Sleep(strayPause)
	return nil
}
