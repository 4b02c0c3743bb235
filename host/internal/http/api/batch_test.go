package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

const (
	batchPath = "/api/v1/batch"
	ndjson    = "application/x-ndjson"
)

// batchLines are valid and invalid calculations.
var batchLines = []string{
	`{"id":"volume","inputs":{"a":2}}`,
	`{"id":"volume","inputs":{"a":2},"calculation_version":"1.0.0"}`,
	`{"id":"volume","inputs":{"a":2},"calculation_version":"3.0.0"}`,
	`{"id":"volume","inputs":{"a":{"value":1,"unit":"ft"}}}`,
	`{"id":"volume","inputs":{"a":-2}}`,
	`{"id":"volume","inputs":{"a":2,"count":500}}`,
	`{"id":"volume","inputs":{"a":2,"count":501}}`,
	`{"id":"test.broken.layout","inputs":{}}`,
	`{"id":"volum","inputs":{"a":2}}`,
	`{"a":2}`,
	`{"id":"volume","inputs":{"a":2}`,
	"{\"id\":\"\xff\"}",
	`{}`,
	`{"id":"volume","inputs":{` + strings.Repeat(" ", 64<<10) + `"a":2}}`,
}

// sendBatch sends a batch and returns the whole answer.
func sendBatch(t *testing.T, s *httptest.Server, path, media string, body io.Reader, headers ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, data
}

// sendLines sends lines as a batch and returns the lines of the answer.
func sendLines(t *testing.T, s *httptest.Server, path, body string, headers ...string) (*http.Response, []string) {
	t.Helper()
	resp, data := sendBatch(t, s, path, ndjson, strings.NewReader(body), headers...)
	lines := strings.SplitAfter(string(data), "\n")
	return resp, lines[:len(lines)-1]
}

// A line of a batch has the same answer as POST /api/v1/calc, byte-identical.
func TestBatch(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		query   string
		headers []string
	}{
		{"", nil}, {"?output=full", []string{"Content-Type", "application/jsonl; charset=utf-8"}}, {"", []string{"Service-Spec-Version", "1.0.0"}},
		{"?calculation_version=1.0.0", []string{"Service-Spec-Version", "2.0.0"}}, {"", []string{"Service-Spec-Version", ""}},
	} {
		resp, got := sendLines(t, s, batchPath+tt.query, strings.Join(batchLines, "\n\r\n"), tt.headers...)
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != ndjson || resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("%v: %d %v", tt, resp.StatusCode, resp.Header)
		}
		if len(got) != len(batchLines) {
			t.Fatalf("%v: %d lines", tt, len(got))
		}
		for i, line := range batchLines {
			headers := append([]string{"Content-Type", "application/json"}, tt.headers...)
			if len(tt.headers) > 0 && tt.headers[0] == "Content-Type" {
				headers = headers[:2]
			}
			if want := send(t, s, "POST", "/api/v1/calc"+strings.TrimSuffix(tt.query, "?output=full"), line, headers...).text; got[i] != want {
				t.Errorf("%v: %.80s: %s\nwant %s", tt, line, got[i], want)
			}
		}
	}
}

func TestBatchOutput(t *testing.T) {
	s := newServer(t)
	_, got := sendLines(t, s, batchPath+"?output=result", batchLines[0]+"\n"+batchLines[4]+"\n"+batchLines[1])
	want := []string{`{"result":{"volume":16}}` + "\n", send(t, s, "POST", "/api/v1/calc", batchLines[4]).text, `{"result":{"volume":8}}` + "\n"}
	if strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("%s\nwant %s", got, want)
	}
	alone := send(t, s, "POST", "/api/v1/calc", batchLines[1])
	_, got = sendLines(t, s, batchPath+"?output=attributed", batchLines[1]+"\n"+batchLines[4])
	want = []string{
		`{"engine_digest":"` + alone.Header.Get("Slipstick-Engine-Digest") + `","answer":` + strings.TrimSuffix(alone.text, "\n") + "}\n",
		send(t, s, "POST", "/api/v1/calc", batchLines[4]).text,
	}
	if strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, nothing := range []string{"", "\n", "\r\n\n"} {
		if resp, got := sendLines(t, s, batchPath, nothing); resp.StatusCode != 200 || len(got) > 0 || resp.Header.Get("Content-Type") != ndjson {
			t.Errorf("%q: %d %v %s", nothing, resp.StatusCode, resp.Header, got)
		}
	}
}

// Problems of a batch as a whole.
func TestBatchProblems(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		name, method, query string
		headers             []string
		status              int
		code, field         string
	}{
		{"JSON", "POST", "", []string{"Content-Type", "application/json"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"no type", "POST", "", []string{"Content-Type", "-"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"charset", "POST", "", []string{"Content-Type", ndjson + "; charset=utf-16"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"compressed", "POST", "", []string{"Content-Type", ndjson, "Content-Encoding", "gzip"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"output", "POST", "?output=csv", []string{"Content-Type", ndjson}, 400, "INVALID_QUERY", "output"},
		{"empty output", "POST", "?output=", []string{"Content-Type", ndjson}, 400, "INVALID_QUERY", "output"},
		{"two outputs", "POST", "?output=full&output=result", []string{"Content-Type", ndjson}, 400, "INVALID_QUERY", "output"},
		{"query", "POST", "?calculation_version=%zz", []string{"Content-Type", ndjson}, 400, "INVALID_QUERY", "calculation_version"},
		{"method", "GET", "", nil, 405, "METHOD_NOT_ALLOWED", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, s, tt.method, batchPath+tt.query, batchLines[0]+"\n", tt.headers...)
			field, _ := r.body["field"].(string)
			if r.StatusCode != tt.status || r.body["code"] != tt.code || field != tt.field {
				t.Fatalf("answer %d: %s\nwant %d %s, field %q", r.StatusCode, r.text, tt.status, tt.code, tt.field)
			}
			checkErrorBody(t, r)
			if tt.status == 415 && r.Header.Get("Accept-Post") != "application/x-ndjson, application/jsonl, text/csv, application/vnd.apache.parquet, application/vnd.apache.arrow.file, application/vnd.apache.arrow.stream" {
				t.Errorf("Accept-Post: %q", r.Header.Get("Accept-Post"))
			}
		})
	}
}

// conversation is a batch that sends its lines one by one.
type conversation struct {
	writer  *io.PipeWriter
	answers *bufio.Reader
	leave   context.CancelFunc
	status  int
}

// openBatch sends the first line, because there is no answer before it.
func openBatch(t *testing.T, s *httptest.Server, first string) *conversation {
	t.Helper()
	body, writer := io.Pipe()
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+batchPath+"?output=result", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", ndjson)
	go fmt.Fprintln(writer, first)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return &conversation{writer, bufio.NewReader(resp.Body), leave, resp.StatusCode}
}

func (c *conversation) expect(t *testing.T, want string) {
	t.Helper()
	if got, err := c.answers.ReadString('\n'); err != nil || got != want+"\n" {
		t.Fatalf("%q, %v, want %s", got, err, want)
	}
}

// Answers arrive while the caller still sends, and beyond the server's time limit for other requests. The
// connection can carry more requests afterwards.
func TestBatchConversation(t *testing.T) {
	s := httptest.NewUnstartedServer(handlerWith(t, nil, nil))
	s.Config.ReadTimeout = 300 * time.Millisecond
	s.Start()
	defer s.Close()
	c := openBatch(t, s, batchLines[0])
	c.expect(t, `{"result":{"volume":16}}`)
	for i := 1; i < 10; i++ {
		time.Sleep(100 * time.Millisecond)
		fmt.Fprintf(c.writer, `{"id":"volume","inputs":{"a":%d}}`+"\n", i)
		c.expect(t, fmt.Sprintf(`{"result":{"volume":%d}}`, 2*i*i*i))
	}
	c.writer.Close()
	if rest, err := io.ReadAll(c.answers); err != nil || len(rest) > 0 {
		t.Errorf("after the last line: %q, %v", rest, err)
	}
	for range 3 {
		if _, got := sendLines(t, s, batchPath, batchLines[0]); len(got) != 1 {
			t.Errorf("another batch: %s", got)
		}
		if r := send(t, s, "POST", calcPath, `{"a":2}`); r.StatusCode != 200 {
			t.Errorf("another request: %d %s", r.StatusCode, r.text)
		}
	}
}

// The server cuts off a caller who sends nothing for too long. The caller can see that the answers are
// incomplete.
func TestBatchIdle(t *testing.T) {
	s := serveWith(t, &api.Options{Batches: api.Batches{IdleTimeout: 200 * time.Millisecond}})
	c := openBatch(t, s, batchLines[0])
	c.expect(t, `{"result":{"volume":16}}`)
	if rest, err := io.ReadAll(c.answers); err == nil {
		t.Errorf("an idle batch ended as if it were complete: %q", rest)
	}
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: 100\r\n\r\n{", batchPath, ndjson)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 400 || !strings.Contains(string(body), `"code":"INVALID_JSON"`) {
		t.Errorf("before the first line: %d %s", resp.StatusCode, body)
	}
}

// The server also cuts off a caller who reads no answers. Until then it reads no more than a few windows.
func TestBatchSlowReader(t *testing.T) {
	s := httptest.NewUnstartedServer(handlerWith(t, &api.Options{Batches: api.Batches{IdleTimeout: time.Minute}}, nil))
	l := conn.NewListener(s.Listener, &conn.Options{MinRate: conn.MinRate{Bytes: 64 << 10, Time: time.Second}})
	s.Listener, s.Config.ConnState = l, l.State
	s.Start()
	defer s.Close()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: 1000000000\r\n\r\n", batchPath, ndjson)
	piece := []byte(strings.Repeat(batchLines[0]+"\n", 1000))
	sent, cut := 0, false
	for start := time.Now(); !cut && time.Since(start) < 20*time.Second; {
		n, err := conn.Write(piece)
		sent += n
		cut = err != nil
	}
	if !cut || sent > 50<<20 || l.Stats().Stalled != 1 {
		t.Errorf("%d bytes were taken, cut off: %v, %+v", sent, cut, l.Stats())
	}
}

// The idle timeout does not run while the server computes.
func TestBatchSlowEngine(t *testing.T) {
	s := serveWith(t, &api.Options{Batches: api.Batches{IdleTimeout: 100 * time.Millisecond}})
	if _, got := sendLines(t, s, batchPath+"?output=result", `{"id":"volume","inputs":{"a":2,"count":502}}`); len(got) != 1 || got[0] != `{"result":{"volume":16}}`+"\n" {
		t.Errorf("%s", got)
	}
}

// A caller who leaves causes no leaks.
func TestBatchCancelled(t *testing.T) {
	running := goleak.IgnoreCurrent()
	s := httptest.NewServer(handlerWith(t, nil, nil))
	for i := range 10 {
		c := openBatch(t, s, batchLines[0])
		c.expect(t, `{"result":{"volume":16}}`)
		if i%2 == 0 {
			fmt.Fprint(c.writer, strings.Repeat(batchLines[0]+"\n", 5000))
		}
		c.leave()
		c.writer.CloseWithError(context.Canceled)
	}
	s.Close() // waits for the handlers
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, running)
}

// Every thousand lines of a batch count as a call.
func TestBatchLimit(t *testing.T) {
	limits, err := limit.ParseLimits("calc=3")
	if err != nil {
		t.Fatal(err)
	}
	clock := new(time.Duration)
	var tally batch.Tally
	clients := &web.Clients{Limiter: limit.NewLocal(limits, &limit.Options{Clock: func() time.Duration { return *clock }})}
	s := serveWithOptions(t, &api.Options{Batches: api.Batches{Clients: clients, Observe: func(t batch.Tally) {
		tally.Succeeded, tally.Rejected = tally.Succeeded+t.Succeeded, tally.Rejected+t.Rejected
		tally.Limited, tally.Failed = tally.Limited+t.Limited, tally.Failed+t.Failed
	}}}, &web.Options{Clients: clients})
	resp, got := sendLines(t, s, batchPath+"?output=result", strings.Repeat(batchLines[0]+"\n", 3998)+batchLines[4]+"\n"+batchLines[5]+"\n")
	if resp.StatusCode != 200 || resp.Header.Get("RateLimit") != `"calc";r=2;t=60` || len(got) != 4000 {
		t.Fatalf("%d %v, %d lines", resp.StatusCode, resp.Header, len(got))
	}
	for i, line := range got {
		if want := i < 3000; want != (line == `{"result":{"volume":16}}`+"\n") || want == strings.Contains(line, `"code":"RATE_LIMITED"`) {
			t.Fatalf("line %d: %s", i, line)
		}
	}
	if tally.Succeeded != 3000 || tally.Limited != 1000 || tally.Rejected != 0 || tally.Failed != 0 {
		t.Errorf("%+v", tally)
	}
	r := send(t, s, "POST", batchPath, batchLines[0], "Content-Type", ndjson)
	if r.StatusCode != 429 || r.body["code"] != "RATE_LIMITED" || r.Header.Get("Retry-After") != "60" {
		t.Errorf("the next batch: %d %s", r.StatusCode, r.text)
	}
	*clock += time.Minute
	if _, got := sendLines(t, s, batchPath, batchLines[4]+"\n"+batchLines[5]); len(got) != 2 {
		t.Errorf("a minute later: %s", got)
	}
	if tally.Rejected != 1 || tally.Failed != 1 {
		t.Errorf("%+v", tally)
	}
}

// A shutdown ends a batch after a line and reports the row to resume at. Both answers together are the same as
// the answer to an uninterrupted batch.
func TestBatchInterrupted(t *testing.T) {
	const rows = 20_000
	var all strings.Builder
	for i := range rows {
		fmt.Fprintf(&all, "{\"id\":\"volume\",\"inputs\":{\"a\":%d}}\n\n", i%7-1) // some rows are rejected
	}
	_, want := sendLines(t, serveWith(t, nil), batchPath, all.String())

	until, interrupt := context.WithCancel(t.Context())
	s := serveWith(t, &api.Options{Batches: api.Batches{Until: until, Observe: func(batch.Tally) { interrupt() }}}) // as soon as some rows are written
	resp, got := sendLines(t, s, batchPath, all.String())
	if resp.StatusCode != 200 || len(got) == 0 || len(got) > rows {
		t.Fatalf("%d, %d lines", resp.StatusCode, len(got))
	}
	var end struct {
		Status, Code string
		Resume       int `json:"resume_at_row"`
	}
	final := got[len(got)-1]
	if err := json.Unmarshal([]byte(final), &end); err != nil || end.Status != "error" || end.Code != "BATCH_INTERRUPTED" || end.Resume != len(got) {
		t.Fatalf("%v: line %d is %s", err, len(got), final)
	}
	rest := strings.SplitAfter(all.String(), "\n\n")[end.Resume-1:]
	_, more := sendLines(t, serveWith(t, nil), batchPath, strings.Join(rest, ""))
	if together := strings.Join(got[:len(got)-1], "") + strings.Join(more, ""); together != strings.Join(want, "") {
		t.Errorf("%d and %d lines are not the %d of one batch", len(got)-1, len(more), len(want))
	}

	// If no row was answered yet, the problem is the answer.
	r := send(t, s, "POST", batchPath, batchLines[0], "Content-Type", ndjson)
	if r.StatusCode != 503 || r.body["code"] != "BATCH_INTERRUPTED" || r.body["resume_at_row"] != 1.0 || r.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", r.StatusCode, r.text)
	}
}
