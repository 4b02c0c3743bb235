package system

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// drained reads the log of a server until the server has ended. It must end without an error.
func (h *server) drained(t *testing.T) string {
	t.Helper()
	var logged strings.Builder
	for h.stderr.Scan() {
		logged.WriteString(h.stderr.Text() + "\n")
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v\n%s", err, logged.String())
	}
	return logged.String()
}

func (h *server) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// awaitUnready returns when the server reports that it is draining.
func (h *server) awaitUnready(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if status, state := h.get(t, "/readyz"); status == http.StatusServiceUnavailable {
			if state != `{"status":"unready","reasons":[{"code":"DRAINING"}]}`+"\n" {
				t.Errorf("/readyz: %s", state)
			}
			return
		}
	}
	t.Fatal("the host stays ready")
}

// A draining server is alive and answers, but is not ready and closes each connection after its response. A second
// signal ends it.
func TestLameDuck(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--no-front"}} {
		h := startServer(t, append(args, "--drain-delay", "1h")...)
		idle, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
		h.signal(t, syscall.SIGTERM)
		h.awaitUnready(t)
		for _, tt := range []struct {
			method, path, body, accept string
			status                     int
		}{
			{"POST", "/api/v1/calc/ohms-law", ohms, "application/json", 200},
			{"POST", "/api/v1/calc/ohms-law", `{"V":12}`, "application/json", 400},
			{"POST", "/api/v1/calc", `{"id":"ohms-law","inputs":{"V":12,"R":8}}`, "application/json", 200},
			{"GET", "/livez", "", "*/*", 200},
			{"GET", "/readyz?verbose", "", "*/*", 503},
			{"GET", "/nowhere", "", "text/html", 404},
			{"GET", "/calc/electrical/ohms-law?V=12&R=8", "", "text/html", 200},
			{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}`, "application/json, text/event-stream", 200},
		} {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, h.url+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", tt.accept)
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != tt.status || !resp.Close {
				t.Errorf("%v %s %s: %d, close %v, %v: %.300s", args, tt.method, tt.path, resp.StatusCode, resp.Close, err, body)
			}
			resp.Body.Close()
		}
		if _, figures := h.get(t, "/metrics"); !strings.Contains(figures, "\nslipstick_draining 1\n") {
			t.Error("no figure says that the host is ending")
		}
		h.signal(t, syscall.SIGTERM)
		logged := h.drained(t)
		for _, phase := range []string{"draining: /readyz returns 503", "draining: the server accepts no more connections", "drained: the server answered every request"} {
			before, after, found := strings.Cut(logged, phase)
			logged = after
			if !found {
				t.Errorf("the log has no %q in its place:\n%s", phase, before)
			}
		}
	}
}

// An interrupt from a terminal ends the server without a delay.
func TestInterruptDoesNotDelay(t *testing.T) {
	t.Parallel()
	h := startServer(t, "--drain-delay", "1h")
	h.signal(t, os.Interrupt)
	h.drained(t)
}

// loadBalancer sends requests to the servers in turn while /readyz reports that they are
// ready. It polls every few milliseconds, and never retries.
type loadBalancer struct {
	mu    sync.Mutex
	ready []*server
	next  int
}

func (b *loadBalancer) pick() *server {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	return b.ready[b.next%len(b.ready)]
}

// watch adds a server when it is ready, and removes it when it is not.
func (b *loadBalancer) watch(h *server, every time.Duration) (removed chan struct{}) {
	removed = make(chan struct{})
	b.mu.Lock()
	b.ready = append(b.ready, h)
	b.mu.Unlock()
	go func() {
		defer close(removed)
		for {
			time.Sleep(every)
			resp, err := http.Get(h.url + "/readyz")
			if err == nil {
				resp.Body.Close()
			}
			if err == nil && resp.StatusCode == http.StatusOK {
				continue
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			for i := range b.ready {
				if b.ready[i] == h {
					b.ready = append(b.ready[:i:i], b.ready[i+1:]...)
					return
				}
			}
		}
	}()
	return removed
}

// drainClient keeps a connection to each server, and does not check the connection before it uses it.
type drainClient struct {
	conns map[*server]net.Conn
}

func (c *drainClient) ask(h *server, request, want string) (err error) {
	conn := c.conns[h]
	if conn == nil {
		conn, err = net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			return err
		}
		c.conns[h] = conn
	}
	defer func() {
		if err != nil {
			conn.Close()
			delete(c.conns, h)
		}
	}()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
		return fmt.Errorf("%d %.200s, %w", resp.StatusCode, body, err)
	}
	if resp.Close {
		conn.Close()
		delete(c.conns, h)
	}
	return nil
}

// No request is lost while servers are replaced one after the other, with a load balancer that does not retry.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	const least, workers, every, delay = 4000, 8, 20 * time.Millisecond, "400ms"
	requests := []struct{ text, want string }{
		{fmt.Sprintf("POST /api/v1/calc/ohms-law HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(ohms), ohms), `"current":1.5`},
		{"GET /api/v1/calc/ohms-law HTTP/1.1\r\nHost: a\r\n\r\n", "ohms-law"},
	}
	b := &loadBalancer{}
	type member struct {
		*server
		removed chan struct{}
	}
	begin := func() member {
		h := startServer(t, "--drain-delay", delay)
		return member{h, b.watch(h, every)}
	}
	members := []member{begin(), begin()}
	var asked, failed atomic.Int64
	stop := make(chan struct{})
	var load sync.WaitGroup
	for w := range workers {
		load.Go(func() {
			c := &drainClient{conns: map[*server]net.Conn{}}
			for i := w; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				r := requests[0]
				if i%8 == 0 {
					r = requests[1]
				}
				if err := c.ask(b.pick(), r.text, r.want); err != nil {
					failed.Add(1)
					t.Error(err)
				}
				asked.Add(1)
			}
		})
	}
	for round := 0; round < 4 || asked.Load() < least; round++ {
		begun := asked.Load()
		for asked.Load() < begun+least/8 {
			time.Sleep(time.Millisecond)
		}
		old := members[round%2]
		old.signal(t, syscall.SIGTERM)
		<-old.removed
		if logged := old.drained(t); !strings.Contains(logged, "the server answered every request") {
			t.Errorf("round %d:\n%s", round, logged)
		}
		members[round%2] = begin()
	}
	close(stop)
	load.Wait()
	t.Logf("%d of %d requests failed", failed.Load(), asked.Load())
}

// A running batch may finish while the server drains. A batch that takes too long ends after a row, and another
// server continues after the row that the response names.
func TestBatchesDrain(t *testing.T) {
	t.Parallel()
	const rows, sent = 6000, 4000
	lines := make([]string, rows)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"id":"ohms-law","inputs":{"V":%d,"R":8}}`+"\n", i+1)
	}
	h, other := startServer(t, "--drain-timeout", "5s"), startServer(t)
	type batch struct {
		say     *io.PipeWriter
		answers *bufio.Reader
	}
	begin := func() batch {
		body, say := io.Pipe()
		req, err := http.NewRequestWithContext(t.Context(), "POST", h.url+"/api/v1/batch", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-ndjson")
		go io.WriteString(say, strings.Join(lines[:sent], ""))
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return batch{say, bufio.NewReader(resp.Body)}
	}
	hear := func(b batch, n int) string {
		t.Helper()
		var answers strings.Builder
		for range n {
			line, err := b.answers.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			answers.WriteString(line)
		}
		return answers.String()
	}
	quick, slow := begin(), begin()
	first := hear(slow, sent)
	hear(quick, 1)
	h.signal(t, syscall.SIGTERM)
	go func() {
		_, _ = io.WriteString(quick.say, strings.Join(lines[sent:], ""))
		quick.say.Close()
	}()
	hear(quick, rows-1)
	if rest, err := io.ReadAll(quick.answers); err != nil || len(rest) > 0 {
		t.Errorf("the quick one ended with %q, %v", rest, err)
	}
	final, err := io.ReadAll(slow.answers)
	if err != nil {
		t.Fatal(err)
	}
	var end struct {
		Code   string
		Resume int `json:"resume_at_row"`
	}
	if err := json.Unmarshal(final, &end); err != nil || end.Code != "BATCH_INTERRUPTED" || end.Resume != sent+1 {
		t.Fatalf("%v: %s", err, final)
	}
	if logged := h.drained(t); !strings.Contains(logged, "and ended batches") {
		t.Error(logged)
	}
	const ndjson = "application/x-ndjson"
	_, rest := other.post(t, "/api/v1/batch", strings.Join(lines[end.Resume-1:], ""), "Content-Type", ndjson)
	_, whole := other.post(t, "/api/v1/batch", strings.Join(lines, ""), "Content-Type", ndjson)
	if strings.ReplaceAll(first, h.url, other.url)+rest != whole {
		t.Error("the two parts are not the batch that nothing disturbed")
	}
}
