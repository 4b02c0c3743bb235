package conn_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// ending is a server on sockets that can retire.
type ending struct {
	addr   string
	l      *conn.Listener
	ending atomic.Bool
	held   chan struct{} // requests for /held wait until it is closed
	asked  chan struct{} // receives from waiting requests
}

// listen returns a server that does not accept yet.
func listen(t *testing.T) *ending {
	t.Helper()
	var plain net.ListenConfig
	plain.SetMultipathTCP(false) // Multipath TCP accepts no filter
	inner, err := plain.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listenOn(t, inner)
}

// listenOn returns a server of the listener that does not accept yet.
func listenOn(t *testing.T, inner net.Listener) *ending {
	t.Helper()
	e := &ending{addr: inner.Addr().String(), held: make(chan struct{}), asked: make(chan struct{}, 1)}
	e.l = conn.NewListener(inner, &conn.Options{Ending: &e.ending})
	t.Cleanup(func() { e.l.Close() })
	return e
}

// serve starts to accept. Answers end their connection as soon as the server is ending.
func (e *ending) serve(t *testing.T) {
	t.Helper()
	s := &http.Server{ConnState: e.l.State, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			e.asked <- struct{}{}
			<-e.held
		}
		if e.ending.Load() {
			w.Header().Set("Connection", "close")
		}
		_, _ = io.WriteString(w, "answer")
	})}
	done := make(chan struct{})
	go func() { _ = s.Serve(e.l); close(done) }()
	t.Cleanup(func() { s.Close(); <-done })
}

func (e *ending) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", e.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return c
}

// retire retires the listener in the background.
func (e *ending) retire(ctx context.Context, grace time.Duration) <-chan error {
	e.ending.Store(true)
	retired := make(chan error, 1)
	go func() { retired <- e.l.Retire(ctx, grace) }()
	return retired
}

const getRoot = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// expect reads a complete answer, and then the orderly end of the connection.
func expect(t *testing.T, c net.Conn) {
	t.Helper()
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "answer" || !resp.Close {
		t.Errorf("%v: %q, %v", resp.Header, body, err)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("after the answer: %v", err)
	}
}

// Connections that the system has accepted are served, even if the server accepts them after it refuses new
// ones.
func TestRetireServesTheQueue(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("new connections can be turned away on Linux only")
	}
	e := listen(t)
	var queued []net.Conn
	for range 50 {
		c := e.dial(t)
		send(t, c, getRoot)
		queued = append(queued, c)
	}
	retired := e.retire(t.Context(), time.Millisecond)
	for { // until new connections are refused
		c, err := net.DialTimeout("tcp", e.addr, 50*time.Millisecond)
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		send(t, c, getRoot)
		queued = append(queued, c)
	}
	e.serve(t)
	for _, c := range queued {
		expect(t, c)
		c.Close()
	}
	if err := <-retired; err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", e.addr); err == nil {
		c.Close()
		t.Error("a connection was accepted")
	}
}

// Bytes that have arrived on an idle connection are answered, even if grace is short. Half a request keeps
// its connection open until the other half arrives.
func TestRetireAnswersWhatHasArrived(t *testing.T) {
	for name, first := range map[string]string{"an unused connection": "", "an idle connection": getRoot} {
		e := listen(t)
		e.serve(t)
		silent, late, half := e.dial(t), e.dial(t), e.dial(t)
		for _, c := range []net.Conn{silent, late, half} {
			send(t, c, first)
			if first != "" {
				if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		for e.l.Stats().Open < 3 {
			runtime.Gosched()
		}
		e.ending.Store(true)
		send(t, half, getRoot[:10])
		send(t, late, getRoot)
		retired := e.retire(t.Context(), 4*time.Millisecond)
		if name == "an idle connection" { // the others may have been closed earlier
			if _, err := silent.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("%s: %v", name, err)
			}
		}
		expect(t, late)
		late.Close()
		silent.Close()
		select {
		case err := <-retired:
			t.Fatalf("%s: %v before the other half has come", name, err)
		case <-time.After(20 * time.Millisecond):
		}
		send(t, half, getRoot[10:])
		expect(t, half)
		half.Close()
		if err := <-retired; err != nil {
			t.Error(err)
		}
	}
}

// A client can send on a connection at the same time as the server closes it. If its bytes arrived first, they
// are answered.
func TestRetireRace(t *testing.T) {
	const clients = 300
	e := listen(t)
	e.serve(t)
	type outcome struct{ sent, answered bool }
	outcomes := make(chan outcome, clients)
	for i := range clients {
		c := e.dial(t)
		send(t, c, getRoot)
		go func() {
			r := bufio.NewReader(c)
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				outcomes <- outcome{}
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			time.Sleep(time.Duration(i) * 100 * time.Microsecond) // around the time of closing
			_ = c.SetReadDeadline(time.Unix(1, 0))
			if _, err := r.Peek(1); err == io.EOF { // closed before anything was sent
				outcomes <- outcome{}
				return
			}
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			_, err = io.WriteString(c, getRoot)
			sent := err == nil
			resp, err = http.ReadResponse(r, nil)
			outcomes <- outcome{sent, err == nil && resp.StatusCode == http.StatusOK}
		}()
	}
	for e.l.Stats().Open < clients {
		runtime.Gosched()
	}
	retired := e.retire(t.Context(), 10*time.Millisecond)
	sent, answered := 0, 0
	for range clients {
		o := <-outcomes
		if o.sent {
			sent++
		}
		if o.answered {
			answered++
		}
	}
	t.Logf("%d of %d sent, %d answered", sent, clients, answered)
	if answered == 0 {
		t.Error("nothing was answered")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case err := <-retired:
		if err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Errorf("%+v", e.l.Stats())
	}
}

// unfiltered is a listener that cannot ignore new clients.
type unfiltered struct{ inner *net.TCPListener }

func (u unfiltered) Accept() (net.Conn, error)     { return u.inner.Accept() }
func (u unfiltered) Close() error                  { return u.inner.Close() }
func (u unfiltered) Addr() net.Addr                { return u.inner.Addr() }
func (u unfiltered) SetDeadline(t time.Time) error { return u.inner.SetDeadline(t) }

// If the system cannot ignore new clients, a server still ends while they continue to connect.
func TestRetireUnfiltered(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := listenOn(t, unfiltered{inner.(*net.TCPListener)})
	e.serve(t)
	over := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for {
				conn, err := net.Dial("tcp", e.addr)
				if err != nil {
					return // the listener is closed
				}
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				_, _ = io.ReadAll(conn)
				conn.Close()
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	e.ending.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.l.Retire(ctx, 10*time.Millisecond); err != nil {
		t.Error(err)
	}
	close(over)
	clients.Wait()
}

// Bytes that a client sends after the last request do not destroy the answer to it.
func TestRetireLingers(t *testing.T) {
	e := listen(t)
	e.serve(t)
	c := e.dial(t)
	send(t, c, strings.Replace(getRoot, "/", "/held", 1))
	<-e.asked
	retired := e.retire(t.Context(), time.Millisecond)
	send(t, c, strings.Repeat(getRoot, 1000)) // more than net/http reads before it answers
	close(e.held)
	expect(t, c)
	c.Close()
	if err := <-retired; err != nil {
		t.Error(err)
	}
}

// Retire stops with its context, and continues when it is called again.
func TestRetireContinues(t *testing.T) {
	e := listen(t)
	e.serve(t)
	c := e.dial(t)
	send(t, c, strings.Replace(getRoot, "/", "/held", 1))
	<-e.asked
	ctx, cancel := context.WithCancel(t.Context())
	retired := e.retire(ctx, time.Millisecond)
	cancel()
	if err := <-retired; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(e.held)
	expect(t, c)
	c.Close()
	if err := e.l.Retire(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
}
