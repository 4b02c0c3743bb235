package limit_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// Without a clock in its options, a Local uses the monotonic clock of the process.
func TestLocalClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLocal(limit.Limits{limit.Calc: 1}, nil)
		time.Sleep(1234567891)
		wantAccepted(t, l, nthClient(0), 2, 1)
		time.Sleep(limit.Window - 1)
		wantAccepted(t, l, nthClient(0), 1, 0)
		time.Sleep(time.Nanosecond)
		wantAccepted(t, l, nthClient(0), 2, 1)
	})
}

// atOnce makes calls at the same time and returns how many were accepted.
func atOnce(t *testing.T, calls int, server func(i int) limiter) int {
	t.Helper()
	var accepted atomic.Int64
	var running sync.WaitGroup
	begin := make(chan struct{})
	for i := range calls {
		running.Go(func() {
			<-begin
			if server(i).Allow(t.Context(), limit.Calc, nthClient(0)).Allowed {
				accepted.Add(1)
			}
		})
	}
	close(begin)
	running.Wait()
	return int(accepted.Load())
}

func TestLocalParallel(t *testing.T) {
	l := limit.NewLocal(nil, nil)
	if got := atOnce(t, 1000, func(int) limiter { return l }); got != 60 {
		t.Errorf("%d of 1000 parallel calls accepted, want 60", got)
	}
}

// small returns a Local that stores only a few clients.
func small(clients int, limits limit.Limits) (*limit.Local, *clock) {
	c := &clock{}
	return limit.NewLocal(limits, &limit.Options{Clients: clients, Clock: c.read}), c
}

func TestExpiredClientsAreForgotten(t *testing.T) {
	l, c := small(100, limit.Limits{limit.Calc: 4})
	for i := range 100 {
		wantAccepted(t, l, nthClient(i), 1+i%4, 1+i%4)
	}
	c.now = limit.Window
	for i := range 30 {
		wantAccepted(t, l, nthClient(1000+i), 1, 1)
	}
	if got := l.Clients(); got > 40 {
		t.Errorf("%d clients remembered after their window, want those of the 30 calls since", got)
	}
	if l.Evicted() != 0 {
		t.Errorf("%d evicted, want none", l.Evicted())
	}
}

// Reliability E13: new clients do not evict an exhausted client within its window.
func TestFloodForgetsNoExhaustedClient(t *testing.T) {
	l, c := small(8, limit.Limits{limit.Calc: 4})
	for i := range 4 {
		wantAccepted(t, l, nthClient(i), 4, 4)
	}
	for i := range 10_000 {
		c.now += limit.Window / 20_000
		wantAccepted(t, l, nthClient(1000+i), 1, 1)
	}
	for i := range 4 {
		wantAccepted(t, l, nthClient(i), 1, 0)
	}
	if got := l.Clients(); got > 8 {
		t.Errorf("%d clients remembered, want at most 8", got)
	}
	if got := l.Evicted(); got != 10_000-4 {
		t.Errorf("%d evicted, want %d", got, 10_000-4)
	}
}

func TestLeastUsedIsEvicted(t *testing.T) {
	l, _ := small(3, limit.Limits{limit.Calc: 4})
	wantAccepted(t, l, nthClient(1), 1, 1)
	wantAccepted(t, l, nthClient(3), 3, 3)
	wantAccepted(t, l, nthClient(2), 2, 2)
	wantAccepted(t, l, nthClient(100), 4, 4) // replaces 1
	wantAccepted(t, l, nthClient(101), 4, 4) // replaces 2
	wantAccepted(t, l, nthClient(3), 4, 1)
}

func TestNewcomerAmongExhaustedClients(t *testing.T) {
	l, c := small(3, limit.Limits{limit.Calc: 2})
	for i := range 3 {
		c.now = time.Duration(i) * second
		wantAccepted(t, l, nthClient(i), 2, 2)
	}
	for range 2 {
		if d := l.Allow(t.Context(), limit.Calc, nthClient(9)); d.Allowed || d.RetryAfter != 58*second || d.Remaining != 0 {
			t.Fatalf("newcomer: %+v, want a refusal for 58s", d)
		}
	}
	c.now = limit.Window
	wantAccepted(t, l, nthClient(9), 3, 2)
	for i := range 3 {
		wantAccepted(t, l, nthClient(i), 1, 0) // 0 is a new client now
	}
	if got := l.Evicted(); got != 0 {
		t.Errorf("%d evicted, want none", got)
	}
}

// A Local stores four calls per client. If they are used up before the clients, it evicts only the least used
// clients.
func TestMemoryForCalls(t *testing.T) {
	l, c := small(100, limit.Limits{limit.Calc: 60})
	for i := range 6 {
		wantAccepted(t, l, nthClient(i), 60, 60)
	}
	for i := range 99 {
		wantAccepted(t, l, nthClient(100+i), 1, 1)
	}
	if got, want := l.Clients(), 6+400-6*60; got != want {
		t.Errorf("%d clients remembered, want %d", got, want)
	}
	c.now = second
	wantAccepted(t, l, nthClient(6), 60, 32)
	if d := l.Allow(t.Context(), limit.Calc, nthClient(6)); d.Allowed || d.RetryAfter != 59*second {
		t.Errorf("call beyond the memory: %+v, want a refusal for 59s", d)
	}
	for i := range 6 {
		wantAccepted(t, l, nthClient(i), 1, 0)
	}
	c.now = limit.Window
	wantAccepted(t, l, nthClient(6), 60, 28)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Reliability E13: the memory of a million clients.
func TestMemoryOfClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	const most = 200e6 / limit.DefaultClients
	t.Run("a million clients", func(t *testing.T) {
		before := heap()
		l := limit.NewLocal(nil, nil)
		for i := range 1_000_000 {
			if !l.Allow(t.Context(), limit.Calc, nthClient(i)).Allowed {
				t.Fatalf("client %d refused", i)
			}
		}
		used := float64(heap() - before)
		logMeasured(t, "%d clients with one call: %.1f MB, %.0f bytes each", l.Clients(), used/1e6, used/1e6)
		if l.Clients() != 1_000_000 || l.Evicted() != 0 {
			t.Errorf("%d remembered, %d evicted, want all remembered", l.Clients(), l.Evicted())
		}
		if used > 200e6 {
			t.Errorf("%.0f bytes, want at most 200 MB", used)
		}
	})
	t.Run("full", func(t *testing.T) {
		const clients = limit.DefaultClients / 16
		before := heap()
		l := limit.NewLocal(nil, &limit.Options{Clients: clients})
		for i := range clients * 2 {
			for range 4 {
				l.Allow(t.Context(), limit.Calc, nthClient(i))
			}
		}
		perClient := float64(heap()-before) / clients
		logMeasured(t, "full with 4 calls each: %d clients, %.0f bytes each, %.1f MB for %d", l.Clients(), perClient, perClient*limit.DefaultClients/1e6, limit.DefaultClients)
		if got := l.Clients(); got > clients || got < clients*9/10 {
			t.Errorf("%d clients remembered, want about %d", got, clients)
		}
		if perClient > most {
			t.Errorf("%.0f bytes per client, want at most %.0f", perClient, most)
		}
	})
}
