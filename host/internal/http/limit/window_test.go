package limit_test

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

const (
	second = time.Second
	tick   = time.Microsecond // the resolution of Redis
)

// deployment is a service of some servers with a clock that a test sets.
type deployment struct {
	limiter
	advance func(d time.Duration)
}

// roundRobin sends each call to the next server.
type roundRobin struct {
	servers []limiter
	next    int
}

func (r *roundRobin) Allow(ctx context.Context, surface string, client netip.Prefix) limit.Decision {
	r.next++
	return r.servers[r.next%len(r.servers)].Allow(ctx, surface, client)
}

var deployments = []struct {
	name string
	open func(t *testing.T, limits limit.Limits) deployment
}{
	{"local", localDeployment},
	{"shared by one server", func(t *testing.T, limits limit.Limits) deployment { return sharedDeployment(t, limits, 1) }},
	{"shared by two servers", func(t *testing.T, limits limit.Limits) deployment { return sharedDeployment(t, limits, 2) }},
}

func localDeployment(_ *testing.T, limits limit.Limits) deployment {
	c := &clock{}
	return deployment{limit.NewLocal(limits, &limit.Options{Clock: c.read}), func(d time.Duration) { c.now += d }}
}

func sharedDeployment(t *testing.T, limits limit.Limits, servers int) deployment {
	m, c := miniredis.RunT(t), &clock{}
	start := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	m.SetTime(start)
	service := &roundRobin{}
	for range servers {
		service.servers = append(service.servers, newPatientShared(t, m.Addr(), limits, c.read))
	}
	return deployment{service, func(d time.Duration) {
		c.now += d
		m.SetTime(start.Add(c.now))
	}}
}

func TestWindow(t *testing.T) {
	type step struct {
		wait      time.Duration
		calls     int
		accepted  int
		remaining int           // after the last call
		reset     time.Duration // after the last call
	}
	for _, tt := range []struct {
		name  string
		limit int
		steps []step
	}{
		{"counts down", 3, []step{{0, 1, 1, 2, 60 * second}, {5 * second, 1, 1, 1, 55 * second}, {5 * second, 1, 1, 0, 50 * second}}},
		{"never more than the limit", 3, []step{{0, 5, 3, 0, 60 * second}}},
		{"half open", 3, []step{{0, 3, 3, 0, 60 * second}, {60*second - tick, 1, 0, 0, tick}, {tick, 4, 3, 0, 60 * second}}},
		{"slides", 3, []step{
			{0, 1, 1, 2, 60 * second}, {30 * second, 1, 1, 1, 30 * second}, {29 * second, 2, 1, 0, 1 * second},
			{1 * second, 2, 1, 0, 30 * second}, {30 * second, 2, 1, 0, 29 * second}, {28 * second, 1, 0, 0, 1 * second},
		}},
		{"refused calls do not count", 2, []step{{0, 2, 2, 0, 60 * second}, {59 * second, 50, 0, 0, 1 * second}, {1 * second, 3, 2, 0, 60 * second}}},
		{"limit of one", 1, []step{{0, 2, 1, 0, 60 * second}, {60 * second, 2, 1, 0, 60 * second}, {60*second + tick, 2, 1, 0, 60 * second}}},
		{"after a pause", 2, []step{{0, 2, 2, 0, 60 * second}, {49 * 24 * time.Hour, 3, 2, 0, 60 * second}}},
		{"no limit", 0, []step{{0, 500, 500, 0, 0}}},
	} {
		for _, w := range deployments {
			t.Run(tt.name+"/"+w.name, func(t *testing.T) {
				w := w.open(t, limit.Limits{limit.Calc: tt.limit})
				for i, s := range tt.steps {
					w.advance(s.wait)
					var count int
					var last limit.Decision
					for range s.calls {
						last = w.Allow(t.Context(), limit.Calc, nthClient(0))
						if last.Allowed {
							count++
						}
					}
					want := limit.Decision{
						Surface: limit.Calc, Allowed: s.accepted == s.calls, Limit: tt.limit,
						Remaining: s.remaining, Reset: s.reset,
					}
					if !want.Allowed {
						want.RetryAfter = s.reset
					}
					if count != s.accepted || last != want {
						t.Fatalf("step %d: %d accepted, last %+v; want %d, %+v", i, count, last, s.accepted, want)
					}
				}
			})
		}
	}
}

func TestWindowsAreApart(t *testing.T) {
	everybody := []netip.Prefix{
		nthClient(0), nthClient(1), {},
		netip.MustParsePrefix("2001:db8:2:3::/64"), netip.MustParsePrefix("2001:db8:2:4::/64"),
		netip.MustParsePrefix("::/64"), netip.MustParsePrefix("0.0.0.0/32"),
	}
	limits := limit.Limits{limit.Calc: 1, limit.MCP: 2, limit.MCPExec: 3, limit.Share: 4, limit.Page: 5}
	for _, w := range deployments {
		t.Run(w.name, func(t *testing.T) {
			w := w.open(t, limits)
			for _, client := range everybody {
				for surface, n := range limits {
					if got := accepted(t, w, surface, client, 10); got != n {
						t.Errorf("%v on %s: %d accepted, want %d", client, surface, got, n)
					}
				}
			}
		})
	}
}

// TestExactness compares random calls with an oracle that counts by brute force
// (reliability P8, D3).
func TestExactness(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for _, n := range []int{1, 2, 7, 60} {
		for _, w := range deployments {
			t.Run(limit.Limits{limit.Calc: n}.String()+"/"+w.name, func(t *testing.T) {
				arrivals := 1_000_000
				if w.name != "local" {
					arrivals = 4_000
				}
				drive(t, w.open(t, limit.Limits{limit.Calc: n}), n, arrivals)
			})
		}
	}
}

func drive(t *testing.T, w deployment, n, arrivals int) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	histories := make([][]time.Duration, 3)
	var now time.Duration
	var refused, falseRefusals, excess int
	for range arrivals {
		i := random.IntN(len(histories))
		gap := randomGap(random, n, histories[i], now)
		now += gap
		w.advance(gap)
		inWindow := 0
		for k := len(histories[i]) - 1; k >= 0 && histories[i][k] > now-limit.Window; k-- {
			inWindow++
		}
		switch d := w.Allow(t.Context(), limit.Calc, nthClient(i)); {
		case d.Allowed:
			histories[i] = append(histories[i], now)
			if inWindow >= n {
				excess++
			}
		case inWindow < n:
			falseRefusals++
		default:
			refused++
			if want := histories[i][len(histories[i])-n] + limit.Window - now; d.RetryAfter != want {
				t.Fatalf("RetryAfter %v, want %v", d.RetryAfter, want)
			}
		}
	}
	var most, total int
	for _, h := range histories {
		most = max(most, maxInAnyWindow(h))
		total += len(h)
	}
	logMeasured(t, "N %d: %d calls, %d accepted, %d refused, most in any 60 s %d, false refusals %d", n, arrivals, total, refused, most, falseRefusals)
	if most != n || falseRefusals != 0 || excess != 0 {
		t.Errorf("most in a window %d, want %d; %d false refusals, %d in excess", most, n, falseRefusals, excess)
	}
}

// randomGap prefers the times at which decisions change.
func randomGap(random *rand.Rand, n int, history []time.Duration, now time.Duration) time.Duration {
	switch random.IntN(8) {
	case 0, 1, 2:
		return 0
	case 3:
		return tick
	case 4:
		if len(history) >= n {
			edge := history[len(history)-n] + limit.Window - now + time.Duration(random.IntN(3)-1)*tick
			return max(edge, 0)
		}
	case 5:
		if random.IntN(4*n) == 0 {
			return time.Duration(random.Int64N(int64(2*limit.Window/tick))) * tick
		}
	}
	return time.Duration(random.ExpFloat64()*float64(limit.Window/tick)/float64(8*n)) * tick
}

func maxInAnyWindow(history []time.Duration) int {
	var most int
	for i, start := range history {
		k := i
		for k < len(history) && history[k] < start+limit.Window {
			k++
		}
		most = max(most, k-i)
	}
	return most
}
