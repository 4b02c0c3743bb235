package system

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// redisServer is a real redis-server that the test starts.
type redisServer struct {
	cmd  *exec.Cmd
	port string
	args []string
}

// startRedis starts redis-server on a free port. Without arguments it persists all writes, as the snapshot store
// demands.
func startRedis(t *testing.T, args ...string) *redisServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	if len(args) == 0 {
		args = []string{"--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction"}
	}
	r := &redisServer{port: port, args: append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir()}, args...)}
	r.start(t)
	t.Cleanup(r.kill)
	return r
}

func (r *redisServer) start(t *testing.T) {
	t.Helper()
	r.cmd = exec.Command("redis-server", r.args...)
	if err := r.cmd.Start(); err != nil {
		t.Fatalf("%v: apt-get install redis-server", err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+r.port); err == nil {
			fmt.Fprint(conn, "PING\r\n")
			answer := make([]byte, 5)
			_, err := io.ReadFull(conn, answer)
			conn.Close()
			if err == nil && string(answer) == "+PONG" {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("redis-server does not answer")
		}
	}
}

func (r *redisServer) kill() {
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

func (r *redisServer) url() string { return "redis://127.0.0.1:" + r.port + "/0" }

func (h *server) get(t *testing.T, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", h.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answerTo(t, req)
}

const freezeRequest = `{"tool_id":"cantilever-deflection","inputs":{"L":3,"E":210e9,"I":8.356e-5,"w0":12000},"calculation_version":"1.0.0"}`

func (h *server) createSnapshot(t *testing.T) (status int, id, body string) {
	t.Helper()
	status, body = h.post(t, "/api/v1/share", freezeRequest)
	var record struct{ ID string }
	if err := json.Unmarshal([]byte(body), &record); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return status, record.ID, body
}

// createShortSnapshot creates snapshots until it gets a short id. On a busy machine Redis may take longer than the timeout
// of the server.
func (h *server) createShortSnapshot(t *testing.T) (id, body string) {
	t.Helper()
	const tries = 50
	for try := 1; try <= tries; try++ {
		status, id, body := h.createSnapshot(t)
		if status != 200 && status != 201 {
			t.Fatalf("freeze: %d %s", status, body)
		}
		if !strings.HasPrefix(id, "cx_e1_") {
			if len(id) != len("cx_")+26 || status == 200 && try == 1 {
				t.Errorf("freeze: %d %s", status, body)
			}
			return id, body
		}
	}
	t.Fatalf("no short id in %d tries", tries)
	return "", ""
}

// getStored reads from the store. It reads again if the store was too slow to answer.
func (h *server) getStored(t *testing.T, path string) (int, string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		status, body := h.get(t, path)
		if status != 503 || time.Now().After(deadline) {
			return status, body
		}
	}
}

// Snapshots in a store that is restarted, and killed, while the server runs (C2, C6, C7).
func TestRedisRestarts(t *testing.T) {
	r := startRedis(t)
	h := startAll(t, "--redis", r.url(), "--limit", "calc=0,share=0,page=0")
	id, body := h.createShortSnapshot(t)
	const tries = 50
	for try := 1; ; try++ {
		if status, again, same := h.createSnapshot(t); status == 200 && again == id && same == body {
			break
		} else if !strings.HasPrefix(again, "cx_e1_") || try == tries {
			t.Fatalf("freeze again: %d %s", status, same)
		}
	}
	if status, got := h.getStored(t, "/s/"+id); status != 200 || got != body {
		t.Errorf("read: %d %s\nwant %s", status, got, body)
	}

	r.kill()
	if status, got := h.get(t, "/api/v1/share/"+id); status != 503 || !strings.Contains(got, "SNAPSHOT_STORE_UNAVAILABLE") {
		t.Errorf("read while down: %d %s", status, got)
	}
	if status, got := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Errorf("calculate while down: %d %s", status, got)
	}
	status, embedded, warned := h.createSnapshot(t)
	if status != 201 || !strings.HasPrefix(embedded, "cx_e1_") || !strings.Contains(warned, `"warnings":[{"code":"SNAPSHOT_STORE_UNAVAILABLE"`) {
		t.Errorf("freeze while down: %d %s", status, warned)
	}
	if len(embedded) >= 700 {
		t.Errorf("the embedded id of the cantilever has %d characters", len(embedded))
	}
	if status, got := h.get(t, "/s/"+embedded); status != 200 || strings.Contains(got, "warnings\":[{\"code\":\"SNAPSHOT") {
		t.Errorf("read embedded while down: %d %s", status, got)
	}
	if status, got := h.get(t, "/readyz?verbose"); status != 200 || !strings.Contains(got, `"status":"degraded"`) {
		t.Errorf("readyz while down: %d %s", status, got)
	}

	r.start(t)
	if status, got := h.getStored(t, "/s/"+id); status != 200 || got != body {
		t.Errorf("after the restart: %d %s\nwant %s", status, got, body)
	}
}

// C1: a server starts, and serves, although its Redis is down.
func TestRedisDownAtBoot(t *testing.T) {
	r := startRedis(t)
	r.kill()
	h := startServer(t, "--redis", r.url())
	if status, got := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Errorf("calculate: %d %s", status, got)
	}
	if status, got := h.get(t, "/readyz"); status != 200 || !strings.Contains(got, "degraded") {
		t.Errorf("readyz: %d %s", status, got)
	}
}

// C4, C5: a server refuses a Redis that could lose snapshots and reports the setting to change, unless the
// operator accepts the risk.
func TestRedisWithoutPersistence(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--appendonly", "yes", "--maxmemory-policy", "allkeys-lru"}, "noeviction"},
		{[]string{"--appendonly", "no", "--save", ""}, "appendonly"},
	} {
		r := startRedis(t, tt.args...)
		cmd := exec.Command(built.slipstick, "serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir(), "--redis", r.url())
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), tt.want) || !strings.Contains(string(out), "--ephemeral-snapshots") {
			t.Errorf("%v: %v\n%s", tt.args, err, out)
		}
		h := startServer(t, "--redis", r.url(), "--ephemeral-snapshots")
		h.createShortSnapshot(t)
	}
}

// Two servers with one Redis share one limit and their snapshots. If Redis takes longer than 250 ms, as on an
// overloaded machine, each server decides alone. Such a run proves nothing and is repeated with another client.
func TestTwoServers(t *testing.T) {
	r := startRedis(t, "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction")
	args := []string{"--redis", r.url(), "--limit", "calc=7,share=0,page=0", "--trusted-proxy", "127.0.0.0/8", "--snapshot-key", strings.Repeat("2a", 32)}
	hosts := []*server{startAll(t, args...), startAll(t, args...)}
	for _, form := range []string{"203.0.113.%d", "2001:db8:%d::1"} {
		const tries = 20
		for try := 1; ; try++ {
			before := fallbacks(t, hosts)
			accepted := callsAccepted(t, hosts, fmt.Sprintf(form, try))
			if fallbacks(t, hosts) == before {
				if accepted != 7 {
					t.Errorf("%s: %d calls were accepted, want 7", form, accepted)
				}
				break
			}
			if accepted > 14 || try == tries {
				t.Fatalf("%s: %d calls were accepted in try %d", form, accepted, try)
			}
		}
	}
	id, body := hosts[0].createShortSnapshot(t)
	if status, got := hosts[1].getStored(t, "/s/"+id); status != 200 || got != body {
		t.Errorf("read at the other host: %d %s", status, got)
	}
}

// The limits that a server applied without Redis are counted and reported, although Redis is reachable.
func TestLimitsWithoutRedis(t *testing.T) {
	r := startRedis(t, "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction")
	client, err := redis.Open(r.url())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Do(t.Context(), "hset", "slipstick:limit:calc:127.0.0.1/32", "of", "another program"); err != nil {
		t.Fatal(err)
	}
	h := startServer(t, "--redis", r.url(), "--limit", "calc=60")
	before := fallbacks(t, []*server{h})
	if status, got := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Fatalf("calculate: %d %s", status, got)
	}
	if fallbacks(t, []*server{h}) == before {
		t.Error("the call was not counted")
	}
	begin := time.Now()
	for { // the server caches the state of Redis for 2 s
		status, got := h.get(t, "/readyz?verbose")
		if status == 200 && strings.Contains(got, `"code":"LIMITS"`) && strings.Contains(got, `"store":"ok"`) && strings.Contains(got, `"limits":"per process"`) {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("readyz: %d %s", status, got)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// callsAccepted makes 20 calls of one client, to each server in turn.
func callsAccepted(t *testing.T, hosts []*server, client string) int {
	t.Helper()
	accepted := 0
	for i := range 20 {
		status, body := hosts[i%2].post(t, "/api/v1/calc/ohms-law", ohms, "X-Forwarded-For", client)
		switch status {
		case 200:
			accepted++
		case 429:
		default:
			t.Errorf("%d %s", status, body)
		}
	}
	return accepted
}

// fallbacks returns the lines about limits kept per process from the metrics of the servers.
func fallbacks(t *testing.T, hosts []*server) string {
	t.Helper()
	var lines string
	for _, h := range hosts {
		_, figures := h.get(t, "/metrics")
		for line := range strings.Lines(figures) {
			if strings.HasPrefix(line, "slipstick_limit_fallbacks_total ") {
				lines += line
			}
		}
	}
	return lines
}

// C6, C10, P5: every acknowledged snapshot can be read again with the same bytes. The store and then the server
// are killed while snapshots are created.
func TestAcknowledgedSnapshotsSurvive(t *testing.T) {
	t.Parallel()
	for _, fsync := range []string{"everysec", "always"} {
		t.Run(fsync, func(t *testing.T) {
			r := startRedis(t, "--appendonly", "yes", "--appendfsync", fsync, "--maxmemory-policy", "noeviction")
			args := []string{"--redis", r.url(), "--data", t.TempDir()}
			h := startAll(t, args...)
			acknowledged := map[string]string{}
			short := 0
			const creations = 120
			for i := range creations {
				switch i {
				case creations / 3:
					r.kill()
				case 2 * creations / 3:
					r.start(t)
				}
				status, body := h.post(t, "/api/v1/share", fmt.Sprintf(`{"tool_id":"ohms-law","inputs":{"V":12,"R":%d}}`, i+1))
				var record struct{ ID string }
				if err := json.Unmarshal([]byte(body), &record); err != nil || status != 201 && status != 200 {
					t.Fatalf("create %d: %d %s", i, status, body)
				}
				if !strings.HasPrefix(record.ID, "cx_e1_") {
					short++
				}
				acknowledged[record.ID], _, _ = strings.Cut(body, `,"warnings":[{"code":"SNAPSHOT`)
			}
			if err := h.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = h.cmd.Wait()
			h = startAll(t, args...)
			for id, body := range acknowledged {
				if status, got := h.getStored(t, "/s/"+id); status != 200 || !strings.HasPrefix(got, body) {
					t.Errorf("%s: %d %s\nwant %s", id, status, got, body)
				}
			}
			if len(acknowledged) != creations || short == 0 || short == creations {
				t.Errorf("%d of %d acknowledged, %d of them short", len(acknowledged), creations, short)
			}
			t.Logf("%d acknowledged, %d of them in the store; 0 lost", len(acknowledged), short)
		})
	}
}
