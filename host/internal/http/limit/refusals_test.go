package limit_test

import (
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// A client that has used its limit at all hosts gets no more calls while Redis is late, though
// this host alone has not seen so many. After the time that Redis named it gets them.
func TestRefusedWhileRedisIsLate(t *testing.T) {
	p, c := startProxy(t, startRedis(t).addr), &atomicClock{}
	other, host := patientHost(t, p.Addr().String(), nil, nil), sharedHost(t, p.Addr().String(), nil, c.read)
	wantAccepted(t, other, someone(0), 60, 60)
	warm(t, host, c)
	first := host.Allow(t.Context(), limit.Calc, someone(0))
	for n := int64(0); first.Allowed; first = host.Allow(t.Context(), limit.Calc, someone(0)) {
		if n == host.Fallbacks() {
			t.Fatal("Redis accepted the 61st call")
		}
		n = host.Fallbacks() // the machine stopped this test for too long
		settled(t, host, c)
	}
	p.delay.Store(int64(time.Minute))
	before := host.Fallbacks()
	for range 100 {
		if d := host.Allow(t.Context(), limit.Calc, someone(0)); d.Allowed || d.RetryAfter > first.RetryAfter {
			t.Fatalf("%+v while Redis is late, after %+v", d, first)
		}
	}
	if n := host.Fallbacks() - before; n != 0 || !host.Degraded() {
		t.Errorf("%d calls were accepted, degraded %v", n, host.Degraded())
	}
	wantAccepted(t, host, someone(1), 100, 60)
	c.advance(limit.Window)
	wantAccepted(t, host, someone(0), 100, 60)
}
