package conn_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// from returns a request that a proxy forwards for the client.
func from(forwarded ...string) string {
	var fields []string
	for _, line := range forwarded {
		fields = append(fields, "X-Forwarded-For: "+line)
	}
	return post(path, good, fields...)
}

// proxied are requests of proxies, load balancers and browsers.
var proxied = []conversation{
	{"forwarded", from("203.0.113.7"), false},
	{"forwarded for clients in turn", strings.Repeat(from("203.0.113.7")+from("203.0.113.8"), 4), false},
	{"forwarded by several", from("198.51.100.1, 203.0.113.7") + from("203.0.113.7, 10.0.0.1") + from("203.0.113.7") + from(), false},
	{"forwarded on several lines", from("198.51.100.1", "203.0.113.7") + from("203.0.113.7", "10.0.0.1", "10.0.0.2") + from("203.0.113.7"), false},
	{"forwarded on empty lines", from("", "203.0.113.7") + from("203.0.113.7", "", ", ,") + from("") + from(), false},
	{"forwarded by proxies alone", from("10.0.0.1, 10.0.0.2") + from("10.0.0.1") + from("127.0.0.1"), false},
	{"forwarded with ports", from("203.0.113.7:5555") + from("203.0.113.7:99999") + from("203.0.113.7") + from(), false},
	{"forwarded over IPv6", from("2001:db8:2:3::7") + from("[2001:db8:2:3::8]") + from("[2001:db8:2:3::9]:443") + from("2001:db8:2:3::7%eth0") + from("::ffff:203.0.113.7") + from("203.0.113.7"), false},
	{"forwarded by a list that is forged", from("unknown") + from("203.0.113.7, unknown") + from("203.0.113.7, <script>, 10.0.0.1") + from("010.0.0.1") + from("[203.0.113.7]") + from("[2001:db8::1"), false},
	{"forwarded in any case", post(path, good, "x-forwarded-FOR: 203.0.113.7") + from("203.0.113.7"), false},
	{"forwarded after a failure", from("203.0.113.7") + post(path, `{}`, "X-Forwarded-For: 203.0.113.7") + from("203.0.113.7") + from("203.0.113.7"), false},
	{"forwarded with a tab", from("198.51.100.1,\t203.0.113.7"), true},
	{"forwarded on a folded line", from("198.51.100.1,\r\n 203.0.113.7"), true},
	{"forwarded with a control character", from("203.0.113.7\x00"), true},
	{"forwarded with a line feed", from("203.0.113.7\nX-Forwarded-For: 198.51.100.1"), true},
	{"forwarded, space before the colon", post(path, good, "X-Forwarded-For : 203.0.113.7"), true},
	{"forwarded, and an underscore", post(path, good, "X_Forwarded_For: 203.0.113.7"), true},
	{"forwarded, 20,000 bytes", from(strings.Repeat("10.0.0.1, ", 2000) + "203.0.113.7"), true},
	{"forwarded, and two lengths", post(path, good, "X-Forwarded-For: 203.0.113.7", "Content-Length: 10"), true},

	{"nginx", post(path, good, "X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example", "X-Forwarded-Port: 443", "X-Real-IP: 198.51.100.1"), false},
	{"a balancer", post(path, good, "X-Forwarded-For: 203.0.113.7", "X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678", "Via: 1.1 google", "X-Cloud-Trace-Context: 105445aa7843bc8bf206b12000100000/1;o=1"), false},
	{"Via, compressed", post(path, `{"side":2,"note":"`+strings.Repeat("n", 3000)+`"}`, "Accept-Encoding: gzip", "Via: 1.0 proxy", "Cache-Control: no-transform"), false},
	{"Cloudflare", post(path, good, "CF-Connecting-IP: 203.0.113.7", "CF-RAY: 230b030023ae2822-SJC", "cf-visitor: {\"scheme\":\"https\"}", "CDN-Loop: cloudflare"), true},
	{"Cloudflare without a loop", post(path, good, "CF-Connecting-IP: 203.0.113.7", "CF-RAY: 230b030023ae2822-SJC", "cf-visitor: {\"scheme\":\"https\"}"), false},
	{"Forwarded", post(path, good, "Forwarded: for=203.0.113.7;proto=https", "Forwarded: for=198.51.100.1"), false},
	{"a browser", post(path, good, "Pragma: no-cache", "Cache-Control: no-cache", "DNT: 1", "Origin: null", "Referer: https://b.example/x?y=z", "Sec-Fetch-Site: cross-site", "sec-ch-ua: \"Chromium\";v=\"130\"", "Priority: u=1, i"), false},
	{"traced", post(path, good, "Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Tracestate: a=b"), false},
	{"a prefix alone", post(path, good, "Sec-: 1"), false},
	{"a prefix and what is in no name", post(path, good, "Sec-(: 1"), true},
	{"a prefix, a space before the colon", post(path, good, "CF-Ray : 1"), true},
	{"a long name", post(path, good, "Sec-"+strings.Repeat("x", 40)+": 1"), true},

	{"close", post(path, good, "Connection: close"), false},
	{"close, in any case", post(path, good, "connection: Close"), false},
	{"close a failure", post(path, `{}`, "Connection: close"), false},
	{"close a deprecated version", post(path, good, "Connection: close", "Service-Spec-Version: 1.0.0"), false},
	{"close behind others", post(path, good) + post(path, good, "Connection: close"), false},
	{"close before others", post(path, good, "Connection: close") + post(path, good), false},
	{"close beyond the limit", strings.Repeat(post(path, good), 3) + post(path, good, "Connection: close"), false},
	{"close more than 2,048 bytes", post(path, `{"side":2,"note":"`+strings.Repeat("n", 3000)+`"}`, "Connection: close"), false},
	{"close gzip of noise", post(path, `{"side":2,"note":"`+noise(3000)+`"}`, "Accept-Encoding: gzip", "Connection: close"), false},
	{"close, keep-alive", post(path, good, "Connection: close, keep-alive"), true},
	{"close twice", post(path, good, "Connection: close", "Connection: close"), true},
	{"close HTTP/1.0", strings.Replace(post(path, good, "Connection: close", "X-Forwarded-For: 203.0.113.7"), "HTTP/1.1", "HTTP/1.0", 1), true},
}

// checkClient compares the client of a request with the lines of X-Forwarded-For on two servers. Its calls must
// count together with other calls of that client.
func checkClient(t *testing.T, with, without *testServer, lines []string) {
	client := limit.Client("127.0.0.1:1", http.Header{"X-Forwarded-For": lines}, trusted)
	sent := from(lines...) + from(client.Addr().String()) + from()
	compare(t, with, without, []byte(sent), 0)
}

// FuzzForwarded compares lines of X-Forwarded-For, separated by line feeds, with and without the front.
func FuzzForwarded(f *testing.F) {
	for _, lines := range []string{"203.0.113.7", "198.51.100.1, 203.0.113.7\n10.0.0.1", "[2001:db8::1]:443,,", "::ffff:203.0.113.7", "[", "010.0.0.1", "\n\n", "fe80::1%lo,127.0.0.1"} {
		f.Add(lines)
	}
	with, without := pair(f, setup{limits: "calc=3", proxied: true})
	f.Fuzz(func(t *testing.T, lines string) { checkClient(t, with, without, strings.Split(lines, "\n")) })
}

// TestMutatedForwarded is a short FuzzForwarded.
func TestMutatedForwarded(t *testing.T) {
	parts := []string{",", ", ", " ", "203.0.113.7", "198.51.100.1", "10.0.0.1", "127.0.0.1", "2001:db8::1", "2001:db8:0:1::1", "[", "]", ":443", ":", "%lo", "::ffff:", "0", "unknown", "\t", "\x00", "\xff"}
	random, _, n := mutations(t, 200, 100_000)
	with, without := pair(t, setup{limits: "calc=3", proxied: true})
	for range n {
		lines := make([]string, 1+random.IntN(3))
		for i := range lines {
			lines[i] = words(random, parts)
		}
		checkClient(t, with, without, lines)
	}
}

func words(random *rand.Rand, parts []string) string {
	var b strings.Builder
	for range random.IntN(6) {
		b.WriteString(parts[random.IntN(len(parts))])
	}
	return b.String()
}
