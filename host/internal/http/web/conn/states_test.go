package conn_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// waiting is a calculation that waits until the engines are released.
var waiting = post(path, `{"side":2,"count":0}`)

// ask sends a request and returns its answer.
func ask(t *testing.T, c net.Conn, request string) *http.Response {
	t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return readResponse(t, c)
}

func readResponse(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp
}

// ended reports whether the server has closed the connection.
func ended(c net.Conn) bool {
	n, err := c.Read(make([]byte, 1))
	var timeout net.Error
	return n == 0 && err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
}

// A server that shuts down answers the requests in progress, as the last of their connections. It closes the
// connections that wait.
func TestDrain(t *testing.T) {
	h := start(t, setup{front: true, hold: true})
	idle, fresh, busy := h.dial(t), h.dial(t), h.dial(t)
	if resp := ask(t, idle, post(path, good)); resp.StatusCode != 200 || resp.Close {
		t.Fatal(resp)
	}
	if _, err := io.WriteString(busy, waiting+post(path, good)); err != nil {
		t.Fatal(err)
	}
	<-h.engines.asked
	down := make(chan error, 1)
	go func() { down <- h.http.Shutdown(t.Context()) }()
	if !ended(idle) || !ended(fresh) {
		t.Error("a connection that waits was not closed")
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	answered := make(chan error, 1)
	go func() { answered <- h.front.Wait(t.Context()) }()
	close(h.engines.held)
	if resp := readResponse(t, busy); resp.StatusCode != 200 || !resp.Close {
		t.Errorf("%v", resp)
	}
	if !ended(busy) {
		t.Error("the connection goes on")
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", h.addr); err == nil {
		c.Close()
		t.Error("a connection was accepted")
	}
}

// Requests that do not end in time are cut off.
func TestDrainEnds(t *testing.T) {
	h := start(t, setup{front: true, hold: true})
	busy := h.dial(t)
	if _, err := io.WriteString(busy, waiting); err != nil {
		t.Fatal(err)
	}
	<-h.engines.asked
	if err := h.http.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.front.Wait(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !ended(busy) {
		t.Error("the connection goes on")
	}
	close(h.engines.held)
}

// A connection ends when its next request does not start in time, and not earlier.
func TestIdleConnections(t *testing.T) {
	h := start(t, setup{front: true, header: time.Millisecond})
	if c := h.dial(t); !ended(c) {
		t.Error("a connection without a request goes on")
	}
	h = start(t, setup{front: true, header: 400 * time.Millisecond, idle: 1200 * time.Millisecond})
	c := h.dial(t)
	for range 3 {
		if resp := ask(t, c, post(path, good)); resp.Close {
			t.Error("closed")
		}
	}
	if !ended(c) {
		t.Error("a connection that waits goes on")
	}
}

// Connections of the front count like all others: an idle connection can be evicted, and a busy one cannot.
func TestBounds(t *testing.T) {
	h := start(t, setup{front: true, hold: true, conns: conn.Options{Max: 2}})
	idle, busy := h.dial(t), h.dial(t)
	ask(t, idle, post(path, good))
	if _, err := io.WriteString(busy, waiting); err != nil {
		t.Fatal(err)
	}
	<-h.engines.asked
	ask(t, idle, post(path, good))
	if resp := ask(t, h.dial(t), post(path, good)); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
	if f := h.conns.Stats(); !ended(idle) || f.Open != 2 || f.Evicted != 1 {
		t.Errorf("%+v", f)
	}
	close(h.engines.held)
	if resp := readResponse(t, busy); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
}

// A client that does not read its answers holds no more than its share of the budget. Its other requests are
// refused in the meantime, and it is cut off after its timeout.
func TestUnreadAnswers(t *testing.T) {
	pace := conn.Options{MinRate: conn.MinRate{Bytes: 64 << 10, Time: 200 * time.Millisecond}}
	small := limit.NewBudget(1, 1, nil)
	for name, tt := range map[string]struct {
		answers *limit.Budget
		stalled int64
	}{"beyond the budget": {small, 0}, "too slow": {nil, 1}} {
		h := start(t, setup{front: true, answers: tt.answers, conns: pace})
		c := h.dial(t)
		requests := []byte(strings.Repeat(post(path, `{"side":2,"note":"`+strings.Repeat("n", 6000)+`"}`), 10))
		for err := error(nil); err == nil; {
			_, err = c.Write(requests)
		}
		if f := h.conns.Stats(); f.Stalled != tt.stalled || f.Open != 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	h := start(t, setup{front: true, answers: small})
	c := h.dial(t)
	if !small.TryAcquire(client(t, c), 1) {
		t.Fatal("the budget was not given back")
	}
	if resp := ask(t, c, post(path, good)); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Error(resp.Status)
	}
	small.Release(client(t, c), 1)
	if resp := ask(t, c, post(path, good)); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
}
