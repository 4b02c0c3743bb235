package conn

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

const (
	// idleChecks is the number of consecutive checks that must find a connection idle before it is closed.
	idleChecks = 4
	// handshakeTime is how long handshakes in progress may take to finish. A client that starts one in this
	// time tries again after a second.
	handshakeTime = 100 * time.Millisecond
	// acceptRest is how long the accept queue of the system must be empty until Accept stops.
	acceptRest = 20 * time.Millisecond
	// lingerTime is how long a closing connection waits for the client to close its side, and drops what arrives.
	// The system resets a socket that is closed with unread bytes, and a reset can destroy the last answer.
	lingerTime = time.Second
)

// ends reports whether every answer is the last answer of its connection.
func (l *Listener) ends() bool { return l.options.Ending != nil && l.options.Ending.Load() }

// lingers reports whether closing connections wait for their clients.
func (l *Listener) lingers() bool {
	select {
	case <-l.done:
		return false
	default:
		return l.ends()
	}
}

// Retire ends the listener and its connections without losing a request that the system has accepted. It
// returns when all connections have ended, or with the error of the context. After an error it can be called
// again. Options.Ending must be true.
//
// New connections are refused, except connections that already wait to be accepted. Accept then blocks until
// Close, so that the server continues with its connections. Connections with a started request end after its
// answer. An idle connection stays open for the time grace: requests that arrive in this time are answered.
// It ends by closing the read side, so that the reader still gets all received bytes.
func (l *Listener) Retire(ctx context.Context, grace time.Duration) error {
	if !l.retiring.Swap(true) {
		l.refuseNew(grace)
	}
	checks := time.NewTicker(max(grace/idleChecks, time.Millisecond))
	defer checks.Stop()
	for !l.finished() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.empty:
		case <-checks.C:
			l.closeIdle()
		}
	}
	return nil
}

// refuseNew refuses new connections. Accept closes the listener when it has accepted the connections that the
// system already has.
func (l *Listener) refuseNew(grace time.Duration) {
	l.open.Store(ignoreNew(l.Listener) != nil) // if true, connections made while the listener closes are lost
	if timed, ok := l.Listener.(deadliner); !ok || timed.SetDeadline(time.Now().Add(min(grace, handshakeTime))) != nil {
		_ = l.Listener.Close()
	}
}

// deadliner is a listener with a deadline, such as a [net.TCPListener].
type deadliner interface{ SetDeadline(time.Time) error }

// retryAccept handles an error of accepting while the listener retires. It returns nil if Accept should try
// again. After a passed deadline, Accept has not asked the system, so one more try is needed. The same holds if
// this process was stopped for longer than acceptRest. If new clients can still connect, there is only one more
// try, because the queue may never become empty.
func (l *Listener) retryAccept(err error) error {
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
	l.notifyEmpty()
	l.mu.Unlock()
	<-l.done
	return net.ErrClosed
}

// finished reports whether all connections have ended and no more will come.
func (l *Listener) finished() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.allAccepted && l.count == 0
}

// notifyEmpty wakes Retire when all connections have ended. The caller holds the lock of the listener.
func (l *Listener) notifyEmpty() {
	if l.allAccepted && l.count == 0 {
		select {
		case l.empty <- struct{}{}:
		default:
		}
	}
}

// closeIdle ends connections that were idle at the last few checks.
func (l *Listener) closeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.clients {
		for e := k.order.Front(); e != nil; e = e.Next() {
			c := e.Value.(*Conn)
			if !c.idle || c.started.Load() || pending(c.Conn) {
				c.idleCount = 0
				continue
			}
			c.idleCount++
			if c.idleCount == idleChecks {
				c.closeRead()
			}
		}
	}
}

// closeRead lets the reader get the received bytes, and then the end of the input.
func (c *Conn) closeRead() {
	if half, ok := c.Conn.(interface{ CloseRead() error }); ok {
		_ = half.CloseRead()
		return
	}
	_ = c.SetReadDeadline(time.Unix(1, 0))
}

// SetStarted records that a part of a request was read without Read.
func (c *Conn) SetStarted() { c.started.Store(true) }

// linger waits until the client has closed its side too, and drops everything that it sends. Closing a
// connection with unread bytes makes the system reset it. A reset can destroy an answer that the client has not
// read yet.
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
