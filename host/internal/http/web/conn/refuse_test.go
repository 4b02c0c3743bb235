package conn_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// The service replaces the answers of net/http itself, and does not change the answers of handlers.
func TestRefuse(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "a handler")
	}))
	s.Listener = conn.Watch(s.Listener, func(status int, reason string) (http.Header, []byte) {
		return http.Header{"X-Refused": {"yes"}}, []byte(strconv.Itoa(status) + " " + reason)
	})
	s.Config.MaxHeaderBytes = 4096
	s.Start()
	defer s.Close()
	for _, tt := range []struct{ name, sent, want string }{
		{"handler", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "a handler"},
		{"escape", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "400 "},
		{"no host", "GET / HTTP/1.1\r\n\r\n", "400 missing required Host header"},
		{"large header", "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 20_000) + "\r\n\r\n", "431 "},
		{"encoding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501 "},
		{"expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}", "417 "},
		{"version", "GET / HTTP/3.0\r\nHost: a\r\n\r\n", "505 unsupported protocol version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, tt.sent); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || string(body) != tt.want || !resp.Close {
				t.Errorf("%d %v: %q, %v, want %q", resp.StatusCode, resp.Header, body, err, tt.want)
			}
			if ours := resp.Header.Get("X-Refused") == "yes"; ours != (tt.name != "handler") {
				t.Errorf("%v", resp.Header)
			}
		})
	}
}
