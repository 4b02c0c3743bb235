package system

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// answered is one answer to a call without a pin.
type answered struct {
	host         int
	began, ended time.Time
	by           string // the version, or "" if the call was refused
}

// callers call every server continuously, without a pin.
type callers struct {
	mu   sync.Mutex
	list []answered
	stop func() // stop waits until the last call is answered
}

// callAll starts callers of the servers.
func callAll(t *testing.T, hosts ...*server) *callers {
	end, wg := make(chan struct{}), new(sync.WaitGroup)
	c := &callers{stop: sync.OnceFunc(func() {
		close(end)
		wg.Wait()
	})}
	for i, h := range hosts {
		wg.Go(func() {
			pace := time.NewTicker(5 * time.Millisecond)
			defer pace.Stop()
			for {
				select {
				case <-end:
					return
				case <-pace.C:
				}
				a := answered{host: i, began: time.Now()}
				status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`)
				a.by = byOf(answer)
				if status != http.StatusOK {
					a.by = ""
				}
				a.ended = time.Now()
				if refused := status == http.StatusServiceUnavailable && strings.Contains(answer, "does not have the current version"); a.by == "" && !refused {
					t.Errorf("host %d: %d %s", i, status, answer)
				}
				c.mu.Lock()
				c.list = append(c.list, a)
				c.mu.Unlock()
			}
		})
	}
	return c
}

// take returns the answers since the previous call of take.
func (c *callers) take() (list []answered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, c.list = c.list, nil
	return list
}

// through returns the answers since the last call of take, up to the first answer of every server with the
// version.
func (c *callers) through(t *testing.T, version string, hosts int) (list []answered) {
	t.Helper()
	await(t, "an answer of every host with version "+version, func() bool {
		list = append(list, c.take()...)
		arrived := map[int]bool{}
		for _, a := range list {
			if a.by == version {
				arrived[a.host] = true
			}
		}
		return len(arrived) == hosts
	})
	return list
}

// spread returns how long calls with the old version still started after the end of the first call with the next
// version.
func spread(list []answered, before, next string) (d time.Duration) {
	var first, last time.Time
	for _, a := range list {
		if a.by == next && (first.IsZero() || a.ended.Before(first)) {
			first = a.ended
		}
		if a.by == before && a.began.After(last) {
			last = a.began
		}
	}
	return max(0, last.Sub(first))
}

// Three servers get calls while a version is promoted, yanked, promoted and revoked.
func TestServersSwitchTogether(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0", "3.0.0", "4.0.0")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	r := startRedis(t)
	var hosts []*server
	for range 3 {
		hosts = append(hosts, startServer(t, "--registry", registry, "--follow", "100ms", "--redis", r.url(), "--snapshot-key", sameKey))
	}
	all := func(version string) {
		t.Helper()
		for _, h := range hosts {
			h.awaits(t, `"by":"`+version+`"`, `{"x":1}`)
		}
	}
	all("1.0.0")
	for _, h := range hosts {
		h.awaitState(t, 200, `"status":"ready"`)
	}
	calls := callAll(t, hosts...)
	defer calls.stop()
	// precise applies to a promotion: each of two servers knows Redis's clock to half of 0.8 s. withdrawn applies
	// to a withdrawal. It holds even if a server gets no CPU for a while, because it does not rely on a timer of
	// this computer.
	const precise, withdrawn = 800 * time.Millisecond, 6500 * time.Millisecond
	for _, step := range []struct {
		what         []string
		before, next string
		bound        time.Duration
	}{
		{[]string{"publish", "--to", registry, engines["2.0.0"]}, "1.0.0", "2.0.0", precise},
		{[]string{"yank", "--registry", registry, "swap", "2.0.0", "--reason", "test"}, "2.0.0", "1.0.0", withdrawn},
		{[]string{"publish", "--to", registry, engines["3.0.0"]}, "1.0.0", "3.0.0", precise},
		{[]string{"revoke", "--registry", registry, "swap", "3.0.0", "--reason", "test"}, "3.0.0", "1.0.0", withdrawn},
	} {
		calls.take()
		does(t, step.what...)
		all(step.next)
		list := calls.through(t, step.next, len(hosts))
		d := spread(list, step.before, step.next)
		t.Logf("%s: %v apart, %d calls", step.what[0], d, len(list))
		if d > step.bound {
			t.Errorf("%s: hosts answered from two versions for %v, want at most %v", step.what[0], d, step.bound)
		}
		for _, a := range list {
			if a.by == "" {
				t.Errorf("%s: host %d refused a call", step.what[0], a.host)
				break
			}
		}
	}
	calls.stop()
	promoteWhileStopped(t, registry, engines["4.0.0"], hosts)
	if status, text := hosts[0].get(t, "/metrics"); status != 200 || !strings.Contains(text, "slipstick_agreement_late_seconds") {
		t.Errorf("metrics: %d", status)
	}
}

// promoteWhileStopped promotes a version while the last server is stopped. Calls that arrive when the server continues
// never get the old version.
func promoteWhileStopped(t *testing.T, registry, engine string, hosts []*server) {
	t.Helper()
	stopped, others := hosts[len(hosts)-1], hosts[:len(hosts)-1]
	stopped.signal(t, syscall.SIGSTOP)
	resume := sync.OnceFunc(func() { stopped.signal(t, syscall.SIGCONT) })
	defer resume()
	does(t, "publish", "--to", registry, engine)
	for _, h := range others {
		h.awaits(t, `"by":"4.0.0"`, `{"x":1}`)
	}
	var conns []net.Conn // connections with calls that arrive before the server can have noticed the promotion
	for range 20 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(stopped.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "POST /api/v1/calc/swap HTTP/1.1\r\nHost: slipstick\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 7\r\n\r\n{\"x\":1}")
		conns = append(conns, conn)
	}
	resume()
	for _, conn := range conns {
		answer, err := io.ReadAll(conn)
		if by := byOf(string(answer)); err != nil || by != "4.0.0" && !strings.Contains(string(answer), "does not have the current version") {
			t.Errorf("a host that was stopped answers %s %v", answer, err)
		}
	}
	stopped.awaits(t, `"by":"4.0.0"`, `{"x":1}`)
	stopped.awaitState(t, 200, `"status":"ready"`)
}

// Two publishers give one version different bytes, each in its own registry. All servers keep the bytes that came
// first, and the other servers report their source.
func TestServersRefuseOtherBytes(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	first, second := twoRegistries(t, engines["1.0.0"])
	r := startRedis(t)
	start := func(registry string) *server {
		return startServer(t, "--registry", registry, "--follow", "100ms", "--redis", r.url(), "--snapshot-key", sameKey)
	}
	a, b := start(first), start(second)
	does(t, "publish", "--to", first, engines["2.0.0"])
	a.awaits(t, `"by":"2.0.0"`, `{"x":1}`, pinHeader, "2.0.0")
	does(t, "publish", "--to", second, otherBytes(t, engines["2.0.0"]))
	status, answer := b.awaits(t, `"ENGINE_UNAVAILABLE"`, `{"x":1}`, pinHeader, "2.0.0")
	if status != 503 {
		t.Errorf("other bytes: %d %s", status, answer)
	}
	third := start(second)
	for _, h := range []*server{b, third} {
		if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`, pinHeader, "2.0.0"); status != 503 {
			t.Errorf("other bytes: %d %s", status, answer)
		}
		if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`, pinHeader, "1.0.0"); status != 200 || byOf(answer) != "1.0.0" {
			t.Errorf("the version before: %d %s", status, answer)
		}
		if status, text := h.get(t, "/metrics"); status != 200 || !slices.Contains(strings.Split(text, "\n"), "slipstick_agreement_refused 1") {
			t.Errorf("metrics: %d, want one version refused", status)
		}
	}
	if status, answer := a.post(t, "/api/v1/calc/swap", `{"x":1}`, pinHeader, "2.0.0"); status != 200 {
		t.Errorf("the first bytes: %d %s", status, answer)
	}
}

// An attacker writes records to Redis, in the name of a server with other keys. No ready server becomes unready,
// and no call fails. A server that starts in the meantime becomes ready.
func TestForgedRecords(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	start := func() *server { return startServer(t, "--redis", r.url(), "--snapshot-key", sameKey) }
	hosts := []*server{start(), start()}
	for _, h := range hosts {
		h.awaitState(t, 200, `"status":"ready"`)
	}
	client, err := redis.Open(r.url())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	id, print := strings.Repeat("7", 32), strings.Repeat("0", 32)
	record := `{"address":"127.0.0.1:9","joined":1,"signs":"` + print + `","knows":["` + print + `"],"ready":true,"admitted":true,"looked":1,"told":` + fmt.Sprint(time.Now().UnixMilli()) + `}`
	attack := func() {
		for keys, seal := range map[string]string{"slipstick:agree:{slipstick}:": "", "slipstick:agree2:{slipstick}:": "x "} {
			for _, words := range [][]any{
				{"zadd", keys + "alive", time.Now().UnixMilli(), id}, {"hset", keys + "hosts", id, seal + record},
				{"hset", keys + "current", "electrical.basic.ohms_law", seal + "9 99 0 9.9.9 -"}, {"zadd", keys + "changes", 10, "electrical.basic.ohms_law"}, {"set", keys + "counter", 10},
			} {
				if _, err := client.Do(t.Context(), words...); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	noticed := func(h *server) (n int) {
		_, figures := h.get(t, "/metrics")
		for line := range strings.Lines(figures) {
			_, _ = fmt.Sscanf(line, "slipstick_agreement_forged_total %d", &n)
		}
		return n
	}
	attack()
	hosts = append(hosts, start())
	for deadline := time.Now().Add(patience); slices.ContainsFunc(hosts, func(h *server) bool { return noticed(h) < 6 }); {
		attack()
		for i, h := range hosts {
			if status, body := h.get(t, "/readyz?verbose"); status != 200 {
				t.Fatalf("server %d: %d %s", i, status, body)
			}
			if status, body := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
				t.Fatalf("server %d: %d %s", i, status, body)
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the servers do not count what they ignore")
		}
	}
}
