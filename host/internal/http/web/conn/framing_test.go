package conn_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// answers sends bytes, a few at a time, and returns how the server read the requests on the connection: p(lain)
// or a(mbiguous).
func answers(t *testing.T, sent string, piece int) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		if web.Ambiguous(r) {
			_, _ = io.WriteString(w, "a")
		} else {
			_, _ = io.WriteString(w, "p")
		}
	}))
	s.Listener = conn.Watch(s.Listener, nil)
	s.Config.ConnContext = conn.ConnContext
	s.Start()
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		for len(sent) > 0 {
			n := min(piece, len(sent))
			if _, err := io.WriteString(c, sent[:n]); err != nil {
				return
			}
			sent = sent[n:]
		}
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	var all strings.Builder
	for r := bufio.NewReader(c); ; {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return all.String()
		}
		body, _ := io.ReadAll(resp.Body)
		all.Write(body)
	}
}

func TestAmbiguous(t *testing.T) {
	const (
		get     = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
		sized   = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 64\r\n\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n             \r\n"
		chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
		both    = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\ntransfer-ENCODING: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
		swapped = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX: " // and a long field
	)
	long := swapped + strings.Repeat("y", 5000) + "\r\nContent-Length: 4\r\n\r\n1\r\nx\r\n0\r\n\r\n"
	const skip = "Content-Length: 2000\r\n\r\n" // a body of 24 bytes that a wrong reader takes for a header
	length := func(value string) string {
		return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + value + "\r\n\r\n"
	}
	if n := strings.Index(sized, "\r\n\r\n") + 4; len(sized)-n != 64 {
		t.Fatalf("the body has %d bytes", len(sized)-n)
	}
	for _, tt := range []struct{ name, sent, want string }{
		{"plain", get + get, "pp"},
		{"a body that looks like a header", sized + get, "pp"},
		{"chunked", chunked + get, "p"},
		{"both", both + get, "a"},
		{"both, after others", get + sized + both, "ppa"},
		{"both, far apart", long, "a"},
		{"a length of many digits", length(strings.Repeat("0", 300)+"24") + skip + get + both, "ppa"},
		{"a folded length", length("\r\n 24") + skip + get + both, "ppa"},
		{"a length folded after spaces", length(" \r\n \r\n\t24 \r\n ") + skip + get + both, "ppa"},
		{"a length inside a folded field", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n Content-Length: 2000\r\n\r\n" + both, "pa"},
		{"chunks inside a folded field", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\tTransfer-Encoding: chunked\r\n\r\n" + get + both, "ppa"},
		{"a long name", "GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("N", 300) + ": 7\r\n\r\n" + both, "pa"},
		{"bare line feeds", "POST / HTTP/1.1\nHost: a\nContent-Length: 5\n\nabcde" + both, "pa"},
	} {
		for _, piece := range []int{1 << 20, 7, 1} {
			got := answers(t, tt.sent, piece)
			if n := len(tt.want) - 1; len(got) == len(tt.want) {
				got = strings.Repeat("p", n) + got[n:] // the requests that were read together with it may be refused too
			}
			if got != tt.want {
				t.Errorf("%s in pieces of %d: %s, want %s", tt.name, piece, got, tt.want)
			}
		}
	}
}
