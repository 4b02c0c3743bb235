package front_test

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/front"
)

const begin = "POST /api/v1/calc/"

// checkHead holds what the front reads against net/http.
func checkHead(t *testing.T, data []byte) {
	h, ok := front.ReadHead(data, begin)
	if !ok {
		return
	}
	text := bytes.NewReader(data)
	buffer := bufio.NewReaderSize(text, 1<<20)
	r, err := http.ReadRequest(buffer)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	if size := len(data) - buffer.Buffered(); size != h.Size || string(body) != h.Body || r.ContentLength != int64(len(body)) {
		t.Fatalf("%q: %d bytes and a body of %q, net/http says %d and %q", data, h.Size, h.Body, size, body)
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

// Whatever the front takes for a request is one for net/http, and the same.
func FuzzHead(f *testing.F) {
	for _, c := range slices.Concat(conversations, proxied, smuggled) {
		f.Add([]byte(c.sent))
	}
	f.Fuzz(checkHead)
}

// Whole conversations are the same with the front and without.
func FuzzFront(f *testing.F) {
	for _, c := range slices.Concat(conversations, proxied, smuggled) {
		f.Add([]byte(c.sent), uint16(0))
	}
	with, without := pair(f, setup{limits: "calc=3", proxied: true})
	f.Fuzz(func(t *testing.T, sent []byte, piece uint16) { compare(t, with, without, sent, piece) })
}

func compare(t *testing.T, with, without *host, sent []byte, piece uint16) {
	if len(sent) > 64<<10 {
		return
	}
	*with.clock += time.Hour
	*without.clock += time.Hour
	same(t, with, without, conversation{name: string(sent), sent: string(sent)}, max(int(piece), 1, len(sent)/4))
}

// mutate changes a conversation as a fuzzer would: by pieces of others, by single bytes, and
// by what matters in HTTP.
func mutate(random *rand.Rand, seeds []conversation) []byte {
	b := []byte(seeds[random.IntN(len(seeds))].sent)
	for range random.IntN(4) {
		at := random.IntN(len(b) + 1)
		end := min(len(b), at+random.IntN(40))
		switch random.IntN(4) {
		case 0:
			b = append(b[:at:at], b[end:]...)
		case 1:
			b = append(b[:at:at], append([]byte(tokens[random.IntN(len(tokens))]), b[at:]...)...)
		case 2:
			other := seeds[random.IntN(len(seeds))].sent
			from := random.IntN(len(other) + 1)
			b = append(b[:at:at], append([]byte(other[from:min(len(other), from+random.IntN(200))]), b[end:]...)...)
		case 3:
			if at < len(b) {
				b[at] = byte(random.IntN(256))
			}
		}
	}
	return b
}

var tokens = []string{"\r\n", "\n", "\r", " ", "\t", ":", "\x00", "Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n", "0", "+", ",", "X-Forwarded-For: 203.0.113.7\r\n", "X-Forwarded-For:", "Connection: close\r\n", "CF-", "%2e", "..", "/", "?", "\r\n\r\n", post(path, good)}

// mutations returns the source of the random changes, what is changed, and how many times: few
// in a test, many in a soak (scripts/soak front).
func mutations(t *testing.T, few, many int) (random *rand.Rand, seeds []conversation, n int) {
	seed := uint64(1)
	if n = few; os.Getenv("SLIPSTICK_SOAK") != "" {
		n, seed = many, uint64(time.Now().UnixNano())
		t.Log("seed", seed)
	}
	for _, c := range slices.Concat(conversations, proxied, smuggled) {
		if len(c.sent) < 4000 {
			seeds = append(seeds, c)
		}
	}
	return rand.New(rand.NewPCG(seed, 1)), seeds, n
}

// TestMutatedHeads is a short FuzzHead.
func TestMutatedHeads(t *testing.T) {
	random, seeds, n := mutations(t, 20_000, 10_000_000)
	recognized := 0
	for range n {
		data := mutate(random, seeds)
		if _, ok := front.ReadHead(data, begin); ok {
			recognized++
		}
		checkHead(t, data)
	}
	if recognized < n/20 {
		t.Errorf("of %d heads only %d were of the common shape", n, recognized)
	}
	t.Logf("%d heads, %d of the common shape", n, recognized)
}

// TestMutatedConversations is a short FuzzFront.
func TestMutatedConversations(t *testing.T) {
	random, seeds, n := mutations(t, 200, 100_000)
	with, without := pair(t, setup{limits: "calc=3", proxied: true})
	for range n {
		compare(t, with, without, mutate(random, seeds), uint16(random.IntN(1<<16)))
	}
}
