package pool

import (
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
	})
}
