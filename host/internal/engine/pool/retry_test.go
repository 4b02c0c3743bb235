package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk/value"
)

const capability = "test.retry.one"

// callers is a number of callers that call a program all the time, each with different inputs.
func callers(t *testing.T, p *Pool, b *behavior, n int, stop <-chan struct{}) (wait func() (answers int64)) {
	var all sync.WaitGroup
	var count atomic.Int64
	for c := range n {
		all.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
				}
				x := float64(c*1_000_000 + k)
				o, err := p.Calculate(t.Context(), 5*time.Second, b.program, input(x, "good"))
				if err != nil || o.Result[0].Number() != 2*x {
					t.Errorf("%v: %v, %v", x, o.Result, err)
				}
				count.Add(1)
			}
		})
	}
	return func() int64 { all.Wait(); return count.Load() }
}

// A plot that ends its process is tried twice, the second time on a process that no other call
// uses. Then it is refused for a minute. Other plots of the inputs and their calculation are not
// refused.
func TestPlotThatKills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, f := newFakes(t, Options{})
		b := f.add(capability, "1.0.0")
		b.answer = func(ctx context.Context, e *fake, text string) error {
			if text == "curve deadly" {
				text = "crash"
			}
			return deadly(50*time.Millisecond)(ctx, e, text)
		}
		stop := make(chan struct{})
		wait := callers(t, p, b, 4, stop)
		for round := 1; round <= 2; round++ {
			for range 76 {
				_, err := p.Draw(t.Context(), 5*time.Second, b.program, "curve", input(1, "deadly"))
				if !errors.Is(err, process.ErrLost) || errors.Is(err, ErrUnavailable) {
					t.Errorf("round %d: %v", round, err)
				}
				time.Sleep(100 * time.Millisecond)
			}
			if crashed, poison := f.count(capability, Crashed), f.count(capability, Quarantined); crashed != 2*round || poison != round {
				t.Errorf("round %d: %d processes ended, and %d requests were quarantined", round, crashed, poison)
			}
			if figure, err := p.Draw(t.Context(), time.Second, b.program, "line", input(1, "deadly")); err != nil || figure.Curves[0].Label != "line" {
				t.Errorf("another plot: %v, %v", figure, err)
			}
			if _, err := p.Calculate(t.Context(), time.Second, b.program, input(1, "deadly")); err != nil {
				t.Errorf("the calculation: %v", err)
			}
			time.Sleep(quarantineLife)
		}
		close(stop)
		wait()
	})
}

// Inputs whose calculation is refused are not drawn.
func TestPlotOfPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, f := newFakes(t, Options{})
		b := f.add(capability, "1.0.0")
		b.answer = deadly(0)
		_, calculated := p.Calculate(t.Context(), time.Second, b.program, input(1, "crash"))
		_, drawn := p.Draw(t.Context(), time.Second, b.program, "line", input(1, "crash"))
		synctest.Wait()
		if n := f.count(capability, Crashed); calculated == nil || drawn == nil || n != 2 {
			t.Errorf("%v, %v, %d processes ended", calculated, drawn, n)
		}
	})
}

// A row of a batch that does not answer, or ends its process, fails alone, and so do several.
func TestRowsThatFail(t *testing.T) {
	const limit = 5 * time.Second
	for _, tt := range []struct {
		how       string
		rows, bad int
		takes     time.Duration // of a good row
	}{
		{"hang", 100, 1, 100 * time.Microsecond}, {"hang", 2000, 1, 100 * time.Microsecond}, {"hang", 2000, 5, 100 * time.Microsecond},
		{"hang", 2000, 15, 100 * time.Microsecond}, {"hang", 8, 2, 100 * time.Millisecond}, {"hang", 1, 1, 0}, {"hang", 4, 4, 0},
		{"crash", 2000, 1, 100 * time.Microsecond}, {"crash", 2000, 15, 100 * time.Microsecond},
	} {
		t.Run(fmt.Sprintf("%s %d of %d", tt.how, tt.bad, tt.rows), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, f := newFakes(t, Options{})
				b := f.add(capability, "1.0.0")
				b.answer = deadly(tt.takes)
				rows, bad := make([]value.Values, tt.rows), map[int]bool{}
				for k := range rows {
					rows[k] = input(float64(k), "good")
				}
				for i := range tt.bad {
					k := i * tt.rows / tt.bad
					rows[k], bad[k] = input(float64(k), tt.how), true
				}
				for _, again := range []bool{false, true} {
					began := time.Now()
					results, err := p.CalculateBatch(t.Context(), limit, b.program, rows)
					if err != nil {
						t.Fatal(err)
					}
					if took := time.Since(began); took > limit+100*time.Millisecond {
						t.Errorf("it took %v", took)
					}
					failed := 0
					for k, r := range results {
						switch {
						case bad[k] && r.Err == nil:
							t.Errorf("row %d has an answer", k)
						case !bad[k] && r.Err == nil && r.Outcome.Result[0].Number() != float64(2*k):
							t.Errorf("row %d: %v", k, r.Outcome.Result)
						case !bad[k] && r.Err != nil:
							failed++
						}
					}
					if failed > 0 {
						t.Errorf("%d good rows failed (again: %v)", failed, again)
					}
				}
			})
		})
	}
}

// A slow row has the time that the other rows do not use.
func TestSlowRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, f := newFakes(t, Options{})
		b := f.add(capability, "1.0.0")
		b.answer = func(ctx context.Context, e *fake, text string) error {
			if text == "slow" {
				return pauseFor(ctx, 2200*time.Millisecond) // longer than a first attempt
			}
			return deadly(time.Millisecond)(ctx, e, text)
		}
		rows := make([]value.Values, 100)
		for k := range rows {
			rows[k] = input(float64(k), "good")
		}
		rows[0], rows[50] = input(0, "slow"), input(50, "good")
		results, err := p.CalculateBatch(t.Context(), 5*time.Second, b.program, rows)
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range results {
			if r.Err != nil {
				t.Errorf("row %d: %v", k, r.Err)
			}
		}
	})
}

// Some callers end processes, each time with other inputs. Good callers of the same program still
// have a third of their rate, and lose no answer.
func TestManyThatKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, f := newFakes(t, Options{})
		b := f.add(capability, "1.0.0")
		b.start = func(ctx context.Context) error { return pauseFor(ctx, 150*time.Millisecond) } // on a busy machine
		serial := deadly(time.Millisecond)
		b.answer = func(ctx context.Context, e *fake, text string) error { // as an engine on its stream does
			select {
			case e.turn <- struct{}{}:
				defer func() { <-e.turn }()
			case <-ctx.Done():
				return ctx.Err()
			}
			return serial(ctx, e, text)
		}
		const good, attackers, long = 4, 24, 60 * time.Second
		during := func() int64 {
			stop := make(chan struct{})
			wait := callers(t, p, b, good, stop)
			time.Sleep(long)
			close(stop)
			return wait()
		}
		calm := during()
		ctx, end := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var attacks atomic.Int64
		for a := range attackers {
			all.Go(func() {
				for k := 0; ctx.Err() == nil; k++ {
					if _, err := p.Calculate(ctx, 5*time.Second, b.program, input(float64(k), fmt.Sprint("crash", a, k))); err == nil {
						t.Error("deadly inputs have an answer")
					}
					attacks.Add(1)
				}
			})
		}
		under := during()
		end()
		all.Wait()
		synctest.Wait()
		t.Logf("%d answers in a minute without attackers, %d with them; %d attacks ended %d processes", calm, under, attacks.Load(), f.count(capability, Crashed))
		if 3*under < calm {
			t.Errorf("good callers had %d answers, and %d without attackers", under, calm)
		}
		if attacks.Load() < attackers {
			t.Errorf("only %d attacks", attacks.Load())
		}
	})
}

// A process that some inputs make unfit is replaced, and its calls get their answers, also calls
// that take longer than the replacement.
func TestUnfit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, f := newFakes(t, Options{})
		b := f.add(capability, "1.0.0")
		b.answer = func(ctx context.Context, e *fake, text string) error {
			if text == "unfit" {
				e.unfit.CompareAndSwap(0, time.Now().Add(time.Second).UnixNano())
			}
			return pauseFor(ctx, 500*time.Millisecond)
		}
		stop := make(chan struct{})
		wait := callers(t, p, b, 20, stop)
		const seconds = 60
		for k := range seconds {
			if _, err := p.Calculate(t.Context(), 5*time.Second, b.program, input(float64(k), "unfit")); err != nil {
				t.Error(err)
			}
			time.Sleep(500 * time.Millisecond)
		}
		close(stop)
		wait()
		broke, started := f.count(capability, Broke), f.count(capability, Started)
		if broke < seconds/10 || broke > seconds || started != broke+1 || f.count(capability, Retried) != 0 {
			t.Errorf("%d processes were unfit, %d started, %d calls were repeated", broke, started, f.count(capability, Retried))
		}
		time.Sleep(10 * time.Second)
		if n := f.count(capability, Broke); n > broke+1 {
			t.Errorf("%d processes were unfit afterwards", n-broke)
		}
	})
}

// The current and the spare process are killed from outside at the same time. The next call reaches neither, is answered
// by a third process, and its inputs are not suspected.
func TestKilledTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, f := newFakes(t, Options{})
		b := f.add("test.killed.together", "1.0.0")
		var crashed atomic.Bool
		b.answer = func(_ context.Context, e *fake, _ string) error {
			if crashed.CompareAndSwap(false, true) {
				e.Kill()
			}
			return nil
		}
		answers(t, p, b) // by a second process, which becomes the spare one
		answers(t, p, b)
		b.mu.Lock()
		killed := 0
		for _, one := range b.alive {
			if !one.Ended() {
				one.dying.Store(true)
				killed++
			}
		}
		b.mu.Unlock()
		if killed != 2 {
			t.Fatalf("%d processes run, want a current and a spare one", killed)
		}
		answers(t, p, b)
		if n := f.count("test.killed.together", Quarantined); n != 0 {
			t.Errorf("%d inputs are suspected", n)
		}
	})
}
