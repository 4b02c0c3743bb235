// Package conns bounds what the clients of an HTTP server can make it hold: connections,
// answers that nobody takes, and any other amount that they share.
//
// A client is an IPv4 address, or the /64 of an IPv6 address.
package conns

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Options of a Listener. The zero value bounds nothing.
type Options struct {
	Max   int // connections at a time; 0: any number
	Share int // of them that one client may have; 0: any number

	// Client tells whose a connection is by its remote address. The zero Prefix is a peer
	// that speaks for many, such as a proxy: its share is everything. Nil: all are.
	Client func(remoteAddr string) netip.Prefix

	MinRate MinRate // at which answers have to be taken
}

// Pace is how fast a client has to take its answers: so many bytes in each span of time
// in which the server waits for the client. The zero Pace asks for nothing.
type MinRate struct {
	Bytes int
	Time  time.Duration
}

// Listener accepts connections within their bounds. When a client has its share, or the
// server all that it may have, the connection goes that has been idle for the longest
// time: of that client, or of the client with the most. A client whose share is all in
// use is refused; where the server's connections are all in use new ones wait.
//
// A connection is idle while no request on it has come as far as its handler.
//
// Its method State has to be the ConnState of the http.Server.
type Listener struct {
	net.Listener
	options Options

	mu      sync.Mutex
	changed sync.Cond // a connection ended or became idle, or the listener was closed
	closed  bool
	count   int
	clients map[netip.Prefix]*client
	figures Figures
}

// client is who has connections.
type client struct {
	id    netip.Prefix
	count int
	idle  list.List // of *Conn, idle for the longest time first
}

// Figures tell what became of connections.
type Figures struct {
	Open    int   // now
	Evicted int64 // ended while idle, for others
	Refused int64 // beyond the share of their client
	Stalled int64 // ended because nobody took an answer
}

// NewListener returns a Listener that accepts what l accepts.
func NewListener(l net.Listener, o *Options) *Listener {
	n := &Listener{Listener: l, clients: map[netip.Prefix]*client{}}
	if o != nil {
		n.options = *o
	}
	n.changed.L = &n.mu
	return n
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.admit(inner); c != nil {
			return c, nil
		}
		_ = inner.Close()
	}
}

// Close implements [net.Listener].
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// Figures returns the figures of now.
func (l *Listener) Figures() Figures {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.figures
	f.Open = l.count
	return f
}

// admit makes room for a connection, and returns nil if there is none for it.
func (l *Listener) admit(inner net.Conn) *Conn {
	var id netip.Prefix
	if l.options.Client != nil {
		id = l.options.Client(inner.RemoteAddr().String())
	}
	c := &Conn{Conn: inner, listener: l, id: id}
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		from, room := l.full(id)
		switch {
		case l.closed:
			return nil
		case room:
			l.add(c)
			return c
		case from != nil:
			l.evict(from)
		case l.shareTaken(id):
			l.figures.Refused++
			return nil
		default:
			l.changed.Wait()
		}
	}
}

// full reports whether there is room for a connection of the client. If not, from is
// whose idle connection goes, nil if no such connection is idle.
func (l *Listener) full(id netip.Prefix) (from *client, room bool) {
	if l.shareTaken(id) {
		if k := l.clients[id]; k.idle.Len() > 0 {
			return k, false
		}
		return nil, false
	}
	if l.options.Max == 0 || l.count < l.options.Max {
		return nil, true
	}
	for _, k := range l.clients {
		if k.idle.Len() > 0 && (from == nil || k.count > from.count) {
			from = k
		}
	}
	return from, false
}

func (l *Listener) shareTaken(id netip.Prefix) bool {
	k := l.clients[id]
	return k != nil && id.IsValid() && l.options.Share > 0 && k.count >= l.options.Share
}

func (l *Listener) add(c *Conn) {
	k := l.clients[c.id]
	if k == nil {
		k = &client{id: c.id}
		l.clients[c.id] = k
	}
	k.count++
	l.count++
	c.client = k
	c.idle = k.idle.PushBack(c)
}

// evict ends the connection of the client that has been idle for the longest time.
func (l *Listener) evict(k *client) {
	c := k.idle.Front().Value.(*Conn)
	l.forget(c)
	l.figures.Evicted++
	_ = c.Conn.Close()
}

// forget takes a connection out of the counts, once.
func (l *Listener) forget(c *Conn) {
	k := c.client
	if k == nil {
		return
	}
	if c.idle != nil {
		k.idle.Remove(c.idle)
	}
	c.client, c.idle = nil, nil
	k.count--
	l.count--
	if k.count == 0 {
		delete(l.clients, k.id)
	}
	l.changed.Broadcast()
}

// State is told by the http.Server what its connections do.
func (l *Listener) State(nc net.Conn, state http.ConnState) {
	c, ok := nc.(*Conn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive:
		c.fresh()
		l.setIdle(c, false)
	case http.StateIdle:
		l.setIdle(c, true)
	}
}

func (l *Listener) setIdle(c *Conn, idle bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case c.client == nil || idle == (c.idle != nil):
	case idle:
		c.idle = c.client.idle.PushBack(c)
		l.changed.Broadcast()
	default:
		c.client.idle.Remove(c.idle)
		c.idle = nil
	}
}
