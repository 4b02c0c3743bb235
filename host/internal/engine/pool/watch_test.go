package pool

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A program without calls gets fewer health checks. A call ends its rest.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, f := newFakes(t, Options{})
		b := f.add(capability, "1.0.0")
		call := func() {
			t.Helper()
			if _, err := p.Calculate(t.Context(), time.Second, b.program, input(1, "")); err != nil {
				t.Fatal(err)
			}
		}
		checks := func(during time.Duration, least, most int32) {
			t.Helper()
			before := b.checks.Load()
			time.Sleep(during)
			if n := b.checks.Load() - before; n < least || n > most {
				t.Errorf("%d health checks in %v, want %d to %d", n, during, least, most)
			}
		}
		call()
		checks(9*time.Second, 20, 30)
		time.Sleep(2 * time.Second)
		checks(60*time.Second, 15, 20)
		call()
		checks(9*time.Second, 20, 31)

		// A call of 200 ms after a rest does not lead to a health check.
		b.answer = func(ctx context.Context, _ *fake, _ string) error { return pauseFor(ctx, 200*time.Millisecond) }
		for i := range time.Duration(5) {
			time.Sleep(12*time.Second + i*700*time.Millisecond)
			before := b.checks.Load()
			call()
			if n := b.checks.Load() - before; n > 0 {
				t.Errorf("%d health checks during a short call", n)
			}
		}
		time.Sleep(time.Minute)

		// A process that hangs in a call is replaced as quickly after a rest as at the end of a long call.
		for i, working := range []time.Duration{0, 15 * time.Second, 16700 * time.Millisecond} {
			first := fmt.Sprint(i + 1)
			b.answer = func(ctx context.Context, e *fake, _ string) error {
				if e.id != first {
					return nil
				}
				if err := pauseFor(ctx, working); err != nil {
					return err
				}
				e.dying.Store(true)
				return hangs(ctx)
			}
			began := time.Now()
			if _, err := p.Calculate(t.Context(), time.Minute, b.program, input(1, "")); err != nil {
				t.Error(err)
			}
			if took := time.Since(began) - working; took > time.Second {
				t.Errorf("after %v of work, the next process answered after %v", working, took)
			}
			b.answer = nil
			time.Sleep(time.Minute)
		}
	})
}
