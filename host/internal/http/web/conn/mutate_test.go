package conn_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// mutations returns the random source, the seeds, and the number of changes: few in a test, many in a soak
// (scripts/soak front). Requests that the front answers appear more often than requests that it hands over.
func mutations(t *testing.T, few, many int) (random *rand.Rand, seeds []conversation, n int) {
	seed := uint64(1)
	n = few
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		n, seed = many, uint64(time.Now().UnixNano())
		t.Log("seed", seed)
	}
	for _, c := range slices.Concat(conversations, proxied, smuggled) {
		if len(c.sent) < 4000 {
			seeds = append(seeds, c)
			if !c.handed {
				seeds = append(seeds, c, c, c)
			}
		}
	}
	return rand.New(rand.NewPCG(seed, 1)), seeds, n
}

// mutate changes a conversation as a fuzzer would: with pieces of others, single bytes, and tokens of HTTP.
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

// TestMutatedHeads is a short FuzzHead. It also sends the requests that the front accepts to servers with and
// without the front.
func TestMutatedHeads(t *testing.T) {
	random, seeds, n := mutations(t, 5_000, 10_000_000)
	workers := runtime.GOMAXPROCS(0)
	var recognized, answered atomic.Int64
	t.Run("all", func(t *testing.T) {
		for i := range workers {
			source := rand.New(rand.NewPCG(random.Uint64(), 1))
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				a := newAsking(t, source)
				for range n / workers {
					data := mutate(source, seeds)
					checkHead(t, data)
					if requests, last := common(data); len(requests) > 0 {
						recognized.Add(1)
						a.ask(t, requests, last)
					}
				}
				answered.Add(a.flush(t))
			})
		}
	})
	if recognized.Load() < int64(n)/4 {
		t.Errorf("of %d heads only %d were of the common shape", n, recognized.Load())
	}
	t.Logf("%d heads, %d of the common shape; %d requests answered by the front, and the same without it", n, recognized.Load(), answered.Load())
}

// asking sends the same requests to two servers. Requests share connections, so that many can be sent.
type asking struct {
	with, without *testServer
	random        *rand.Rand // determines the pieces in which requests are sent
	batch         []byte     // not sent yet
	answered      int64      // by the front
}

// maxBatch is the size in bytes from which requests are sent.
const maxBatch = 16 << 10

func newAsking(t *testing.T, random *rand.Rand) *asking {
	a := &asking{random: random}
	a.with, a.without = pair(t, setup{limits: "calc=40", proxied: true}) // some batches reach this limit
	return a
}

// ask sends requests, or collects more to send together. The last request ends its connection.
func (a *asking) ask(t *testing.T, requests []byte, last bool) {
	a.batch = append(a.batch, requests...)
	if last || len(a.batch) >= maxBatch {
		a.flush(t)
	}
}

// flush sends the collected requests. It returns the total number of answers from the front.
func (a *asking) flush(t *testing.T) int64 {
	a.answered += int64(compare(t, a.with, a.without, a.batch, uint16(a.random.IntN(1<<16))))
	a.batch = a.batch[:0]
	return a.answered
}

// common returns the requests of the common shape at the start of the data, and whether the last of them ends
// its connection.
func common(data []byte) (requests []byte, last bool) {
	size := 0
	for !last {
		h, ok := conn.ReadHead(data[size:], requestStart)
		if !ok {
			break
		}
		size += h.Size
		last = h.Close
	}
	return data[:size], last
}

// TestMutatedConversations is a short FuzzFront.
func TestMutatedConversations(t *testing.T) {
	random, seeds, n := mutations(t, 200, 100_000)
	with, without := pair(t, setup{limits: "calc=3", proxied: true})
	for range n {
		compare(t, with, without, mutate(random, seeds), uint16(random.IntN(1<<16)))
	}
}
