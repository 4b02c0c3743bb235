package conn_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// exchange sends a request and reads its answer of known size, without allocating.
func exchange(t testing.TB, c net.Conn, request, answer []byte) {
	if _, err := c.Write(request); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, answer); err != nil {
		t.Fatal(err)
	}
}

// first returns a connection and the memory for answers to the request.
func first(t testing.TB, h *testServer, request string) (c net.Conn, answer []byte) {
	c = h.dial(t)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	var head bytes.Buffer
	resp, err := http.ReadResponse(bufio.NewReader(io.TeeReader(c, &head)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return c, make([]byte, head.Len())
}

// BenchmarkExchange measures a request over a real connection for a cached calculation, with and without
// limits.
func BenchmarkExchange(b *testing.B) {
	for _, s := range []struct {
		name string
		setup
	}{{"front", setup{front: true}}, {"net-http", setup{}}, {"front-limits", setup{front: true, limits: "calc=60"}}, {"net-http-limits", setup{limits: "calc=60"}}} {
		b.Run(s.name, func(b *testing.B) {
			s.cache, s.quiet = 1<<20, true
			h := start(b, s.setup)
			request := []byte(post(path, good))
			c, answer := first(b, h, string(request))
			b.ReportAllocs()
			for b.Loop() {
				*h.clock += limit.Window // every call is the first of its window, so all answers have the same size
				exchange(b, c, request, answer)
			}
		})
	}
}

// BenchmarkProxied measures limits for connections of a proxy with the calls of 4,000 clients.
func BenchmarkProxied(b *testing.B) {
	for _, limits := range []string{"calc=0", "calc=10000"} {
		b.Run(limits, func(b *testing.B) {
			h := start(b, setup{front: true, limits: limits, proxied: true, cache: 1 << 20, quiet: true})
			var requests [4000][]byte
			for i := range requests {
				requests[i] = []byte(from(fmt.Sprintf("203.0.%d.%d", i/250, i%250)))
			}
			c, answer := h.dial(b), make([]byte, 4096)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := c.Write(requests[i%len(requests)]); err != nil {
					b.Fatal(err)
				}
				if _, err := c.Read(answer); err != nil { // the server writes an answer in one piece
					b.Fatal(err)
				}
				*h.clock += time.Millisecond
			}
		})
	}
}

// A request to the front allocates little in addition to the calculation, which allocates 4 objects when its
// result is cached.
func TestAllocations(t *testing.T) {
	h := start(t, setup{front: true, cache: 1 << 20, quiet: true})
	request := []byte(post(path, good))
	c, answer := first(t, h, string(request))
	exchange(t, c, request, answer)
	if n := testing.AllocsPerRun(500, func() { exchange(t, c, request, answer) }); n > 7 {
		t.Errorf("%v allocations", n)
	}
}

// A proxy and limits cause no allocations.
func TestProxyAllocations(t *testing.T) {
	count := func(s setup, request string) float64 {
		s.front, s.cache, s.quiet = true, 1<<20, true
		h := start(t, s)
		c, answer := first(t, h, request)
		return testing.AllocsPerRun(500, func() { exchange(t, c, []byte(request), answer) })
	}
	plain := count(setup{}, post(path, good))
	if n := count(setup{limits: "calc=10000", proxied: true}, from("203.0.113.7")); n > plain {
		t.Errorf("%v allocations, %v without proxy and limits", n, plain)
	}
}

// BenchmarkHead compares parsing a head here and in net/http.
func BenchmarkHead(b *testing.B) {
	request := post(path, `{"side":2}`, "User-Agent: curl/8.5.0", "Accept: */*", "X-Request-Id: 0123456789")
	b.Run("front", func(b *testing.B) {
		b.ReportAllocs()
		data := []byte(request)
		for b.Loop() {
			if _, ok := conn.ReadHead(data, "POST /api/v1/calc/"); !ok {
				b.Fatal("not recognized")
			}
		}
	})
	b.Run("net-http", func(b *testing.B) {
		b.ReportAllocs()
		text, buffer := strings.NewReader(request), bufio.NewReader(nil)
		for b.Loop() {
			text.Reset(request)
			buffer.Reset(text)
			if _, err := http.ReadRequest(buffer); err != nil {
				b.Fatal(err)
			}
		}
	})
}
