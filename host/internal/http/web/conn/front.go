// Package conn answers one question: how are the connections of an HTTP server accepted and
// read?
//
// A [Listener] bounds the connections, and how slowly clients may read answers. A client is an
// IPv4 address, or the /64 of an IPv6 address.
//
// A [Front] answers the requests that are most of the traffic. It reads a request of exactly the
// common shape with one read, [web.Direct] answers it, and one write sends the answer. One
// goroutine has the connection, and keeps no buffers while it waits. Everything else, and any
// doubt, goes to an http.Server on the same port, with all bytes that were read. The connection
// then stays there. So the front needs no opinion about anything unusual, such as slow clients.
//
// [Watch] guards against request smuggling on the connections of the http.Server.
package conn

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// wholeTimeout is how long the front waits for the rest of a request.
const wholeTimeout = 50 * time.Millisecond

// Front answers the requests that it can read, and accepts the other connections for an http.Server.
type Front struct {
	*Listener
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
	open map[*frontConn]struct{} // connections that are read here
}

// accepted is a result of Accept.
type accepted struct {
	conn net.Conn
	err  error
}

// NewFront returns a Front that answers on the connections of the listener, which are sockets. The server accepts
// the other connections from it, and has an ErrorLog. The first request of a connection has to begin within the server's ReadHeaderTimeout,
// every other within its IdleTimeout, which must be longer.
func NewFront(l *Listener, direct *web.Direct, server *http.Server) *Front {
	f := &Front{
		Listener: l, direct: direct, server: server, start: "POST " + strings.TrimSuffix(direct.Pattern(), "{id}"),
		handed: make(chan accepted), closed: make(chan struct{}), open: map[*frontConn]struct{}{},
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.serving.Add(1)
	go f.acceptAll()
	return f
}

// Accept implements [net.Listener]. It returns the connections that are handed over.
func (l *Front) Accept() (net.Conn, error) {
	select {
	case a := <-l.handed:
		return a.conn, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// pass hands a connection or an error over. It reports whether it was taken.
func (l *Front) pass(a accepted) bool {
	select {
	case l.handed <- a:
		return true
	case <-l.closed:
		return false
	}
}

// acceptAll accepts connections until the listener is closed. The http.Server decides how
// long to pause after an error: the next Accept waits for it.
func (l *Front) acceptAll() {
	defer l.serving.Done()
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			if !l.pass(accepted{err: err}) || errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		c := &frontConn{Conn: nc.(*Conn), listener: l, caller: web.NewCaller(nc.RemoteAddr().String(), &l.closing)}
		l.add(c)
		go c.serve()
	}
}

// add comes before the connection looks whether the listener is closed.
func (l *Front) add(c *frontConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[c] = struct{}{}
	l.serving.Add(1)
}

func (l *Front) forget(c *frontConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}

// Close accepts no more connections, and ends those that wait for a request. Requests under
// way are answered, as the last of their connections.
func (l *Front) Close() error {
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
func (l *Front) Wait(ctx context.Context) error {
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
