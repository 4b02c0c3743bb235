package contestant

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Requests in any pieces have one answer each.
func TestSocket(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- ServeSocket(ctx, []byte("answer"), in) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	_, addr, found := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !found {
		t.Fatal(line, err)
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	post := "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
	all := post + "GET / HTTP/1.1\r\nHost: a\r\n\r\n" + post
	r := bufio.NewReader(c)
	for _, pieces := range [][]string{{all}, {all[:30], all[30:52], all[52:]}} {
		for _, piece := range pieces {
			if _, err := io.WriteString(c, piece); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); string(body) != "answer" || err != nil {
				t.Errorf("%q, %v", body, err)
			}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
