package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// from returns a client with the source address.
func from(t *testing.T, address string) *http.Client {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, addr)
	}, DisableKeepAlives: true}
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// answers fails the test unless the client gets a response.
func answers(t *testing.T, c *http.Client, h *server) {
	t.Helper()
	resp, err := c.Post(h.url+"/api/v1/calc/ohms-law", "application/json", strings.NewReader(ohms))
	if err != nil {
		t.Fatalf("another client: %v", err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("another client: %d %s, %v", resp.StatusCode, body, err)
	}
}

// onLinux skips the test on other systems. Only on Linux is all of 127.0.0.0/8 this machine, and only there does
// /proc contain the memory of a process.
func onLinux(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("for Linux")
	}
}

// keepAlive opens a connection, reads one response and leaves the connection open.
func keepAlive(t *testing.T, h *server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(c, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("a connection is not answered: %v", err)
	}
	return c
}

// Idle connections of one client block neither other clients nor the same client.
func TestIdleConnections(t *testing.T) {
	onLinux(t)
	h := startAll(t)
	other := from(t, "127.0.0.2")
	answers(t, other, h) // start the engine
	var all []net.Conn
	for range 2500 {
		all = append(all, keepAlive(t, h))
	}
	start := time.Now()
	answers(t, other, h)
	t.Logf("another client was answered after %s", time.Since(start))
	metrics := h.metrics(t)
	if metrics["slipstick_connections"] > 502 || metrics["slipstick_connections_evicted_total"] < 1999 {
		t.Errorf("%v connections are open, %v were ended", metrics["slipstick_connections"], metrics["slipstick_connections_evicted_total"])
	}
	if _, err := io.WriteString(all[2499], "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Error(err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(all[2499]), nil); err != nil {
		t.Errorf("the newest connection: %v", err)
	}
}

// metrics returns the metrics without labels.
func (h *server) metrics(t *testing.T) map[string]float64 {
	t.Helper()
	resp, err := from(t, "127.0.0.3").Get(h.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all := map[string]float64{}
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), " "); ok && !strings.HasPrefix(name, "#") {
			all[name], _ = strconv.ParseFloat(value, 64)
		}
	}
	return all
}

// memory returns the resident memory of the server in MiB: the current size or the peak, depending on the field.
func (h *server) memory(t *testing.T, field string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(h.cmd.Process.Pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), field+":")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}

// unread starts a batch and reads only the status, which it returns; 0 means that no status came. It sends the
// given number of bytes of lines, or fewer if the server ends the connection.
func unread(h *server, address, line string, bytes int) (status int) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	c, err := dialer.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		return 0
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	head := fmt.Sprintf("POST /api/v1/batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n", 1<<40)
	if _, err := io.WriteString(c, head); err != nil {
		return 0
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		many := []byte(strings.Repeat(line, 1+(64<<10)/len(line)))
		for sent := 0; sent < bytes; {
			n, err := c.Write(many)
			sent += n
			if err != nil {
				return
			}
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
	if err != nil {
		c.Close()
	}
	<-sent
	if err != nil {
		return 0
	}
	return resp.StatusCode
}

// A client may have few batches with unread responses. They use little memory, and end. Then the memory is
// released.
func TestUnreadBatches(t *testing.T) {
	onLinux(t)
	h := startAll(t, "--answer-patience", "3s")
	batches := []struct {
		line  string
		bytes int // bytes to send: short lines until the server ends the batch, a few MiB of long lines
	}{
		{`{"id":"ohms-law","inputs":{"V":12,"R":8}}` + "\n", 1 << 40},
		{`{"id":"ohms-law","inputs":{"V":12,"R":8}` + strings.Repeat(" ", 60_000) + "}\n", 2 << 20},
		{`{"id":"ohms-law","inputs":{"V":12,"R":8,"x":[1` + strings.Repeat(",1", 30_000) + "]}}\n", 2 << 20},
	}
	answers(t, from(t, "127.0.0.9"), h)
	before := h.memory(t, "VmRSS")
	ended := make(chan int)
	for i := range 300 {
		go func() {
			b := batches[i%len(batches)]
			ended <- unread(h, fmt.Sprintf("127.0.0.%d", 2+i%5), b.line, b.bytes)
		}()
	}
	// Another client is another program, because this one is too busy to send a request within its two seconds.
	other := exec.Command("curl", "-sS", "--max-time", "60", "--interface", "127.0.0.9", "--json", ohms, "-o", os.DevNull, "-w", "%{http_code}", h.url+"/api/v1/calc/ohms-law")
	if out, err := other.CombinedOutput(); err != nil || string(out) != "200" {
		t.Errorf("another client: %s, %v", out, err)
	}
	statuses := map[int]int{}
	for range 300 {
		statuses[<-ended]++
	}
	if accepted := statuses[200]; accepted == 0 || accepted > 100 { // a client that keeps sending can lose the status of a refusal
		t.Errorf("statuses %v", statuses)
	}
	await(t, "the batches to end", func() bool { return h.metrics(t)["slipstick_batches"] == 0 })
	await(t, "the memory to be given back", func() bool { return h.memory(t, "VmRSS") <= before+50 })
	peak := h.memory(t, "VmHWM")
	t.Logf("%d MiB before, %d at most, %d afterwards; statuses %v", before, peak, h.memory(t, "VmRSS"), statuses)
	if peak >= 512 {
		t.Errorf("the host grew to %d MiB", peak)
	}
	if held := h.metrics(t)["slipstick_held_bytes"]; held > 1<<20 {
		t.Errorf("%v bytes are still held", held)
	}
}

// await waits until the condition is true.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !so(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
