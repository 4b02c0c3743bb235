package conn_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// last reads this number of answers on a connection. Only the last answer ends the connection.
func last(t *testing.T, name string, c net.Conn, answers int) {
	t.Helper()
	r := bufio.NewReader(c)
	for i := range answers {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Errorf("%s: answer %d: %v", name, i, err)
			return
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 || resp.Close != (i == answers-1) {
			t.Errorf("%s: answer %d: %s, close %v, %v", name, i, resp.Status, resp.Close, err)
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("%s: after the answers: %v", name, err)
	}
	_ = c.Close()
}

// Before a server closes, every answer is the last answer of its connection. The front still answers pipelined
// requests that it has already received. Connections without a request stay open until the listener retires.
func TestLameDuck(t *testing.T) {
	var ending atomic.Bool
	h := start(t, setup{front: true, hold: true, conns: conn.Options{Ending: &ending}})
	dial := map[string]*net.TCPConn{}
	for _, name := range []string{"idle", "busy", "pipelined", "half", "page", "fresh"} {
		dial[name] = h.dial(t)
	}
	for _, name := range []string{"idle", "half"} {
		if resp := ask(t, dial[name], post(path, good)); resp.Close {
			t.Fatal("closed before the end")
		}
	}
	write := func(name, text string) {
		t.Helper()
		if _, err := io.WriteString(dial[name], text); err != nil {
			t.Fatal(err)
		}
	}
	write("busy", waiting)
	<-h.engines.asked
	get := "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
	if resp := ask(t, dial["page"], get); resp.Close {
		t.Fatal("closed before the end")
	}

	ending.Store(true)
	write("pipelined", strings.Repeat(post(path, good), 3))
	last(t, "pipelined", dial["pipelined"], 3)
	write("page", get)
	last(t, "page", dial["page"], 1)
	write("fresh", post(path, good))
	last(t, "fresh", dial["fresh"], 1)
	c := h.dial(t) // a new connection
	_, _ = io.WriteString(c, get)
	last(t, "new", c, 1)

	request := post(path, good)
	write("half", request[:len(request)-9])
	write("idle", request) // while the connection closes
	retired := make(chan error, 1)
	go func() { retired <- h.conns.Retire(t.Context(), 4*time.Millisecond) }()
	last(t, "idle", dial["idle"], 1)
	close(h.engines.held)
	last(t, "busy", dial["busy"], 1)
	select {
	case err := <-retired:
		t.Fatalf("%v before the rest of a request", err)
	case <-time.After(20 * time.Millisecond):
	}
	write("half", request[len(request)-9:])
	last(t, "half", dial["half"], 1)
	if err := <-retired; err != nil {
		t.Error(err)
	}
}
