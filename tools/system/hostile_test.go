package system

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// raw sends the bytes to the server unchanged. It returns the statuses of the responses on the connection, until
// the connection is closed.
func raw(t *testing.T, h *server, request string) []int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	var statuses []int
	for r := bufio.NewReader(conn); ; {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		statuses = append(statuses, resp.StatusCode)
		if resp.Close {
			return statuses
		}
	}
}

// E11: requests that two parsers could frame differently. None leads to a second request on the connection.
func TestSmuggling(t *testing.T) {
	hosts := map[string]*server{"front": startAll(t), "net/http": startAll(t, "--no-front")}
	const post, json, inner = "POST /api/v1/calc/ohms-law HTTP/1.1\r\n", "Content-Type: application/json\r\n", "GET /api/v1/calc HTTP/1.1\r\nHost: a\r\n\r\n"
	const skip = "Content-Length: 2000\r\n\r\n" // a body that looks like a header
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(ohms), ohms)
	for _, tt := range []struct {
		name, request string
		want          []int
	}{
		{"plain", post + "Host: a\r\nConnection: close\r\n" + json + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(ohms), ohms), []int{200}},
		{"length and chunks", post + "Host: a\r\n" + json + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + inner, []int{400}},
		{"chunks and length", post + "Host: a\r\n" + json + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunked + inner, []int{400}},
		{"chunks", post + "Host: a\r\n" + json + "Transfer-Encoding: chunked\r\n\r\n" + chunked + inner, []int{200}},
		{"two lengths", post + "Host: a\r\n" + json + "Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}" + inner, []int{400}},
		{"xchunked", post + "Host: a\r\n" + json + "Transfer-Encoding: xchunked\r\n\r\n" + chunked + inner, []int{501}},
		{"chunked, identity", post + "Host: a\r\n" + json + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunked + inner, []int{501}},
		{"two encodings", post + "Host: a\r\n" + json + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + inner, []int{501}},
		{"space before the colon", post + "Host: a\r\nContent-Length : 2\r\n\r\n{}" + inner, []int{400}},
		{"negative length", post + "Host: a\r\nContent-Length: -1\r\n\r\n" + inner, []int{400}},
		{"NUL", post + "Host: a\r\nX: a\x00b\r\n\r\n" + inner, []int{400}},
		{"bare CR", post + "Host: a\r\nX: a\rb\r\n\r\n" + inner, []int{400}},
		{"a length of many digits before length and chunks", post + "Host: a\r\n" + json + "Content-Length: " + strings.Repeat("0", 300) + "24\r\n\r\n" + skip +
			post + "Host: a\r\n" + json + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + inner, []int{400}},
		{"a folded length before length and chunks", post + "Host: a\r\n" + json + "Content-Length:\r\n 24\r\n\r\n" + skip +
			post + "Host: a\r\n" + json + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + inner, []int{400}},
		{"no host", post + json + "Content-Length: 2\r\n\r\n{}" + inner, []int{400}},
		{"two hosts", post + "Host: a\r\nHost: b\r\n\r\n" + inner, []int{400}},
		{"bad chunk", post + "Host: a\r\n" + json + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + ohms + "\r\n0\r\n\r\n", []int{400}},
		{"long header", post + "Host: a\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", []int{431}},
	} {
		for by, h := range hosts {
			t.Run(tt.name+"/"+by, func(t *testing.T) {
				if got := raw(t, h, tt.request); fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("answers %v, want %v", got, tt.want)
				}
			})
		}
	}
}

// E9: bodies over the size limit, for every way to announce the length.
func TestLargeBodies(t *testing.T) {
	h := startAll(t)
	large := `{"V":12,"x":"` + strings.Repeat("x", 10<<20) + `"}`
	for name, body := range map[string]io.Reader{
		"announced": strings.NewReader(large), "chunked": io.MultiReader(strings.NewReader(large)),
	} {
		resp, err := http.Post(h.url+"/api/v1/calc/ohms-law", "application/json", body)
		if err != nil {
			continue // the connection was closed before the response could be read
		}
		resp.Body.Close()
		if resp.StatusCode != 413 {
			t.Errorf("%s: %d, want 413", name, resp.StatusCode)
		}
	}
	const head = "POST /api/v1/calc/ohms-law HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
	for name, request := range map[string]string{
		"announced": head + "Connection: close\r\nContent-Length: 70000\r\n\r\n" + large[:70000],
		"chunked":   head + "Transfer-Encoding: chunked\r\n\r\n11170\r\n" + large[:0x11170] + "\r\n0\r\n\r\n",
	} {
		if got := raw(t, h, request); fmt.Sprint(got) != "[413]" {
			t.Errorf("70,000 bytes, %s: %v", name, got)
		}
	}
}

// E10: the server cuts off a header that never completes, and serves other clients in the meantime.
func TestSlowHeader(t *testing.T) {
	h := startAll(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /api/v1/calc/ohms-law HTTP/1.1\r\nHost:")
	if status, body := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Errorf("meanwhile: %d %s", status, body)
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the connection was not closed: %v", err)
	}
}

// Mutations of valid requests: each gets a 2xx or 4xx with a JSON body, and the memory of the server stays small.
func TestHostileBodies(t *testing.T) {
	h := startAll(t)
	seeds := []string{
		ohms, freezeRequest, `{"inputs":{"L":3,"E":210e9,"I":8.356e-5},"calculation_version":"1.0.0"}`,
		`{"V":{"value":12,"unit":"kV"},"R":1e-400}`, `{"V":1e400,"R":[[[[]]]]}`, `{"V":"\ud800","R":-0}`,
		`{"length":3,"flexural_rigidity":1,"model":"timoshenko","kAG":5e-324,"tip_moment":1.7976931348623157e308}`,
	}
	tokens := []string{"{", "}", "[", "]", `"`, ",", ":", "1e999999", "-", "\x00", "\xff", `\u0000`, "null", "true", `"a":`, "9", "e", strings.Repeat("[", 70), strings.Repeat("9", 500)}
	paths := []string{"/api/v1/calc/ohms-law", "/api/v1/calc/cantilever-deflection", "/api/v1/share", "/api/v1/calc"}
	random := rand.New(rand.NewPCG(1, 2))
	before := residentKB(t, h)
	const requests = 3000
	for i := range requests {
		body := []byte(seeds[random.IntN(len(seeds))])
		for range random.IntN(4) {
			at := random.IntN(len(body) + 1)
			switch random.IntN(3) {
			case 0:
				body = bytes.Join([][]byte{body[:at], []byte(tokens[random.IntN(len(tokens))]), body[at:]}, nil)
			case 1:
				body = append(body[:at:at], body[min(len(body), at+random.IntN(8)):]...)
			default:
				if at < len(body) {
					body[at] ^= byte(1 << random.IntN(8))
				}
			}
		}
		status, answer := h.post(t, paths[i%len(paths)], string(body))
		if status >= 500 || status < 200 || !strings.HasPrefix(answer, "{") {
			t.Errorf("%s %q: %d %s", paths[i%len(paths)], body, status, answer)
		}
		if status >= 400 && strings.Contains(answer, `"status":"success"`) {
			t.Errorf("%q: a failure that says success: %s", body, answer)
		}
	}
	if grown := residentKB(t, h) - before; grown > 50<<10 {
		t.Errorf("the host grew by %d KiB in %d requests", grown, requests)
	}
}

// residentKB returns the resident memory of the server in KB.
func residentKB(t *testing.T, h *server) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.cmd.Process.Pid))
	if err != nil {
		t.Skip("no /proc here")
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return kb
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
