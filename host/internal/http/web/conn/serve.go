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

// work is the memory for one request. A connection has it only while a request is read or
// answered.
type work struct {
	in     [16 << 10]byte
	n      int // bytes in it that were read and not answered
	head   head
	memory web.Memory
}

var spare = sync.Pool{New: func() any { return new(work) }}

// frontConn is a connection on which the front reads.
type frontConn struct {
	*Conn
	listener *Front
	caller   *web.Caller

	work    *work     // nil while nothing has been read
	idle    time.Time // since when the connection waits for a request
	between bool      // a request was answered, and less than atLeast bytes of the next have come
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

// next reads until there is a whole request, or something else, or the connection ends: then
// what was read stays partial.
func (c *frontConn) next() verdict {
	for hurried := false; ; {
		if v := c.look(); v != partial {
			return v
		}
		begun := c.work != nil && !c.between
		if begun && !hurried {
			hurried = true
			c.SetBegun()
			_ = c.SetReadDeadline(time.Now().Add(wholeTimeout))
		}
		if c.listener.closing.Load() {
			return partial // looked at after a deadline is set: Close sets another
		}
		err := c.Receive(c)
		late := errors.Is(err, os.ErrDeadlineExceeded)
		switch {
		case err == nil:
		case begun && (late || err == io.EOF):
			return other
		case !late || !c.wait():
			return partial
		}
	}
}

// atLeast is how many bytes net/http waits for before it believes that a further request has
// begun. Among them it skips ends of lines, which some clients send behind a body.
const atLeast = 4

// look judges what was read.
func (c *frontConn) look() verdict {
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
		c.work = spare.Get().(*work)
	}
	return c.work.in[c.work.n:]
}

// Received implements [Memory].
func (c *frontConn) Received(n int) {
	c.work.n += n
	if c.work.n == 0 {
		c.giveBack()
	}
}

// answer answers the request that was read. It reports whether the connection goes on.
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
		c.giveBack()
	}
	c.SetIdle(true)
	return err == nil && !a.Last
}

// giveBack gives back the memory of the last request.
func (c *frontConn) giveBack() {
	w := c.work
	c.work, w.n, w.head = nil, 0, head{}
	w.memory.Trim()
	spare.Put(w)
}

// handOver gives the connection to the http.Server, with what was read and not answered.
func (c *frontConn) handOver() bool {
	c.listener.forget(c) // before anything else, so that Close leaves it alone
	c.Unread(bytes.Clone(c.work.in[:c.work.n]))
	c.giveBack()
	return c.SetReadDeadline(time.Time{}) == nil && c.listener.pass(accepted{conn: c.Conn})
}
