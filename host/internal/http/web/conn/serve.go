package conn

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// work is the memory for one request. A connection has it only while it reads or answers a request.
type work struct {
	in     [32 << 10]byte
	n      int // bytes in it that were read and not answered
	head   head
	memory web.Memory
}

var workPool = sync.Pool{New: func() any { return new(work) }}

// frontConn is a connection that the front reads.
type frontConn struct {
	*Conn
	listener *Front
	caller   *web.Caller

	work    *work     // nil while nothing has been read
	idle    time.Time // start of the wait for a request
	between bool      // a request was answered, and fewer than atLeast bytes of the next have come
}

// serve answers the requests on the connection until it ends or is handed over.
func (c *frontConn) serve() {
	handed := false
	defer func() {
		if p := recover(); p != nil {
			c.listener.server.ErrorLog.Printf("front: panic serving %s: %v", c.RemoteAddr(), p)
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
		switch c.next() {
		case whole:
			if c.answer() {
				continue
			}
		case other:
			handed = c.handOver()
		}
		return
	}
}

// next reads until there is a whole request or something else. If the connection ends first, it returns
// partial.
func (c *frontConn) next() verdict {
	for timed := false; ; {
		if v := c.parse(); v != partial {
			return v
		}
		started := c.work != nil && !c.between
		if started && !timed {
			timed = true
			c.SetStarted()
			_ = c.SetReadDeadline(time.Now().Add(wholeTimeout))
		}
		if c.listener.closing.Load() {
			return partial // checked after the deadline was set, because Close sets another deadline
		}
		err := c.Receive(c)
		late := errors.Is(err, os.ErrDeadlineExceeded)
		switch {
		case err == nil:
		case started && (late || err == io.EOF):
			return other
		case !late || !c.wait():
			return partial
		}
	}
}

// atLeast is the number of bytes after which net/http assumes that another request has started. They include
// line ends, which some clients send after a body, and which net/http skips.
const atLeast = 4

// parse judges the bytes that were read.
func (c *frontConn) parse() verdict {
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

// drop removes the first n bytes.
func (w *work) drop(n int) { w.n = copy(w.in[:], w.in[n:w.n]) }

// wait sets the deadline of a connection that waits for a request, and reports whether there is time left.
// Deadlines are set when another has passed, and not for every request.
func (c *frontConn) wait() bool {
	end := c.idle.Add(c.listener.server.ReadHeaderTimeout)
	if c.between {
		end = c.idle.Add(c.listener.server.IdleTimeout)
	}
	return time.Now().Before(end) && c.SetReadDeadline(end) == nil
}

// Take implements [Memory].
func (c *frontConn) Take() []byte {
	if c.work == nil {
		c.work = workPool.Get().(*work)
	}
	return c.work.in[c.work.n:]
}

// Received implements [Memory].
func (c *frontConn) Received(n int) {
	c.work.n += n
	if c.work.n == 0 {
		c.release()
	}
}

// answer answers the request that was read. It reports whether the connection continues.
func (c *frontConn) answer() bool {
	c.SetIdle(false)
	w, direct := c.work, c.listener.direct
	w.head.More = w.n > w.head.size
	a := direct.Answer(c.listener.ctx, c.caller, &w.head.Calculation, &w.memory)
	c.idle, c.between = a.Made, true
	waited, err := c.WriteAnswer(a.Text, direct.Answers(), a.Client)
	if waited {
		c.idle = time.Now()
	}
	w.drop(w.head.size)
	if w.n == 0 {
		c.release()
	}
	c.SetIdle(true)
	return err == nil && !a.Last
}

// release releases the memory of the last request.
func (c *frontConn) release() {
	w := c.work
	c.work, w.n, w.head = nil, 0, head{}
	w.memory.Trim()
	workPool.Put(w)
}

// handOver gives the connection to the http.Server, with the bytes that were read and not answered.
func (c *frontConn) handOver() bool {
	c.listener.forget(c) // first, so that Close does not touch the connection
	c.Unread(bytes.Clone(c.work.in[:c.work.n]))
	c.release()
	return c.SetReadDeadline(time.Time{}) == nil && c.listener.pass(accepted{conn: c.Conn})
}
