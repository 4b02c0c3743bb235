package conn_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// address is the remote address of an end of a pipe.
type address string

func (a address) Network() string { return "pipe" }
func (a address) String() string  { return string(a) }

// end is an end of a pipe with an address.
type end struct {
	net.Conn
	from address
}

func (e end) RemoteAddr() net.Addr { return e.from }

// pipes is a listener with connections in memory, for tests with fake time.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return address("here") }

// dial opens a connection of the client.
func (p *pipes) dial(client string) net.Conn {
	ours, theirs := net.Pipe()
	p.dialled <- end{theirs, address(client)}
	return ours
}

func one(remoteAddr string) netip.Prefix {
	p, _ := netip.ParsePrefix(remoteAddr + "/32")
	return p
}

// serve answers on pipes with the handler until the test ends.
func serve(t *testing.T, o *conn.Options, h http.HandlerFunc) (*pipes, *conn.Listener) {
	p := newPipes()
	l := conn.NewListener(p, o)
	s := &http.Server{Handler: h, ConnState: l.State}
	done := make(chan struct{})
	go func() { _ = s.Serve(l); close(done) }()
	t.Cleanup(func() { s.Close(); <-done })
	return p, l
}

// get sends a request and reads the answer. It returns an error if the answer is not as expected.
func get(c net.Conn) error {
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		return err
	}
	buf := make([]byte, 1024)
	n, err := c.Read(buf)
	if err == nil && !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 200 OK\r\n") {
		err = errors.New(string(buf[:n]))
	}
	return err
}

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

// alive reports whether a connection still answers.
func alive(c net.Conn) bool { return get(c) == nil }

// The oldest idle connection is closed: a connection of the client at its share, or else of the client with the
// most.
func TestOldestIdleIsEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := serve(t, &conn.Options{Max: 6, Share: 4, Client: one}, ok)
		var mine, others []net.Conn
		for i := range 4 {
			mine = append(mine, p.dial("1.1.1.1"))
			if err := get(mine[i]); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if !alive(mine[0]) { // and is used last now
			t.Fatal("the first connection does not answer")
		}
		synctest.Wait()
		fifth := p.dial("1.1.1.1")
		synctest.Wait()
		if alive(mine[1]) || !alive(mine[0]) || !alive(mine[2]) || !alive(fifth) {
			t.Error("not the connection that was idle for the longest time went")
		}
		for range 3 {
			others = append(others, p.dial("2.2.2.2"))
		}
		synctest.Wait()
		for i, c := range others {
			if !alive(c) {
				t.Errorf("connection %d of the other client went", i)
			}
		}
		if f := l.Stats(); f.Open != 6 || f.Evicted != 2 || f.Refused != 0 {
			t.Errorf("%+v", f)
		}
	})
}

// Busy connections are not closed: their client is refused beyond its share, and new connections wait while all
// are busy.
func TestBusyConnectionsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, l := serve(t, &conn.Options{Max: 3, Share: 2, Client: one}, func(w http.ResponseWriter, r *http.Request) { <-release })
		answered := make(chan error)
		busy := func(client string) {
			c := p.dial(client)
			go func() { answered <- get(c) }()
			synctest.Wait()
		}
		busy("1.1.1.1")
		busy("1.1.1.1")
		if _, err := p.dial("1.1.1.1").Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("beyond the share: %v", err)
		}
		busy("2.2.2.2")
		busy("3.3.3.3") // it has to wait
		if f := l.Stats(); f.Open != 3 || f.Refused != 1 {
			t.Errorf("%+v", f)
		}
		close(release)
		for range 4 {
			if err := <-answered; err != nil {
				t.Error(err)
			}
		}
	})
}

// A peer that represents many clients has no share.
func TestProxyHasNoShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := serve(t, &conn.Options{Max: 5, Share: 2, Client: func(string) netip.Prefix { return netip.Prefix{} }}, ok)
		for range 7 {
			if !alive(p.dial("1.1.1.1")) {
				t.Error("refused")
			}
		}
		synctest.Wait()
		if f := l.Stats(); f.Open != 5 || f.Evicted != 2 {
			t.Errorf("%+v", f)
		}
	})
}

// A waiting Accept ends with its listener.
func TestCloseWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		l := conn.NewListener(p, &conn.Options{Max: 1, Client: one})
		accepted := make(chan error)
		accept := func() {
			c, err := l.Accept()
			if err == nil {
				l.State(c, http.StateActive)
			}
			accepted <- err
		}
		go accept()
		p.dial("1.1.1.1")
		if err := <-accepted; err != nil {
			t.Fatal(err)
		}
		go accept()
		p.dial("2.2.2.2")
		synctest.Wait()
		l.Close()
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}
	})
}

// large answers with n bytes, in one piece or in small ones.
func large(n, piece int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for left := n; left > 0; left -= piece {
			if _, err := w.Write(make([]byte, min(left, piece))); err != nil {
				return
			}
		}
	}
}

// take reads up to this number of bytes at once and then waits, until the answer ends.
func take(c net.Conn, bytes int, wait time.Duration) (taken int, err error) {
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if err != nil {
		return 0, err
	}
	for {
		n, err := io.CopyN(io.Discard, c, int64(bytes))
		taken += int(n)
		if err != nil {
			return taken, err
		}
		time.Sleep(wait)
	}
}

// The server cuts off an answer if the client does not read 64 KiB in 30 seconds. Small pieces and slow reads
// do not matter. A client that reads in time gets the whole answer.
func TestPace(t *testing.T) {
	const size = 256 << 10
	pace := conn.MinRate{Bytes: 64 << 10, Time: 30 * time.Second}
	for _, tt := range []struct {
		name  string
		piece int // size of the pieces that the server writes
		bytes int // bytes that the client reads at once
		wait  time.Duration
		ends  bool
	}{
		{"slow enough, in one piece", size, 32 << 10, 14 * time.Second, false},
		{"slow enough, in small pieces", 1 << 10, 32 << 10, 14 * time.Second, false},
		{"too slow, in one piece", size, 32 << 10, 20 * time.Second, true},
		{"too slow, in small pieces", 1 << 10, 32 << 10, 20 * time.Second, true},
		{"a trickle", 1 << 10, 1, time.Second, true},
		{"never", size, 1, time.Hour, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, l := serve(t, &conn.Options{MinRate: pace}, large(size, tt.piece))
				taken, _ := take(p.dial("1.1.1.1"), tt.bytes, tt.wait)
				if ended := taken < size; ended != tt.ends || l.Stats().Stalled != map[bool]int64{true: 1}[tt.ends] {
					t.Errorf("%d bytes of %d were taken; %+v", taken, size, l.Stats())
				}
				synctest.Wait()
				if n := l.Stats().Open; n != 0 {
					t.Errorf("%d connections are open", n)
				}
			})
		})
	}
}

// Time in which the server has nothing to write does not count.
func TestPaceWhileNothingIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := serve(t, &conn.Options{MinRate: conn.MinRate{Bytes: 64 << 10, Time: 30 * time.Second}}, func(w http.ResponseWriter, _ *http.Request) {
			for range 20 {
				_, _ = w.Write([]byte("0123456789"))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Minute)
			}
		})
		c := p.dial("1.1.1.1")
		_, _ = io.WriteString(c, "GET / HTTP/1.0\r\nHost: a\r\n\r\n")
		all, err := io.ReadAll(c)
		if n := bytes.Count(all, []byte("0123456789")); n != 20 || err != nil {
			t.Errorf("%d of 20 pieces, %v", n, err)
		}
	})
}

// timedListener accepts sockets that report when a deadline for writing is set.
type timedListener struct {
	net.Listener
	deadlines chan time.Time
}

type timedConn struct {
	*net.TCPConn
	deadlines chan time.Time
}

func (l timedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return timedConn{c.(*net.TCPConn), l.deadlines}, nil
}

func (c timedConn) SetWriteDeadline(at time.Time) error {
	c.deadlines <- at
	return c.TCPConn.SetWriteDeadline(at)
}

// A write that waits for its client has a deadline, which ends with it: the next write can be much later. A write
// that does not wait has none.
func TestDeadlineEnds(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20 // more than the system accepts
	deadlines := make(chan time.Time, 2*size/(64<<10))
	l := conn.NewListener(timedListener{inner, deadlines}, &conn.Options{MinRate: conn.MinRate{Bytes: 64 << 10, Time: time.Minute}})
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := server.Write([]byte("short")); n != len("short") || err != nil || len(deadlines) > 0 {
		t.Errorf("%d bytes, %v, %d deadlines", n, err, len(deadlines))
	}
	written := make(chan error)
	go func() {
		_, err := server.Write(make([]byte, size))
		written <- err
	}()
	last := <-deadlines // the client reads nothing until the server waits
	if last.IsZero() {
		t.Error("a write that waits has no deadline")
	}
	if n, err := io.CopyN(io.Discard, client, size+int64(len("short"))); err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	for len(deadlines) > 0 {
		last = <-deadlines
	}
	if !last.IsZero() {
		t.Errorf("the deadline %v remains", last)
	}
}
