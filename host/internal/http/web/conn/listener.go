package conn

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the options of a Listener. The zero value sets no limits.
type Options struct {
	Max   int // maximum number of connections; 0: no maximum
	Share int // maximum number of connections of one client; 0: no maximum

	// Client returns the client of a connection by its remote address. The zero Prefix is a peer that
	// represents many clients, such as a proxy, and has no share. If Client is nil, every peer is one.
	Client func(remoteAddr string) netip.Prefix

	MinRate MinRate // rate at which clients must read answers

	// Ending is true when every answer is the last answer of its connection. Closing a connection then waits
	// briefly for the client to close it too. Nil means never.
	Ending *atomic.Bool
}

// MinRate is how fast a client must read its answers: at least Bytes in each span of Time. Only the time in
// which the server waits for the client counts. The zero MinRate sets no limit.
type MinRate struct {
	Bytes int
	Time  time.Duration
}

// Listener accepts connections within the limits of its Options. If a client has reached its share, the
// Listener closes the client's connection that has been idle for the longest time. If the server has reached
// its maximum, it closes an idle connection of the client with the most connections. If there is no idle
// connection, it refuses a client beyond its share, and connections beyond the maximum wait.
//
// A connection is idle while no request on it has reached a handler.
//
// The http.Server must use the method State as its ConnState.
type Listener struct {
	net.Listener
	options Options

	mu      sync.Mutex
	changed sync.Cond     // a connection ended or became idle, or the listener was closed
	done    chan struct{} // closed with the listener
	closed  bool
	count   int
	clients map[netip.Prefix]*client
	stats   Stats

	retiring    atomic.Bool
	lastTry     bool          // used by Accept only; see retryAccept
	open        atomic.Bool   // true while retiring if new clients can still connect
	allAccepted bool          // no more connections will be accepted
	empty       chan struct{} // receives when all connections have ended; see notifyEmpty
}

// client is a client with open connections.
type client struct {
	id    netip.Prefix
	order list.List // of *Conn; the idle connections are ordered, longest idle first
	idle  int       // number of idle connections
}

// Stats counts connections by their outcome.
type Stats struct {
	Open    int   // open now
	Evicted int64 // closed while idle, in favor of another connection
	Refused int64 // refused beyond the share of their client
	Stalled int64 // closed because the client read too slowly
}

// NewListener returns a Listener that accepts connections from l.
func NewListener(l net.Listener, o *Options) *Listener {
	n := &Listener{Listener: l, clients: map[netip.Prefix]*client{}, done: make(chan struct{}), empty: make(chan struct{}, 1)}
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
		if err != nil && l.retiring.Load() {
			err = l.retryAccept(err)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		l.lastTry = l.lastTry && l.open.Load()
		if c := l.admit(inner); c != nil {
			return c, nil
		}
		_ = inner.Close()
	}
}

// Close implements [net.Listener].
func (l *Listener) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.done)
	}
	l.changed.Broadcast()
	retired := l.allAccepted
	l.mu.Unlock()
	if retired {
		return nil // Accept has closed it
	}
	return l.Listener.Close()
}

// Stats returns the current counts.
func (l *Listener) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.stats
	f.Open = l.count
	return f
}

// admit adds a connection, and evicts another if necessary. It returns nil if the connection is refused.
func (l *Listener) admit(inner net.Conn) *Conn {
	var id netip.Prefix
	if l.options.Client != nil {
		id = l.options.Client(inner.RemoteAddr().String())
	}
	c := &Conn{Conn: inner, listener: l, id: id}
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		from, space := l.findSpace(id)
		switch {
		case l.closed:
			return nil
		case space:
			l.add(c)
			return c
		case from != nil:
			l.evict(from)
		case l.shareTaken(id):
			l.stats.Refused++
			return nil
		default:
			l.changed.Wait()
		}
	}
}

// findSpace reports whether the client can have another connection. If not, from is the client that has to give up
// an idle connection, or nil if none is idle.
func (l *Listener) findSpace(id netip.Prefix) (from *client, space bool) {
	if l.shareTaken(id) {
		if k := l.clients[id]; k.idle > 0 {
			return k, false
		}
		return nil, false
	}
	if l.options.Max == 0 || l.count < l.options.Max {
		return nil, true
	}
	for _, k := range l.clients {
		if k.idle > 0 && (from == nil || k.order.Len() > from.order.Len()) {
			from = k
		}
	}
	return from, false
}

func (l *Listener) shareTaken(id netip.Prefix) bool {
	k := l.clients[id]
	return k != nil && id.IsValid() && l.options.Share > 0 && k.order.Len() >= l.options.Share
}

func (l *Listener) add(c *Conn) {
	k := l.clients[c.id]
	if k == nil {
		k = &client{id: c.id}
		l.clients[c.id] = k
	}
	l.count++
	k.idle++
	c.client, c.place, c.idle = k, k.order.PushBack(c), true
}

// evict closes the connection of the client that has been idle for the longest time.
func (l *Listener) evict(k *client) {
	place := k.order.Front()
	for !place.Value.(*Conn).idle {
		place = place.Next()
	}
	c := place.Value.(*Conn)
	l.forget(c)
	l.stats.Evicted++
	_ = c.Conn.Close()
}

// forget removes a connection from the counts. It has no effect the second time.
func (l *Listener) forget(c *Conn) {
	k := c.client
	if k == nil {
		return
	}
	if c.idle {
		k.idle--
	}
	k.order.Remove(c.place)
	c.client, c.place, c.idle = nil, nil, false
	l.count--
	if k.order.Len() == 0 {
		delete(l.clients, k.id)
	}
	l.notifyEmpty()
	l.changed.Broadcast()
}

// State records the state of a connection, as the http.Server reports it. The connection can be inside others
// with a method NetConn.
func (l *Listener) State(nc net.Conn, state http.ConnState) {
	c := inside(nc)
	if c == nil {
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

// inside returns the Conn in a connection, or nil if there is none.
func inside(nc net.Conn) *Conn {
	for {
		if c, ok := nc.(*Conn); ok {
			return c
		}
		outer, ok := nc.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		nc = outer.NetConn()
	}
}

func (l *Listener) setIdle(c *Conn, idle bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.client == nil || idle == c.idle {
		return
	}
	c.idle = idle
	c.started.Store(false)
	if !idle {
		c.client.idle--
		return
	}
	c.client.idle++
	c.client.order.MoveToBack(c.place)
	l.changed.Broadcast()
}
