package front

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/slipstick/slipstick/host/internal/conns"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/web"
	"github.com/slipstick/slipstick/versions"
)

// work is the memory for one request. A connection has it only while a request is read or
// answered.
type work struct {
	in      [16 << 10]byte
	n       int // bytes in it that were read and not answered
	head    head
	request web.Calculation
	memory  web.Memory
}

var spare = sync.Pool{New: func() any { return new(work) }}

// conn is a connection on which the front reads.
type conn struct {
	*conns.Conn
	listener *Listener
	socket   syscall.RawConn
	fill     func(fd uintptr) bool // fillNow, made once

	work    *work // nil while nothing has been read
	readErr error

	idle    time.Time // since when the connection waits for a request
	between bool      // a request was answered, and less than atLeast bytes of the next have come

	// What is the same in most requests of a connection is made once.
	peer    string
	addr    netip.Addr // of the peer
	path    string
	pinText string
	pins    []versions.Pin
}

// newConn returns nil for a connection that is not a socket.
func newConn(l *Listener, bounded *conns.Conn) *conn {
	inner, ok := bounded.NetConn().(syscall.Conn)
	if !ok {
		return nil
	}
	socket, err := inner.SyscallConn()
	if err != nil {
		return nil
	}
	c := &conn{Conn: bounded, listener: l, socket: socket, peer: bounded.RemoteAddr().String()}
	c.addr = limit.Addr(c.peer)
	c.fill = c.fillNow
	return c
}

// serve answers the requests on the connection until it ends or is handed over.
func (c *conn) serve() {
	handed := false
	defer func() {
		if p := recover(); p != nil {
			c.listener.logPanic(c.peer, p)
		}
		c.listener.forget(c)
		if !handed {
			_ = c.Close()
		}
		c.listener.serving.Done()
	}()
	c.idle = time.Now()
	c.wait()
	for {
		v, err := c.next()
		if v == other && err == nil {
			handed = c.handOver()
		}
		if v == other || err != nil || !c.answer() {
			return
		}
	}
}

// next reads until there is a whole request, or something else.
func (c *conn) next() (verdict, error) {
	for hurried := false; ; {
		if v := c.look(); v != partial {
			return v, nil
		}
		begun := c.work != nil && !c.between
		if begun && !hurried {
			hurried = true
			c.SetBegun()
			_ = c.SetReadDeadline(time.Now().Add(wholeTimeout))
		}
		if c.listener.closing.Load() {
			return partial, net.ErrClosed // looked at after a deadline is set: Close sets another
		}
		err := c.read()
		late := errors.Is(err, os.ErrDeadlineExceeded)
		switch {
		case err == nil:
		case begun && (late || err == io.EOF):
			return other, nil
		case !late || !c.wait():
			return partial, err
		}
	}
}

// atLeast is how many bytes net/http waits for before it believes that a further request has
// begun. Among them it skips ends of lines, which some clients send behind a body.
const atLeast = 4

// look judges what was read.
func (c *conn) look() verdict {
	w := c.work
	if w == nil || c.between && w.n < atLeast {
		return partial
	}
	if c.between {
		c.between = false
		w.drop(atLeast - len(bytes.TrimLeft(w.in[:atLeast], "\r\n")))
	}
	v := w.head.read(w.in[:w.n], c.listener.start)
	if v == partial && (w.n == len(w.in) || w.head.size > len(w.in)) {
		return other
	}
	return v
}

// drop removes the first bytes of what was read.
func (w *work) drop(n int) { w.n = copy(w.in[:], w.in[n:w.n]) }

// wait gives a connection that waits for a request the rest of its time, and reports whether
// there is some left. Deadlines are set when another has passed, and not for every request.
func (c *conn) wait() bool {
	end := c.idle.Add(c.listener.server.ReadHeaderTimeout)
	if c.between {
		end = c.idle.Add(c.listener.server.IdleTimeout)
	}
	return time.Now().Before(end) && c.SetReadDeadline(end) == nil
}

// read reads what there is, and waits for it if there is nothing.
func (c *conn) read() error {
	c.readErr = nil
	err := c.socket.Read(c.fill)
	return cmp.Or(err, c.readErr)
}

// fillNow reads without waiting, and reports whether it could. Memory is taken only for what
// there is to read.
func (c *conn) fillNow(fd uintptr) bool {
	w := c.work
	if w == nil {
		w = spare.Get().(*work)
	}
	n, err := conns.ReceiveNow(fd, w.in[w.n:])
	if n > 0 {
		c.work, w.n = w, w.n+n
		return true
	}
	if c.work == nil {
		spare.Put(w)
	}
	if err == syscall.EAGAIN {
		return false
	}
	if err == nil {
		err = io.EOF
	}
	c.readErr = err
	return true
}

// answer answers the request that was read. It reports whether the connection goes on.
func (c *conn) answer() bool {
	c.SetIdle(false)
	w := c.work
	r := &w.request
	direct := c.listener.direct
	forwarded := unsafe.String(unsafe.SliceData(w.head.forwarded), len(w.head.forwarded)) // not kept by Client
	*r = web.Calculation{
		RequestID: w.head.requestID, Body: w.head.body, Gzip: w.head.gzip, Close: w.head.close,
		Peer: c.peer, Client: direct.Client(c.addr, forwarded), More: w.n > w.head.size, Ending: &c.listener.closing,
	}
	if string(w.head.path) != c.path {
		c.path = string(w.head.path)
	}
	r.Path, r.Capability = c.path, c.path[len(c.listener.start)-len("POST "):]
	if w.head.seen&pinned != 0 {
		if c.pins == nil || string(w.head.pin) != c.pinText {
			c.pinText = string(w.head.pin)
			c.pins = versions.Header([]string{c.pinText})
		}
		r.Pins = c.pins
	}
	text, last := direct.Answer(c.listener.ctx, r, &w.memory)
	c.idle, c.between = r.Answered, true
	waited, err := c.WriteAnswer(text, direct.Answers(), r.Client)
	if waited {
		c.idle = time.Now()
	}
	w.drop(w.head.size)
	if w.n == 0 {
		c.giveBack()
	}
	c.SetIdle(true)
	return err == nil && !last
}

// giveBack gives back the memory of the last request.
func (c *conn) giveBack() {
	w := c.work
	c.work, w.n, w.request, w.head = nil, 0, web.Calculation{}, head{}
	w.memory.Trim()
	spare.Put(w)
}

// handOver gives the connection to the http.Server, with what was read and not answered.
func (c *conn) handOver() bool {
	c.listener.forget(c) // before anything else, so that Close leaves it alone
	c.Unread(bytes.Clone(c.work.in[:c.work.n]))
	c.giveBack()
	return c.SetReadDeadline(time.Time{}) == nil && c.listener.pass(accepted{conn: c.Conn})
}
