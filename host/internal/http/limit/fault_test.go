package limit_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// atomicClock is one that a test sets while calls are made.
type atomicClock struct{ ns atomic.Int64 }

func (c *atomicClock) read() time.Duration     { return time.Duration(c.ns.Load()) }
func (c *atomicClock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// settled makes probes until the host hears of Redis again.
func settled(t *testing.T, host *limit.Shared, c *atomicClock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i := 0; host.Degraded(); i++ {
		if ctx.Err() != nil {
			t.Fatal("still degraded")
		}
		c.advance(time.Second)
		host.Allow(t.Context(), limit.Page, someone(1_000_000+i))
	}
}

// warm makes the connection, which may take more than the deadline of a call.
func warm(t *testing.T, host *limit.Shared, c *atomicClock) {
	t.Helper()
	host.Allow(t.Context(), limit.Page, someone(999_999))
	settled(t, host, c)
}

// Reliability C1: no Redis at start.
func TestRedisDownAtStart(t *testing.T) {
	s := startRedis(t)
	s.kill()
	c := &atomicClock{}
	host := sharedHost(t, s.addr, nil, c.read)
	if host.Alone(time.Hour) {
		t.Error("alone before the first call")
	}
	if d := host.Allow(t.Context(), limit.Calc, someone(0)); !d.Allowed || d.Remaining != 59 || d.Reset != limit.Window {
		t.Errorf("first call: %+v, want what the windows of the host say", d)
	}
	wantAccepted(t, host, someone(0), 100, 59)
	if !host.Degraded() || host.Fallbacks() != 60 {
		t.Errorf("degraded %v, %d fallbacks", host.Degraded(), host.Fallbacks())
	}
	c.advance(10 * time.Second)
	if !host.Alone(11*time.Second) || host.Alone(10*time.Second) {
		t.Error("alone 10 s ago was not told for 11 s, or for 10 s")
	}
}

// deadlines notes until when commands have time.
type deadlines struct {
	redis.Client
	at []time.Time
}

func (d *deadlines) Do(ctx context.Context, words ...any) (any, error) {
	at, _ := ctx.Deadline()
	d.at = append(d.at, at)
	return d.Client.Do(ctx, words...)
}

// A Redis that a busy machine stops for a moment is waited for: hosts that count alone accept
// more than the limit.
func TestRedisHasTime(t *testing.T) {
	asked := &deadlines{Client: newClient(t, startRedis(t).addr)}
	host := limit.NewShared(asked, limit.NewLocal(nil, nil))
	begin := time.Now()
	host.Allow(t.Context(), limit.Calc, someone(0))
	latest := time.Now().Add(250 * time.Millisecond)
	if len(asked.at) == 0 {
		t.Fatal("Redis was not asked")
	}
	for _, at := range asked.at {
		if at.Before(begin.Add(250*time.Millisecond)) || at.After(latest) {
			t.Errorf("Redis has %v, want 250ms", at.Sub(begin))
		}
	}
}

// Reliability C2, C4 and P7: Redis is killed under load, and starts again without data.
func TestRedisKilled(t *testing.T) {
	s, c := startRedis(t), &atomicClock{}
	host := sharedHost(t, s.addr, nil, c.read)
	warm(t, host, c)

	const clients, callers, calls = 50, 8, 100 // a caller makes calls for every client
	var counts [clients]atomic.Int64
	var mu sync.Mutex
	var slowest time.Duration
	var running sync.WaitGroup
	half := make(chan struct{})
	var once sync.Once
	for range callers {
		running.Go(func() {
			var longest time.Duration
			for k := range calls {
				if k == 3 {
					once.Do(func() { close(half) })
				}
				for i := range clients {
					begin := time.Now()
					d := host.Allow(t.Context(), limit.Calc, someone(i))
					longest = max(longest, time.Since(begin))
					if d.Allowed {
						counts[i].Add(1)
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			slowest = max(slowest, longest)
		})
	}
	<-half
	s.kill()
	running.Wait()
	var most int64
	for i := range counts {
		if got := counts[i].Load(); got != 60 {
			t.Errorf("client %d: %d accepted, want 60", i, got)
		}
		most = max(most, counts[i].Load())
	}
	figure(t, "killed under load: most accepted %d, slowest decision %v, %d without Redis", most, slowest, host.Fallbacks())
	if !host.Degraded() || host.Fallbacks() == 0 {
		t.Errorf("degraded %v, %d fallbacks after the kill", host.Degraded(), host.Fallbacks())
	}
	if slowest > time.Second {
		t.Errorf("slowest decision %v", slowest)
	}

	s.start(t)
	settled(t, host, c)
	// A ping may have told the host that Redis is back, and records nothing.
	other := newClient(t, s.addr)
	for i := 0; ask(t, other, "dbsize") == int64(0); i++ {
		if i == 100 {
			t.Fatal("nothing recorded in Redis after it came back")
		}
		host.Allow(t.Context(), limit.Page, someone(2_000_000+i))
	}
	if c.read() < limit.Window {
		wantAccepted(t, host, someone(0), 1, 0) // Redis knows nothing, the host does
	}
}

// Reliability C3: Redis answers too late.
func TestRedisSlow(t *testing.T) {
	for _, delay := range []time.Duration{300 * time.Millisecond, 5 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			p := startProxy(t, startRedis(t).addr)
			c := &atomicClock{}
			host := sharedHost(t, p.Addr().String(), nil, c.read)
			warm(t, host, c)
			before := runtime.NumGoroutine()
			p.delay.Store(int64(delay))

			var slowest time.Duration
			begin := time.Now()
			for k := range 100 {
				for i := range 10 {
					start := time.Now()
					d := host.Allow(t.Context(), limit.Calc, someone(i))
					slowest = max(slowest, time.Since(start))
					if want := k < 60; d.Allowed != want {
						t.Fatalf("call %d of client %d: accepted %v, want %v", k, i, d.Allowed, want)
					}
				}
			}
			took, goroutines := time.Since(begin), runtime.NumGoroutine()-before
			figure(t, "answers after %v: 1000 decisions in %v, slowest %v, %d goroutines more", delay, took, slowest, goroutines)
			if slowest > time.Second || took > 2*time.Second {
				t.Errorf("1000 decisions took %v, the slowest %v, want one that waits 250ms", took, slowest)
			}
			if goroutines > 10 {
				t.Errorf("%d goroutines more", goroutines)
			}
			if !host.Degraded() {
				t.Error("not degraded")
			}
			p.delay.Store(0)
			settled(t, host, c)
		})
	}
}

// Many callers at a Redis that does not answer: those under way when it is noticed wait
// for 250 ms, and then one call a second does.
func TestOneProbeASecond(t *testing.T) {
	p := startProxy(t, startRedis(t).addr)
	c := &atomicClock{}
	asked := &counting{Client: newClient(t, p.Addr().String())}
	host := limit.NewShared(asked, limit.NewLocal(nil, &limit.Options{Clock: c.read}))
	warm(t, host, c)
	p.delay.Store(int64(time.Minute))
	wantAccepted(t, host, someone(0), 1, 1)
	asked.commands.Store(0)
	const seconds = 5
	for second := range seconds {
		c.advance(time.Second)
		var running sync.WaitGroup
		for range 50 {
			running.Go(func() {
				for i := range 20 {
					host.Allow(t.Context(), limit.Calc, someone(100*second+i))
				}
			})
		}
		running.Wait()
	}
	if got := asked.commands.Load(); got != seconds {
		t.Errorf("Redis asked %d times in %d s, want once a second", got, seconds)
	}
}

// A caller who leaves is no failure of Redis, and the call counts.
func TestCallerLeaves(t *testing.T) {
	s := startRedis(t)
	host := patientHost(t, s.addr, nil, nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 60 {
		host.Allow(gone, limit.Calc, someone(0))
	}
	if host.Degraded() || host.Fallbacks() != 0 {
		t.Errorf("degraded %v, %d fallbacks", host.Degraded(), host.Fallbacks())
	}
	wantAccepted(t, patientHost(t, s.addr, nil, nil), someone(0), 1, 0)
}
