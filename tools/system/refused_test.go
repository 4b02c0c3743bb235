package system

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// exchange sends the bytes unchanged and returns the first response with its body.
func exchange(t *testing.T, h *server, request string) (*http.Response, []byte) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// Requests that never reach a handler get the same kind of response as all others: a problem that pages of any
// origin may read.
func TestRefusedRequests(t *testing.T) {
	h := startAll(t)
	const get, post = "GET /api/v1/calc HTTP/1.1\r\n", "POST /api/v1/calc/ohms-law HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
	for _, tt := range []struct {
		name, request string
		status        int
		code          string
	}{
		{"escape", "POST /api/v1/calc/%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "BAD_REQUEST"},
		{"no host", get + "\r\n", 400, "BAD_REQUEST"},
		{"two hosts", get + "Host: a\r\nHost: b\r\n\r\n", 400, "BAD_REQUEST"},
		{"differing lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, "BAD_REQUEST"},
		{"no HTTP", "HELLO\r\n\r\n", 400, "BAD_REQUEST"},
		{"long header", get + "Host: a\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", 431, "REQUEST_HEADERS_TOO_LARGE"},
		{"many headers", get + "Host: a\r\n" + strings.Repeat("X-A: 12345\r\n", 3000) + "\r\n", 431, "REQUEST_HEADERS_TOO_LARGE"},
		{"encoding", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "UNSUPPORTED_TRANSFER_ENCODING"},
		{"expectation", post + "Expect: foo\r\nContent-Length: 2\r\n\r\n{}", 417, "EXPECTATION_FAILED"},
		{"version", "GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505, "UNSUPPORTED_HTTP_VERSION"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, body := exchange(t, h, tt.request)
			var problem struct {
				Status     string
				HTTPStatus int `json:"http_status"`
				Code       string
				Suggestion string
				Type       string
			}
			if err := json.Unmarshal(body, &problem); err != nil || resp.StatusCode != tt.status || problem.HTTPStatus != tt.status || problem.Code != tt.code ||
				problem.Status != "error" || problem.Suggestion == "" || !strings.HasPrefix(problem.Type, h.url+"/problems/") {
				t.Errorf("%d %s, want %d %s", resp.StatusCode, body, tt.status, tt.code)
			}
			if resp.Header.Get("Access-Control-Allow-Origin") != "*" || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Cache-Control") != "no-store" || !resp.Close {
				t.Errorf("%v", resp.Header)
			}
			explained, err := http.Get(problem.Type)
			if err != nil {
				t.Fatal(err)
			}
			explained.Body.Close()
			if explained.StatusCode != http.StatusOK {
				t.Errorf("%s: %d", problem.Type, explained.StatusCode)
			}
		})
	}
	if resp, _ := exchange(t, h, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"); resp.StatusCode != http.StatusNoContent || resp.Header.Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("OPTIONS *: %d %v", resp.StatusCode, resp.Header)
	}
}

// The OpenAPI document is compact, and compressed for clients that accept compression.
func TestDocumentIsCompressed(t *testing.T) {
	h := startAll(t)
	resp, body := exchange(t, h, "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if !json.Valid(body) || strings.Contains(string(body), "\n  ") {
		t.Errorf("%d: %.80s", resp.StatusCode, body)
	}
	zipped, packed := exchange(t, h, "GET /openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
	if zipped.Header.Get("Content-Encoding") != "gzip" || len(packed) > len(body)/4 {
		t.Errorf("%v: %d bytes of %d", zipped.Header, len(packed), len(body))
	}
	again, _ := exchange(t, h, "GET /openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nIf-None-Match: "+zipped.Header.Get("ETag")+"\r\n\r\n")
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again: %d", again.StatusCode)
	}
}
