package pool

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// hostileVersions is the number of versions of one capability that take places.
const hostileVersions = 24

// Versions of one capability that hang, fail or are slow at their start do not delay starts of
// another capability. This is so even if they are called all the time, and also for the replacement
// of a killed process.
func TestHostileStarts(t *testing.T) {
	slow := func(ctx context.Context) error { return pauseFor(ctx, 4500*time.Millisecond) }
	for name, start := range map[string]func(context.Context) error{"hang": hangs, "fail": fails, "slow": slow} {
		for _, before := range []string{"untried", "proven"} {
			t.Run(name+"/"+before, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { hostileStarts(t, start, before == "proven") })
			})
		}
	}
}

func hostileStarts(t *testing.T, start func(context.Context) error, proven bool) {
	p, f := newFakes(t, Options{})
	var hostile []*behavior
	for i := range hostileVersions {
		b := f.add("test.hostile.all", fmt.Sprintf("1.0.%d", i))
		if proven {
			answers(t, p, b)
		}
		b.start = start
		hostile = append(hostile, b)
	}
	warm, failed := f.add("test.good.warm", "1.0.0"), f.add("test.good.failed", "1.0.0")
	answers(t, p, warm)
	failed.start = fails
	if _, err := p.Calculate(t.Context(), time.Second, failed.program, input(1, "")); err == nil {
		t.Fatal("a program that fails at its start answers")
	}
	failed.start = nil
	for _, b := range hostile {
		b.kill()
	}

	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for _, b := range hostile {
		callers.Go(func() {
			for ctx.Err() == nil {
				_, _ = p.Calculate(ctx, 5*time.Second, b.program, input(1, ""))
				_ = pauseFor(ctx, 100*time.Millisecond)
			}
		})
	}
	for second := range 60 {
		fresh := f.add(fmt.Sprintf("test.good.fresh%d", second), "1.0.0")
		for _, b := range []*behavior{fresh, warm, failed} {
			if took := answers(t, p, b); took > time.Second {
				t.Errorf("second %d: %s took %v", second, b.program.Spec.Capability, took)
			}
		}
		warm.kill()
		failed.kill()
		time.Sleep(time.Second)
	}
	stop()
	callers.Wait()
	// Two starts of two processes in each of two lanes, and one start of a program that fails.
	f.mu.Lock()
	defer f.mu.Unlock()
	if most := f.most["test.hostile.all"]; most > 2*2*startsPerCapability+1 {
		t.Errorf("%d processes of the hostile capability started at the same time", most)
	}
}

// answers calls the program once, and returns how long that took.
func answers(t *testing.T, p *Pool, b *behavior) time.Duration {
	t.Helper()
	began := time.Now()
	o, err := p.Calculate(t.Context(), 5*time.Second, b.program, input(4, ""))
	if err != nil || o.Result[0].Number() != 8 {
		t.Errorf("%s: %v, %v", b.program.Spec.Capability, o.Result, err)
	}
	return time.Since(began)
}

// A start that waits gets the first free place of its lane, the capability with the fewest starts
// first. A start releases its place when it ends, or after the hold time.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var overloaded atomic.Bool
		overloaded.Store(true)
		p := newPlaces(time.Second, overloaded.Load)
		var mu sync.Mutex
		got, ends := "", map[string]func(){}
		take := func(ctx context.Context, capability, name string) {
			go func() {
				done, err := p.take(ctx, untried, capability)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					got += " -" + name
					return
				}
				got, ends[name] = got+" "+name, done
			}()
			synctest.Wait()
		}
		want := func(after, order string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if got != order {
				t.Errorf("after %s: %q, want %q", after, got, order)
			}
			got = ""
		}
		end := func(name string) {
			t.Helper()
			done := ends[name]
			if done == nil {
				t.Fatalf("%s has no place", name)
			}
			done()
		}
		impatient, leave := context.WithCancel(t.Context())
		for i := 1; i <= 3; i++ {
			take(t.Context(), "a", fmt.Sprint("a", i))
		}
		take(t.Context(), "b", "b1")
		take(t.Context(), "c", "c1")
		want("the first calls", " a1 a2 b1 c1")
		take(t.Context(), "b", "b2")
		take(impatient, "d", "d1")
		take(t.Context(), "d", "d2")
		leave()
		want("a caller left", " -d1")
		end("c1")
		want("one ended", " d2")
		end("b1")
		want("another ended", " b2")
		take(t.Context(), "e", "e1")
		want("a call while all places are taken", "")
		time.Sleep(1500 * time.Millisecond)
		want("the hold time on an overloaded machine", "")
		overloaded.Store(false)
		time.Sleep(time.Second)
		want("the hold time", " e1")
		end("a1")
		want("a start of the capability ended", " a3")
		for _, name := range []string{"a2", "a3", "b2", "d2", "e1"} {
			end(name)
		}
		if l := &p.lanes[untried]; l.taken != 0 || len(l.underway) != 0 || len(l.waiting) != 0 {
			t.Errorf("left: %+v", l)
		}
	})
}

// A slow start launches a second process, which may be ready earlier, but not on an overloaded
// machine.
func TestSlowStarts(t *testing.T) {
	for _, overloaded := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p, f := newFakes(t, Options{})
			f.overloaded.Store(overloaded)
			b := f.add("test.slow.start", "1.0.0")
			b.start = func(ctx context.Context) error { return pauseFor(ctx, 4*time.Second) }
			answers(t, p, b)
			f.mu.Lock()
			defer f.mu.Unlock()
			want := 2
			if overloaded {
				want = 1
			}
			if got := f.most["test.slow.start"]; got != want {
				t.Errorf("overloaded %t: %d processes, want %d", overloaded, got, want)
			}
		})
	}
}
