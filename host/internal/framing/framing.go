// Package framing sees what net/http forgets: that a request came with a length and
// with chunks as well. Two servers in a row can read such a request in two ways, and
// take the rest of the one for another request (RFC 9112 section 6.1).
package framing

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
)

// Listener returns a listener whose connections are watched.
func Listener(l net.Listener) net.Listener { return &listener{l} }

type listener struct{ net.Listener }

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

type conn struct {
	net.Conn
	watch     watch
	ambiguous atomic.Bool
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.watch.see(b[:n]) {
		c.ambiguous.Store(true)
	}
	return n, err
}

type connKey struct{}

// ConnContext is for http.Server: it lets Ambiguous find the connection.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// Ambiguous reports whether a request on the connection of r had a length and chunks.
// It is false on connections that are not watched.
func Ambiguous(r *http.Request) bool {
	c, ok := r.Context().Value(connKey{}).(*conn)
	return ok && c.ambiguous.Load()
}

// maxLine is how much of a line is kept: more than the fields that matter need.
const maxLine = 256

// watch follows the requests of one connection. After a request in chunks it looks no
// further: that request is to be the last on its connection.
type watch struct {
	off           bool
	body          int64 // bytes of a body still to come
	line          []byte
	inside        bool // a header has begun
	length        int64
	sized, chunks bool
}

// see takes the next bytes, and reports whether they complete an ambiguous header.
func (w *watch) see(data []byte) (ambiguous bool) {
	for len(data) > 0 && !w.off {
		if w.body > 0 {
			n := min(w.body, int64(len(data)))
			w.body, data = w.body-n, data[n:]
			continue
		}
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			w.keep(data)
			return false
		}
		w.keep(data[:end])
		data = data[end+1:]
		if w.endLine() {
			return true
		}
	}
	return false
}

func (w *watch) keep(part []byte) {
	w.line = append(w.line, part[:min(len(part), maxLine-len(w.line))]...)
}

func (w *watch) endLine() (ambiguous bool) {
	line := bytes.TrimRight(w.line, "\r")
	w.line = w.line[:0]
	if len(line) == 0 {
		return w.inside && w.endHeader()
	}
	w.inside = true
	name, value, _ := bytes.Cut(line, []byte{':'})
	switch name = bytes.TrimSpace(name); {
	case bytes.EqualFold(name, contentLength):
		w.sized = true
		w.length, _ = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64) // what is none is refused by net/http
	case bytes.EqualFold(name, transferEncoding):
		w.chunks = true
	}
	return false
}

var (
	contentLength    = []byte("Content-Length")
	transferEncoding = []byte("Transfer-Encoding")
)

func (w *watch) endHeader() (ambiguous bool) {
	ambiguous = w.sized && w.chunks
	*w = watch{off: w.chunks, body: max(0, w.length), line: w.line}
	return ambiguous
}
