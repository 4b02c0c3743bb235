package conn_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

const requestStart = "POST /api/v1/calc/"

// buffers is a pool of readers for http.ReadRequest.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 1<<20) }}

// checkHead compares the front's reading of a head with net/http.
func checkHead(t *testing.T, data []byte) {
	h, ok := conn.ReadHead(data, requestStart)
	if !ok {
		return
	}
	buffer := buffers.Get().(*bufio.Reader)
	defer buffers.Put(buffer)
	buffer.Reset(bytes.NewReader(data))
	r, err := http.ReadRequest(buffer)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	if size := len(data) - buffer.Buffered(); size != h.Size || string(body) != h.Body || r.ContentLength != int64(len(body)) {
		t.Fatalf("%q: %d bytes and a body of %q, net/http reads %d and %q", data, h.Size, h.Body, size, body)
	}
	if r.Method != "POST" || r.URL.Path != h.Path || r.URL.RawQuery != "" || r.Proto != "HTTP/1.1" || r.Host == "" || len(r.TransferEncoding) > 0 || r.Trailer != nil {
		t.Fatalf("%q: %+v", data, r)
	}
	if r.Header.Get("X-Request-Id") != h.RequestID || r.Header.Get("Service-Spec-Version") != h.Pin {
		t.Fatalf("%q: id %q, pin %q", data, h.RequestID, h.Pin)
	}
	if lines := strings.Join(r.Header["X-Forwarded-For"], ","); r.Close != h.Close || strings.TrimLeft(lines, ",") != strings.TrimLeft(h.Forwarded, ",") {
		t.Fatalf("%q: close %v, forwarded %q", data, h.Close, h.Forwarded)
	}
	for name, lines := range r.Header {
		if strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, "Cf-") {
			continue
		}
		switch name {
		case "User-Agent", "Accept-Language", "Origin", "Referer", "Cache-Control", "Pragma", "Priority", "Dnt",
			"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Real-Ip", "Forwarded", "Via",
			"Traceparent", "Tracestate", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context":
			continue
		case "X-Request-Id", "Service-Spec-Version", "Accept", "Connection", "Accept-Encoding", "Content-Type", "Content-Length":
			if len(lines) == 1 {
				continue
			}
		}
		t.Fatalf("%q: the front does not know %s: %q", data, name, lines)
	}
}

// Every request that the front accepts is the same request for net/http.
func FuzzHead(f *testing.F) {
	for _, c := range slices.Concat(conversations, proxied, smuggled) {
		f.Add([]byte(c.sent))
	}
	f.Fuzz(checkHead)
}

// Whole conversations are the same with and without the front.
func FuzzFront(f *testing.F) {
	for _, c := range slices.Concat(conversations, proxied, smuggled) {
		f.Add([]byte(c.sent), uint16(0))
	}
	with, without := pair(f, setup{limits: "calc=3", proxied: true})
	f.Fuzz(func(t *testing.T, sent []byte, piece uint16) { compare(t, with, without, sent, piece) })
}

// compare checks that two servers answer the same. It returns the number of answers from the front.
func compare(t *testing.T, with, without *testServer, sent []byte, piece uint16) int {
	if len(sent) > 64<<10 {
		return 0
	}
	*with.clock += time.Hour
	*without.clock += time.Hour
	return same(t, with, without, conversation{name: string(sent), sent: string(sent)}, max(int(piece), 1, len(sent)/4))
}
