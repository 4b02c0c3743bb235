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
	by           string // version; "" if the call was refused
}

// callers ask every host all the time, without a pin.
type callers struct {
	mu   sync.Mutex
	list []answered
	stop func() // and wait until the last call is answered
}

// callAll begins to ask the hosts.
func callAll(t *testing.T, hosts ...*host) *callers {
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
				if refused := status == http.StatusServiceUnavailable && strings.Contains(answer, "has not got the current version"); a.by == "" && !refused {
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

// take returns what was answered since the last time.
func (c *callers) take() (list []answered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, c.list = c.list, nil
	return list
}

// through returns the answers since the last call of take, up to the first answer of every host
// with the version.
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

// spread returns for how long calls that got the version before still began after the end of the
// first call that got the next version.
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

// Three hosts under calls while a version is promoted, yanked, promoted and revoked.
func TestHostsMoveTogether(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0", "3.0.0", "4.0.0")
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, engines["1.0.0"])
	r := startRedis(t)
	var hosts []*host
	for range 3 {
		hosts = append(hosts, startHost(t, "--registry", registry, "--follow", "100ms", "--redis", r.url(), "--snapshot-key", sameKey))
	}
	all := func(version string) {
		t.Helper()
		for _, h := range hosts {
			h.awaits(t, `"by":"`+version+`"`, `{"x":1}`)
		}
	}
	all("1.0.0")
	for _, h := range hosts {
		h.awaitsState(t, 200, `"status":"ready"`)
	}
	calls := callAll(t, hosts...)
	defer calls.stop()
	// Of a promotion: each of two hosts knows Redis's clock to half of 0.8 s. Of a withdrawal: what holds even if a host
	// has no processor for a while, because it does not count on time that this computer may lack.
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
	stoppedThrough(t, registry, engines["4.0.0"], hosts)
	if status, text := hosts[0].get(t, "/metrics"); status != 200 || !strings.Contains(text, "slipstick_agreement_late_seconds") {
		t.Errorf("metrics: %d", status)
	}
}

// stoppedThrough promotes a version while the last host is stopped. Calls that come when it
// goes on never get the version before.
func stoppedThrough(t *testing.T, registry, engine string, hosts []*host) {
	t.Helper()
	stopped, others := hosts[len(hosts)-1], hosts[:len(hosts)-1]
	stopped.signal(t, syscall.SIGSTOP)
	resume := sync.OnceFunc(func() { stopped.signal(t, syscall.SIGCONT) })
	defer resume()
	does(t, "publish", "--to", registry, engine)
	for _, h := range others {
		h.awaits(t, `"by":"4.0.0"`, `{"x":1}`)
	}
	var conns []net.Conn // with calls that are there before the host can have noticed
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
		if by := byOf(string(answer)); err != nil || by != "4.0.0" && !strings.Contains(string(answer), "has not got the current version") {
			t.Errorf("a host that was stopped answers %s %v", answer, err)
		}
	}
	stopped.awaits(t, `"by":"4.0.0"`, `{"x":1}`)
	stopped.awaitsState(t, 200, `"status":"ready"`)
}

// Two publishers give one version other bytes, each in a registry of their own: all hosts keep
// those that came first, and the others say whose they are.
func TestHostsRefuseOtherBytes(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	first, second := twoRegistries(t, engines["1.0.0"])
	r := startRedis(t)
	start := func(registry string) *host {
		return startHost(t, "--registry", registry, "--follow", "100ms", "--redis", r.url(), "--snapshot-key", sameKey)
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
	for _, h := range []*host{b, third} {
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

// What an attacker writes to Redis, in the name of a server with other keys, makes no server that
// is ready unready, and fails no call. A server that starts meanwhile gets ready.
func TestForgedRecords(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	start := func() *host { return startHost(t, "--redis", r.url(), "--snapshot-key", sameKey) }
	hosts := []*host{start(), start()}
	for _, h := range hosts {
		h.awaitsState(t, 200, `"status":"ready"`)
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
	noticed := func(h *host) (n int) {
		_, figures := h.get(t, "/metrics")
		for line := range strings.Lines(figures) {
			_, _ = fmt.Sscanf(line, "slipstick_agreement_forged_total %d", &n)
		}
		return n
	}
	attack()
	hosts = append(hosts, start())
	for deadline := time.Now().Add(patience); slices.ContainsFunc(hosts, func(h *host) bool { return noticed(h) < 6 }); {
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
