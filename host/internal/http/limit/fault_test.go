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

// atomicClock is a clock that a test sets while other goroutines make calls.
type atomicClock struct{ ns atomic.Int64 }

func (c *atomicClock) read() time.Duration     { return time.Duration(c.ns.Load()) }
func (c *atomicClock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// waitForRedis makes calls until the server notices that Redis answers again.
func waitForRedis(t *testing.T, server *limit.Shared, c *atomicClock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i := 0; server.Degraded(); i++ {
		if ctx.Err() != nil {
			t.Fatal("still degraded")
		}
		c.advance(time.Second)
		server.Allow(t.Context(), limit.Page, nthClient(1_000_000+i))
	}
}

// connect opens the connection, which can take longer than the deadline of a call.
func connect(t *testing.T, server *limit.Shared, c *atomicClock) {
	t.Helper()
	server.Allow(t.Context(), limit.Page, nthClient(999_999))
	waitForRedis(t, server, c)
}

// Reliability C1: Redis is down at start.
func TestRedisDownAtStart(t *testing.T) {
	s := startRedis(t)
	s.kill()
	c := &atomicClock{}
	server := newShared(t, s.addr, nil, c.read)
	if server.FellBackWithin(time.Hour) {
		t.Error("a fallback before the first call")
	}
	if d := server.Allow(t.Context(), limit.Calc, nthClient(0)); !d.Allowed || d.Remaining != 59 || d.Reset != limit.Window {
		t.Errorf("first call: %+v, want what the windows of the server give", d)
	}
	wantAccepted(t, server, nthClient(0), 100, 59)
	if !server.Degraded() || server.Fallbacks() != 60 {
		t.Errorf("degraded %v, %d fallbacks", server.Degraded(), server.Fallbacks())
	}
	c.advance(10 * time.Second)
	if !server.FellBackWithin(11*time.Second) || server.FellBackWithin(10*time.Second) {
		t.Error("a fallback 10 s ago was not reported for 11 s, or was reported for 10 s")
	}
}

// deadlines records the deadlines of commands.
type deadlines struct {
	redis.Client
	at []time.Time
}

func (d *deadlines) Do(ctx context.Context, words ...any) (any, error) {
	at, _ := ctx.Deadline()
	d.at = append(d.at, at)
	return d.Client.Do(ctx, words...)
}

// A server waits for a Redis that a busy machine stops briefly. Servers that count alone accept more than the
// limit.
func TestRedisHasTime(t *testing.T) {
	asked := &deadlines{Client: newClient(t, startRedis(t).addr)}
	server := limit.NewShared(asked, limit.NewLocal(nil, nil))
	begin := time.Now()
	server.Allow(t.Context(), limit.Calc, nthClient(0))
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
	server := newShared(t, s.addr, nil, c.read)
	connect(t, server, c)

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
					d := server.Allow(t.Context(), limit.Calc, nthClient(i))
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
	logMeasured(t, "killed under load: most accepted %d, slowest decision %v, %d without Redis", most, slowest, server.Fallbacks())
	if !server.Degraded() || server.Fallbacks() == 0 {
		t.Errorf("degraded %v, %d fallbacks after the kill", server.Degraded(), server.Fallbacks())
	}
	if slowest > time.Second {
		t.Errorf("slowest decision %v", slowest)
	}

	s.start(t)
	waitForRedis(t, server, c)
	// A ping has possibly shown that Redis is back, and a ping records nothing.
	other := newClient(t, s.addr)
	for i := 0; ask(t, other, "dbsize") == int64(0); i++ {
		if i == 100 {
			t.Fatal("nothing recorded in Redis after it came back")
		}
		server.Allow(t.Context(), limit.Page, nthClient(2_000_000+i))
	}
	if c.read() < limit.Window {
		wantAccepted(t, server, nthClient(0), 1, 0) // Redis has lost the calls, but the server has them
	}
}

// Reliability C3: Redis answers too late.
func TestRedisSlow(t *testing.T) {
	for _, delay := range []time.Duration{300 * time.Millisecond, 5 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			p := startProxy(t, startRedis(t).addr)
			c := &atomicClock{}
			server := newShared(t, p.Addr().String(), nil, c.read)
			connect(t, server, c)
			before := runtime.NumGoroutine()
			p.delay.Store(int64(delay))

			var slowest time.Duration
			begin := time.Now()
			for k := range 100 {
				for i := range 10 {
					start := time.Now()
					d := server.Allow(t.Context(), limit.Calc, nthClient(i))
					slowest = max(slowest, time.Since(start))
					if want := k < 60; d.Allowed != want {
						t.Fatalf("call %d of client %d: accepted %v, want %v", k, i, d.Allowed, want)
					}
				}
			}
			took, goroutines := time.Since(begin), runtime.NumGoroutine()-before
			logMeasured(t, "answers after %v: 1000 decisions in %v, slowest %v, %d goroutines more", delay, took, slowest, goroutines)
			if slowest > time.Second || took > 2*time.Second {
				t.Errorf("1000 decisions took %v, the slowest %v, want one that waits 250ms", took, slowest)
			}
			if goroutines > 10 {
				t.Errorf("%d goroutines more", goroutines)
			}
			if !server.Degraded() {
				t.Error("not degraded")
			}
			p.delay.Store(0)
			waitForRedis(t, server, c)
		})
	}
}

// Many callers wait for a Redis that does not answer. The calls in progress at the failure wait for 250 ms, and
// after that one call a second waits.
func TestOneProbeASecond(t *testing.T) {
	p := startProxy(t, startRedis(t).addr)
	c := &atomicClock{}
	asked := &counting{Client: newClient(t, p.Addr().String())}
	server := limit.NewShared(asked, limit.NewLocal(nil, &limit.Options{Clock: c.read}))
	connect(t, server, c)
	p.delay.Store(int64(time.Minute))
	wantAccepted(t, server, nthClient(0), 1, 1)
	asked.commands.Store(0)
	const seconds = 5
	for second := range seconds {
		c.advance(time.Second)
		var running sync.WaitGroup
		for range 50 {
			running.Go(func() {
				for i := range 20 {
					server.Allow(t.Context(), limit.Calc, nthClient(100*second+i))
				}
			})
		}
		running.Wait()
	}
	if got := asked.commands.Load(); got != seconds {
		t.Errorf("Redis asked %d times in %d s, want once a second", got, seconds)
	}
}

// A caller who leaves is not a failure of Redis, and the call counts.
func TestCallerLeaves(t *testing.T) {
	s := startRedis(t)
	server := newPatientShared(t, s.addr, nil, nil)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 60 {
		server.Allow(canceled, limit.Calc, nthClient(0))
	}
	if server.Degraded() || server.Fallbacks() != 0 {
		t.Errorf("degraded %v, %d fallbacks", server.Degraded(), server.Fallbacks())
	}
	wantAccepted(t, newPatientShared(t, s.addr, nil, nil), nthClient(0), 1, 0)
}
