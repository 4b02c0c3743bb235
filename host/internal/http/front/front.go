// Package front answers the requests that are most of the traffic: which requests need no
// net/http, and how are they read from their connections?
//
// A request of exactly the common shape is read with one read, answered in place by
// [web.Direct], and written with one write. Its connection belongs to one goroutine, which
// keeps no buffers while it waits. Everything else, and any doubt, is handed to an http.Server
// on the same port, with all bytes that were read. The connection then stays there. So the
// front needs no opinion about anything unusual, such as slow clients: a request that has
// begun and is not whole soon afterwards is handed over as well.
package front

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/conns"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// wholeTimeout is how long the front waits for the rest of a request.
const wholeTimeout = 50 * time.Millisecond

// Listener answers what it can, and accepts the other connections for an http.Server.
type Listener struct {
	*conns.Listener
	direct  *web.Direct
	server  *http.Server
	start   string // of the requests that are answered
	handed  chan accepted
	closed  chan struct{}
	closing atomic.Bool
	serving sync.WaitGroup
	ctx     context.Context // of all calculations
	cancel  context.CancelFunc

	mu   sync.Mutex
	open map[*conn]struct{} // connections that are read here
}

// accepted is a result of Accept.
type accepted struct {
	conn net.Conn
	err  error
}

// Listen begins to answer on the connections of the listener, which are sockets, and returns the Listener for the
// server, which has an ErrorLog. The first request of a connection has to begin within the server's ReadHeaderTimeout,
// every other within its IdleTimeout, which must be longer.
func Listen(l *conns.Listener, direct *web.Direct, server *http.Server) *Listener {
	f := &Listener{
		Listener: l, direct: direct, server: server, start: "POST " + strings.TrimSuffix(direct.Pattern(), "{id}"),
		handed: make(chan accepted), closed: make(chan struct{}), open: map[*conn]struct{}{},
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.serving.Add(1)
	go f.acceptAll()
	return f
}

// Accept implements [net.Listener]. It returns the connections that are handed over.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case a := <-l.handed:
		return a.conn, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// pass hands a connection or an error over. It reports whether it was taken.
func (l *Listener) pass(a accepted) bool {
	select {
	case l.handed <- a:
		return true
	case <-l.closed:
		return false
	}
}

// acceptAll accepts connections until the listener is closed. The http.Server decides how
// long to pause after an error: the next Accept waits for it.
func (l *Listener) acceptAll() {
	defer l.serving.Done()
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			if !l.pass(accepted{err: err}) || errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		c := &conn{Conn: nc.(*conns.Conn), listener: l, caller: web.NewCaller(nc.RemoteAddr().String(), &l.closing)}
		l.add(c)
		go c.serve()
	}
}

// add comes before the connection looks whether the listener is closed.
func (l *Listener) add(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[c] = struct{}{}
	l.serving.Add(1)
}

func (l *Listener) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}

// Close accepts no more connections, and ends those that wait for a request. Requests under
// way are answered, as the last of their connections.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closing.Swap(true) {
		close(l.closed)
		for c := range l.open {
			_ = c.SetReadDeadline(time.Unix(1, 0)) // wakes it, if it waits
		}
	}
	return l.Listener.Close()
}

// Wait waits until the requests under way are answered, after Close. If the context ends
// first, their connections are closed.
func (l *Listener) Wait(ctx context.Context) error {
	defer l.cancel()
	answered := make(chan struct{})
	go func() {
		l.serving.Wait()
		close(answered)
	}()
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.Conn.Close()
	}
	return context.Cause(ctx)
}
