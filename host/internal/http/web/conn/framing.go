package conn

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Watch returns a listener that watches its connections. It replaces refusals that net/http writes itself by
// the answers of refuse, unless refuse is nil.
func Watch(l net.Listener, refuse Refuse) net.Listener { return &watchedListener{l, refuse} }

type watchedListener struct {
	net.Listener
	refuse Refuse
}

func (l *watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: c, refuse: l.refuse}, nil
}

type watchedConn struct {
	net.Conn
	refuse    Refuse
	watch     watch
	ambiguous atomic.Bool
}

// NetConn returns the underlying connection.
func (c *watchedConn) NetConn() net.Conn { return c.Conn }

func (c *watchedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.watch.scan(b[:n]) {
		c.ambiguous.Store(true)
	}
	return n, err
}

// ConnContext is for http.Server: it lets [web.Ambiguous] find the connection, also inside connections with a
// method NetConn.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	for {
		if watched, ok := c.(*watchedConn); ok {
			return web.WithAmbiguous(ctx, &watched.ambiguous)
		}
		outer, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return ctx
		}
		c = outer.NetConn()
	}
}
