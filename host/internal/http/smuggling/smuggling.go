// Package smuggling guards against request smuggling: does a request have a Content-Length and
// chunks as well? net/http drops the length. Two servers in a row can read such a request in
// different ways, and mistake a part of it for another request (RFC 9112 section 6.1).
//
// The package also lets the service word the answers to requests that net/http refuses before
// a handler is called.
package smuggling

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// Listener returns a listener whose connections are watched. What net/http refuses by
// itself is answered as refuse says; if that is nil, as net/http does.
func Listener(l net.Listener, refuse Refuse) net.Listener { return &listener{l, refuse} }

type listener struct {
	net.Listener
	refuse Refuse
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, refuse: l.refuse}, nil
}

type conn struct {
	net.Conn
	refuse    Refuse
	watch     watch
	ambiguous atomic.Bool
}

// NetConn returns the underlying connection.
func (c *conn) NetConn() net.Conn { return c.Conn }

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.watch.scan(b[:n]) {
		c.ambiguous.Store(true)
	}
	return n, err
}

type connKey struct{}

// ConnContext is for http.Server: it lets Ambiguous find the connection, also inside of
// connections that have a method NetConn.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	for {
		if watched, ok := c.(*conn); ok {
			return context.WithValue(ctx, connKey{}, watched)
		}
		outer, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return ctx
		}
		c = outer.NetConn()
	}
}

// Ambiguous reports whether a request on the connection of r had a length and chunks.
// It is false on connections that are not watched.
func Ambiguous(r *http.Request) bool {
	c, ok := r.Context().Value(connKey{}).(*conn)
	return ok && c.ambiguous.Load()
}
