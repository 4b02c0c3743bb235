package conn

import (
	"container/list"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrStalled is the error of writing to a client that reads its answer too slowly.
var ErrStalled = errors.New("the client does not read its answer")

// Conn is a connection of a Listener.
type Conn struct {
	net.Conn
	listener *Listener
	id       netip.Prefix

	client    *client       // guarded by the listener; nil once the connection has ended
	place     *list.Element // guarded by the listener; place in client.order
	idle      bool          // guarded by the listener; false while a request is answered
	idleCount int           // guarded by the listener; number of idle checks in a row, see closeIdle
	started   atomic.Bool   // something was read since the connection became idle
	ending    atomic.Bool   // the connection is being closed

	unread []byte // bytes that Read returns first

	// State of Receive, WriteAnswer and Write. Only one of them is called at a time.
	socket     syscall.RawConn
	receive    func(fd uintptr) bool // receiveNow, created once
	in         Memory
	receiveErr error
	send       func(fd uintptr) bool // sendNow, created once
	out        []byte
	sent       int
	sendErr    error

	mu     sync.Mutex // serializes writing
	bytes  int        // written in the current span
	waited time.Duration
}

// NetConn returns the underlying connection.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Unread makes Read return these bytes first. The connection keeps the slice.
func (c *Conn) Unread(p []byte) { c.unread = p }

// Read implements [net.Conn].
func (c *Conn) Read(p []byte) (int, error) {
	if len(c.unread) == 0 {
		c.unread = nil
		n, err := c.Conn.Read(p)
		if n > 0 {
			c.started.Store(true)
		}
		return n, err
	}
	c.started.Store(true)
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// Close implements [net.Conn]. If every answer is the last answer of its connection, Close waits briefly for
// the client to close it too, unless the listener was closed.
func (c *Conn) Close() error {
	if !c.ending.Swap(true) && c.listener.lingers() {
		c.linger()
	}
	return c.closeNow()
}

func (c *Conn) closeNow() error {
	c.listener.mu.Lock()
	c.listener.forget(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// Write implements [net.Conn]. If the client reads more slowly than the minimum rate, Write closes the
// connection and returns an error.
func (c *Conn) Write(p []byte) (written int, err error) {
	pace := c.listener.options.MinRate
	if pace.Bytes <= 0 || pace.Time <= 0 {
		return c.Conn.Write(p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(p) > 0 {
		n, err := c.writePiece(p, pace)
		written += n
		if err != nil {
			return written, err
		}
		p = p[n:]
	}
	return written, nil
}

// writePiece writes what the system accepts immediately. If that is nothing, it waits, and writes at most the
// bytes that are still required in the current span.
func (c *Conn) writePiece(p []byte, pace MinRate) (n int, err error) {
	n, err = c.writeNow(p)
	if n == 0 && err == nil {
		n, err = c.writeWaiting(p[:min(len(p), pace.Bytes-c.bytes)], pace)
	}
	c.bytes += n
	if c.bytes >= pace.Bytes {
		c.bytes, c.waited = c.bytes%pace.Bytes, 0
	}
	return n, err
}

// writeWaiting waits until the system accepts the bytes. Only this time counts, because the server computes
// between two writes.
func (c *Conn) writeWaiting(p []byte, pace MinRate) (int, error) {
	start := time.Now()
	if err := c.Conn.SetWriteDeadline(start.Add(pace.Time - c.waited)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.waited += time.Since(start)
	switch {
	case err == nil:
		err = c.Conn.SetWriteDeadline(time.Time{}) // writeNow fails after a deadline
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.stall()
		err = ErrStalled
	}
	return n, err
}

// SetIdle records whether the connection waits for a request or answers one. A server that is not an
// http.Server calls it instead of [Listener.State].
func (c *Conn) SetIdle(idle bool) { c.listener.setIdle(c, idle) }

// fresh starts a new span for the next answer.
func (c *Conn) fresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes, c.waited = 0, 0
}

// stall counts a stalled answer and closes the connection.
func (c *Conn) stall() {
	c.listener.mu.Lock()
	c.listener.stats.Stalled++
	c.listener.mu.Unlock()
	_ = c.closeNow()
}
