package conn

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

const (
	// quietLooks is how often in a row a connection is found idle before it is closed.
	quietLooks = 4
	// handshakeTime is how long handshakes that have begun may take to finish. Whoever begins one
	// in this time tries again after a second.
	handshakeTime = 100 * time.Millisecond
	// acceptRest is how long the queue of the system must be empty until it is taken for empty.
	acceptRest = 20 * time.Millisecond
	// lingerTime is how long a connection that ends waits for the client to close its side.
	lingerTime = time.Second
)

// ends reports whether every answer is the last of its connection.
func (l *Listener) ends() bool { return l.options.Ending != nil && l.options.Ending.Load() }

// lingers reports whether connections that are closed wait for their clients.
func (l *Listener) lingers() bool {
	select {
	case <-l.done:
		return false
	default:
		return l.ends()
	}
}

// Retire ends the listener and its connections so that no request is lost that the system has
// accepted. It returns when all connections have ended, or the error of the context; then it
// may be called again. Options.Ending must be true.
//
// New connections are turned away; those that wait to be accepted still are. Accept then
// blocks until Close, so that a server goes on with what it has. Connections on which a
// request has begun end when that is answered. An idle connection stays for the time of the
// last call: what is received on it by then is answered. It ends by closing the side of
// reading, which leaves what was received before to the reader.
func (l *Listener) Retire(ctx context.Context, lastCall time.Duration) error {
	if !l.retiring.Swap(true) {
		l.turnAway(lastCall)
	}
	looks := time.NewTicker(max(lastCall/quietLooks, time.Millisecond))
	defer looks.Stop()
	for !l.over() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.empty:
		case <-looks.C:
			l.closeQuiet()
		}
	}
	return nil
}

// turnAway lets nobody connect any more. Accept closes the listener when it has accepted what
// the system has.
func (l *Listener) turnAway(lastCall time.Duration) {
	l.open.Store(ignoreNew(l.Listener) != nil) // connections made while it closes are lost then
	if timed, ok := l.Listener.(deadliner); !ok || timed.SetDeadline(time.Now().Add(min(lastCall, handshakeTime))) != nil {
		_ = l.Listener.Close()
	}
}

// deadliner is a listener that can stop to wait, such as a [net.TCPListener].
type deadliner interface{ SetDeadline(time.Time) error }

// afterLast decides what becomes of an error of accepting while the listener retires. It
// returns nil if there is to be another try: with a deadline that has passed, the system has
// not been asked. Nor has it in another try if this process was stopped for longer than acceptRest.
// Where new clients go on to connect there is only one other try: the queue may never be empty.
func (l *Listener) afterLast(err error) error {
	late := errors.Is(err, os.ErrDeadlineExceeded)
	switch {
	case late && (!l.lastTry || !l.open.Load() && queued(l.Listener)):
		l.lastTry = true
		return l.Listener.(deadliner).SetDeadline(time.Now().Add(acceptRest))
	case !late && !errors.Is(err, net.ErrClosed):
		return err // such as too many open files: the server tries again later
	}
	_ = l.Listener.Close()
	l.mu.Lock()
	l.allAccepted = true
	l.tell()
	l.mu.Unlock()
	<-l.done
	return net.ErrClosed
}

// over reports whether there are no connections, and will be none.
func (l *Listener) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.allAccepted && l.count == 0
}

// tell wakes Retire when everything has ended. The listener is locked.
func (l *Listener) tell() {
	if l.allAccepted && l.count == 0 {
		select {
		case l.empty <- struct{}{}:
		default:
		}
	}
}

// closeQuiet ends connections that were idle at the last few looks.
func (l *Listener) closeQuiet() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.clients {
		for e := k.order.Front(); e != nil; e = e.Next() {
			c := e.Value.(*Conn)
			if !c.idle || c.begun.Load() || pending(c.Conn) {
				c.quiet = 0
				continue
			}
			c.quiet++
			if c.quiet == quietLooks {
				c.closeRead()
			}
		}
	}
}

// closeRead lets the reader get what was received, and then the end of the input.
func (c *Conn) closeRead() {
	if half, ok := c.Conn.(interface{ CloseRead() error }); ok {
		_ = half.CloseRead()
		return
	}
	_ = c.SetReadDeadline(time.Unix(1, 0))
}

// SetBegun records that a part of a request was read past Read.
func (c *Conn) SetBegun() { c.begun.Store(true) }

// linger waits until the client has closed its side too, and drops what it sends. If the
// connection were closed with something unread, the system would reset it, and that may
// destroy an answer that the client has not read yet.
func (c *Conn) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	var dropped [4 << 10]byte
	for {
		if _, err := c.Conn.Read(dropped[:]); err != nil {
			return
		}
	}
}
