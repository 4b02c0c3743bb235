package conn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const path = "/api/v1/calc/test.geometry.volume"

// post returns a request of the common shape with more header fields.
func post(path, body string, fields ...string) string {
	fields = append([]string{"Host: a.example", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))}, fields...)
	return "POST " + path + " HTTP/1.1\r\n" + strings.Join(fields, "\r\n") + "\r\n\r\n" + body
}

// noise returns text that does not compress well.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('a' + random.IntN(26))
	}
	return string(text)
}

// conversation is the input of one connection.
type conversation struct {
	name, sent string
	handed     bool // net/http gets the connection
}

const good = `{"side":2}`

// edge asks for answers of 2,800 and 2,799 bytes. Only the first one is compressed.
var edge = func() string {
	ask := func(bytes int) string {
		return post(path, `{"side":2,"note":"`+strings.Repeat("n", bytes-1198)+`"}`, "Accept-Encoding: gzip")
	}
	return ask(2800) + ask(2799)
}()

var conversations = []conversation{
	{"success", post(path, good), false},
	{"by tool", post("/api/v1/calc/volume", good), false},
	{"two", post(path, good) + post(path, `{"side":3}`), false},
	{"ten", strings.Repeat(post(path, good), 10), false},
	{"other addresses", post(path, good) + post("/api/v1/calc/volume", good) + post(path, `{"count":1}`), false},
	{"empty line between", post(path, good) + "\r\n" + post(path, good), false},
	{"two ends of lines between", post(path, good) + "\n\n" + post(path, good), false},
	{"conversion", post(path, `{"side":{"value":2,"unit":"cm"}}`), false},
	{"alias", post(path, `{"inputs":{"a":2}}`), false},
	{"more than 2,048 bytes", post(path, `{"side":2,"note":"`+strings.Repeat("n", 3000)+`"}`), false},
	{"1,400 to 2,048 bytes", post(path, `{"side":2,"note":"`+strings.Repeat("n", 700)+`"}`), false},
	{"pinned", post(path, good, "Service-Spec-Version: 2.0.0"), false},
	{"pinned differently", post(path, good, "Service-Spec-Version: 2.0.0") + post(path, good, "service-spec-version: 3.0.0") + post(path, good), false},
	{"pinned twice in a line", post(path, good, "Service-Spec-Version: 2.0.0, 1.0.0"), false},
	{"pinned by nothing", post(path, good, "Service-Spec-Version: "), false},
	{"pinned in the body", post(path, `{"side":2,"calculation_version":"2.0.0"}`), false},
	{"pinned in both", post(path, `{"side":2,"calculation_version":"2.0.0"}`, "Service-Spec-Version: 1.0.0"), false},
	{"deprecated", post(path, good, "Service-Spec-Version: 1.0.0"), false},
	{"request id", post(path, good, "X-Request-Id: my-id_1"), false},
	{"no word as a request id", post(path, good, "X-Request-Id: <script>"), false},
	{"long request id", post(path, good, "X-Request-Id: "+strings.Repeat("x", 65)), false},
	{"empty request id", post(path, good, "X-Request-Id:"), false},
	{"harmless fields", post(path, good, "User-Agent: a/1", "Accept: */*", "accept-ENCODING: identity", "Connection: Keep-Alive", "Accept-Language: de", "Origin: https://b.example", "Referer: https://b.example/"), false},
	{"accepts JSON", post(path, `{}`, "Accept: application/json"), false},
	{"charset", post(path, good, "Content-Type: application/json; charset=utf-8")[:0] + strings.Replace(post(path, good), "json", "json; charset=utf-8", 1), false},
	{"spaces around values", post(path, good, "User-Agent:   a  ", "X-Request-Id:  b "), false},

	{"gzip, too small", post(path, good, "Accept-Encoding: gzip"), false},
	{"gzip", post(path, `{"side":2,"note":"`+strings.Repeat("n", 2000)+`"}`, "Accept-Encoding: gzip, deflate, br"), false},
	{"gzip of a deprecated version", post(path, `{"side":2,"note":"`+strings.Repeat("n", 2000)+`"}`, "Accept-Encoding: gzip", "Service-Spec-Version: 1.0.0"), false},
	{"gzip of more than 2,048 bytes", post(path, `{"side":2,"note":"`+strings.Repeat("n", 3000)+`"}`, "Accept-Encoding: deflate, gzip") + post(path, good), false},
	{"gzip of noise", post(path, `{"side":2,"note":"`+noise(3000)+`"}`, "Accept-Encoding: gzip") + post(path, good), false},
	{"gzip of much noise", post(path, `{"side":2,"note":"`+noise(9000)+`"}`, "Accept-Encoding: gzip") + post(path, good), false},
	{"gzip at the edge", edge, false},
	{"gzip of kept answers", strings.Repeat(post(path, `{"side":2,"note":"`+noise(2500)+`"}`, "Accept-Encoding: gzip"), 4) + post(path, `{"side":2,"note":"`+noise(2500)+`"}`), false},
	{"missing", post(path, `{"count":1}`), false},
	{"several at fault", post(path, `{"side":-1,"count":"x","what":1}`), false},
	{"no JSON", post(path, `{"side":`), false},
	{"an array", post(path, `[1]`), false},
	{"NUL", post(path, "{\"side\":\x00}"), false},
	{"overflow", post(path, `{"side":1e200}`), false},
	{"rejected", post(path, `{"side":2,"count":13}`), false},
	{"failure", post(path, `{"side":2,"count":500}`), false},
	{"panic", post(path, `{"side":2,"count":501}`), false},
	{"unavailable", post(path, `{"side":2,"count":503}`), false},
	{"unknown", post("/api/v1/calc/test.geometry.volum", good), false},
	{"unknown and short", post("/api/v1/calc/-", good), false},
	{"other capability in the body", post(path, `{"inputs":{"side":2},"id":"volumes"}`), false},
	{"failures between", post(path, `{}`) + post(path, good) + post(path, `{"side":2,"count":500}`) + post(path, good), false},

	{"get", "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n", true},
	{"head", "HEAD " + path + " HTTP/1.1\r\nHost: a\r\n\r\n", true},
	{"put", strings.Replace(post(path, good), "POST", "PUT", 1), true},
	{"options", "OPTIONS " + path + " HTTP/1.1\r\nHost: a\r\n\r\n", true},
	{"after a success", post(path, good) + "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" + post(path, good), true},
	{"other address", post("/api/v1/calc", `{"id":"volume","inputs":{"side":2}}`), true},
	{"below", post(path+"/x", good), true},
	{"slash", post(path+"/", good), true},
	{"query", post(path+"?calculation_version=2.0.0", good), true},
	{"units", post(path+"?units=us", good) + post(path, good), true},
	{"unit of an output", post(path+"?unit=volume%3DL&units=metric", good), true},
	{"unit of another quantity", post(path+"?unit=volume%3Dft", good) + post(path+"?units=imperial", good), true},
	{"escape", post("/api/v1/calc/%76olume", good), true},
	{"dots", post("/api/v1/calc/..", good), true},
	{"no name", post("/api/v1/calc/", good), true},
	{"whole address", post("http://a.example"+path, good), true},
	{"HTTP/1.0", strings.Replace(post(path, good), "HTTP/1.1", "HTTP/1.0", 1), true},
	{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", true},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", true},
	{"empty line first", "\r\n" + post(path, good), true},
	{"three ends of lines between", post(path, good) + "\r\n\r\n\r\n" + post(path, good), true},
	{"an end of line at the end", post(path, good) + "\r\n", false},
	{"three bytes at the end", post(path, good) + "POS", false},
	{"four bytes at the end", post(path, good) + "POST", true},
	{"upgrade", post(path, good, "Connection: Upgrade", "Upgrade: h2c"), true},
	{"expect", post(path, good, "Expect: 100-continue"), true},
	{"zstd", post(path, good, "Accept-Encoding: zstd"), true},
	{"no gzip", post(path, good, "Accept-Encoding: gzip;q=0"), true},
	{"problem+json", post(path, `{}`, "Accept: application/problem+json"), true},
	{"two of accept", post(path, `{}`, "Accept: */*", "Accept: application/problem+json"), true},
	{"HTML", post(path, `{}`, "Accept: text/html"), true},
	{"compressed body", post(path, good, "Content-Encoding: gzip"), true},
	{"text", strings.Replace(post(path, good), "application/json", "text/plain", 1), true},
	{"no type", strings.Replace(post(path, good), "Content-Type: application/json\r\n", "", 1), true},
	{"unknown field", post(path, good, "X-Other: 1"), true},
	{"two ids", post(path, good, "X-Request-Id: a", "X-Request-Id: b"), true},
	{"two pins", post(path, good, "Service-Spec-Version: 1.0.0", "Service-Spec-Version: 1.0.0"), true},
	{"folded", post(path, good, "User-Agent: a\r\n b"), true},
	{"tab", post(path, good, "User-Agent: a\tb"), true},
	{"not ASCII", post(path, good, "User-Agent: \xc3\xa4"), true},
	{"line feeds alone", strings.ReplaceAll(post(path, good), "\r\n", "\n"), true},
	{"empty body", post(path, ""), true},
	{"body of 20,000 bytes", post(path, `{"side":2,"note":"`+strings.Repeat("n", 20_000)+`"}`), false},
	{"body of 20,000 bytes, compressed", post(path, `{"side":2,"note":"`+strings.Repeat("n", 20_000)+`"}`, "Accept-Encoding: gzip"), false},
	{"body of 40,000 bytes", post(path, `{"side":2,"note":"`+strings.Repeat("n", 40_000)+`"}`), true},
	{"body of 70,000 bytes", post(path, `{"side":2,"note":"`+strings.Repeat("n", 70_000)+`"}`), true},
	{"head of 20,000 bytes", post(path, good, "User-Agent: "+strings.Repeat("u", 20_000)), true},
	{"strange Host", strings.Replace(post(path, good), "a.example", "a/b", 1), true},
	{"cut off in the line", post(path, good)[:20], true},
	{"cut off in the head", post(path, good)[:80], true},
	{"cut off in the body", post(path, good)[:len(post(path, good))-1], true},
	{"cut off after a success", post(path, good) + post(path, good)[:90], true},
	{"nothing", "", false},
}

// The front and net/http give the same answers to the same bytes. Logs and counts are the same too, for any
// division into pieces.
func TestFront(t *testing.T) {
	for _, s := range []setup{{}, {cache: 1 << 20}, {limits: "calc=3"}, {limits: "calc=3", proxied: true}} {
		with, without := pair(t, s)
		for _, tt := range slices.Concat(conversations, proxied, smuggled) {
			for _, piece := range []int{1 << 20, 100} {
				*with.clock += time.Hour
				*without.clock += time.Hour
				same(t, with, without, tt, piece)
			}
		}
	}
}

func TestCompressionEdge(t *testing.T) {
	with, _ := pair(t, setup{})
	got := with.sendAll(t, []byte(edge), 1<<20)
	first, second, _ := cutLast(got, "HTTP/1.1 ")
	if !strings.Contains(first, "Content-Encoding: gzip") || !strings.Contains(second, "Content-Length: 2799") {
		t.Errorf("answers: %.2000q", got)
	}
}

// pair starts two servers, the first with the front.
func pair(t testing.TB, s setup) (with, without *testServer) {
	without = start(t, s)
	s.front = true
	return start(t, s), without
}

// same sends the conversation to two servers. It returns the number of answers from the front.
func same(t *testing.T, with, without *testServer, tt conversation, piece int) (answers int) {
	t.Helper()
	got, want := with.sendAll(t, []byte(tt.sent), piece), without.sendAll(t, []byte(tt.sent), piece)
	if tt.sent != "" && !strings.HasPrefix(want, "HTTP/1.") && !strings.HasSuffix(want, "reset") {
		t.Errorf("%s: no answer of net/http: %q", tt.name, want)
	}
	log, seen, handed := with.observed()
	wantLog, wantSeen, _ := without.observed()
	if handed == 0 {
		answers = len(seen)
	}
	if got == want && log == wantLog && slices.Equal(seen, wantSeen) && (piece < 1<<20 || handed > 0 == tt.handed) {
		return answers // the usual case, without the time of cmp
	}
	const ambiguous = "AMBIGUOUS_FRAMING" // net/http may also refuse so the requests that it read together with the ambiguous one
	if strings.Contains(want+got, ambiguous) {
		if tt.name == tt.sent {
			return answers // their number depends on timing
		}
		_, got, _ = cutLast(got, "HTTP/1.1 ")
		_, want, _ = cutLast(want, "HTTP/1.1 ")
		wantLog, wantSeen = log, seen
	}
	if d := cmp.Diff(want, got); d != "" && !reset(want, got) {
		t.Errorf("%s in pieces of %d, net/http and the front:\n%s", tt.name, piece, d)
	}
	if d := cmp.Diff(wantLog, log) + cmp.Diff(wantSeen, seen); d != "" {
		t.Errorf("%s in pieces of %d is logged and counted by net/http and the front:\n%s", tt.name, piece, d)
	}
	if piece == 1<<20 && handed > 0 != tt.handed {
		t.Errorf("%s: net/http got %d connections", tt.name, handed)
	}
	return answers
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// reset reports whether one of the answers was cut off because a connection ended before everything was read.
// The received parts must be equal.
func reset(a, b string) bool {
	a, cutA := strings.CutSuffix(a, "\nreset")
	b, cutB := strings.CutSuffix(b, "\nreset")
	return cutA && strings.HasPrefix(b, a) || cutB && strings.HasPrefix(a, b)
}

// smuggled are requests that two readers could interpret differently.
var smuggled = func() []conversation {
	const start = "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
	const inner, skip, chunked = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", "Content-Length: 2000\r\n\r\n", "a\r\n" + good + "\r\n0\r\n\r\n"
	both := start + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + inner
	return []conversation{
		{"length and chunks", both, true},
		{"length and chunks after others", post(path, good) + both, true},
		{"a body that looks like a header", start + "Content-Length: 24\r\n\r\n" + skip + both, true},
		{"chunks and length", start + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunked + inner, true},
		{"chunks", start + "Transfer-Encoding: chunked\r\n\r\n" + chunked + inner, true},
		{"two lengths", start + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + inner, true},
		{"the same length twice", start + "Content-Length: 10\r\nContent-Length: 10\r\n\r\n" + good + inner, true},
		{"a list of lengths", start + "Content-Length: 10, 10\r\n\r\n" + good + inner, true},
		{"xchunked", start + "Transfer-Encoding: xchunked\r\n\r\n" + chunked + inner, true},
		{"chunked, identity", start + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunked + inner, true},
		{"space before the colon", start + "Content-Length : 10\r\n\r\n" + good + inner, true},
		{"negative length", start + "Content-Length: -10\r\n\r\n" + good + inner, true},
		{"signed length", start + "Content-Length: +10\r\n\r\n" + good + inner, true},
		{"length in hexadecimal", start + "Content-Length: 0xa\r\n\r\n" + good + inner, true},
		{"length with zeros", start + "Content-Length: 0010\r\n\r\n" + good + inner, true},
		{"length of many digits", start + "Content-Length: " + strings.Repeat("0", 300) + "24\r\n\r\n" + skip + both, true},
		{"length beyond 64 bits", start + "Content-Length: 18446744073709551626\r\n\r\n" + good + inner, true},
		{"folded length", start + "Content-Length:\r\n 24\r\n\r\n" + skip + both, true},
		{"length inside a folded field", start + "User-Agent: a\r\n Content-Length: 10\r\n\r\n" + good + inner, true},
		{"NUL in a field", start + "User-Agent: a\x00b\r\nContent-Length: 10\r\n\r\n" + good + inner, true},
		{"CR in a field", start + "User-Agent: a\rb\r\nContent-Length: 10\r\n\r\n" + good + inner, true},
		{"CR CR LF", start + "Content-Length: 10\r\r\n\r\n" + good + inner, true},
		{"no Host", strings.Replace(start, "Host: a\r\n", "", 1) + "Content-Length: 10\r\n\r\n" + good + inner, true},
		{"two Hosts", start + "Host: b\r\nContent-Length: 10\r\n\r\n" + good + inner, true},
		{"bad chunk", start + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + good + "\r\n0\r\n\r\n", true},
		{"two spaces", strings.Replace(start, " HTTP", "  HTTP", 1) + "Content-Length: 10\r\n\r\n" + good + inner, true},
		{"version in lower case", strings.Replace(start, "HTTP", "http", 1) + "Content-Length: 10\r\n\r\n" + good + inner, true},
		{"no colon", start + "Content-Length 10\r\n\r\n" + good + inner, true},
		{"no name", start + ": 10\r\n\r\n" + good + inner, true},
	}
}()
