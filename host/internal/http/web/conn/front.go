// Package conn accepts and reads the connections of the HTTP server.
//
// A [Listener] limits the number of connections, and how slowly clients may read answers. A client is an IPv4
// address, or the /64 of an IPv6 address.
//
// A [Front] answers the requests that are most of the traffic. It reads a request of exactly the common shape
// with one read, [web.Direct] answers it, and one write sends the answer. Each connection has one goroutine,
// which holds no buffers while it waits. The Front hands all other requests to an http.Server on the same port,
// with all bytes that were read. The connection then stays there. So the Front does not have to handle anything
// unusual, such as slow clients.
//
// [Watch] protects the connections of the http.Server against request smuggling.
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
	start   string // start of the requests that the front answers
	handed  chan accepted
	closed  chan struct{}
	closing atomic.Bool
	serving sync.WaitGroup
	ctx     context.Context // context of all calculations
	cancel  context.CancelFunc

	mu   sync.Mutex
	open map[*frontConn]struct{} // connections that the front reads
}

// accepted is a result of Accept.
type accepted struct {
	conn net.Conn
	err  error
}

// NewFront returns a Front that answers on the connections of the listener, which must be sockets. The server
// accepts the other connections from it, and must have an ErrorLog. The first request of a connection must
// start within the server's ReadHeaderTimeout. Every other request must start within its IdleTimeout, which
// must be longer.
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

// Accept implements [net.Listener]. It returns the connections that the Front hands over.
func (l *Front) Accept() (net.Conn, error) {
	select {
	case a := <-l.handed:
		return a.conn, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// pass hands over a connection or an error. It returns false if the listener was closed.
func (l *Front) pass(a accepted) bool {
	select {
	case l.handed <- a:
		return true
	case <-l.closed:
		return false
	}
}

// acceptAll accepts connections until the listener is closed. The http.Server decides how long to pause after
// an error, because the next Accept waits for it.
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

// add registers a connection. It must be called before the connection checks whether the listener is closed.
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

// Close stops accepting, and closes the connections that wait for a request. Requests in progress are answered
// and are the last of their connections.
func (l *Front) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closing.Swap(true) {
		close(l.closed)
		for c := range l.open {
			_ = c.SetReadDeadline(time.Unix(1, 0)) // wakes the connection if it waits
		}
	}
	return l.Listener.Close()
}

// Wait waits after Close until the requests in progress are answered. If the context ends first, it closes
// their connections.
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
