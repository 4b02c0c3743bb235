package limit_test

import (
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// A client that has used its limit on all servers gets no more calls while Redis is late. This server alone has
// not seen that many calls. After the time that Redis reported, the client gets calls again.
func TestRefusedWhileRedisIsLate(t *testing.T) {
	p, c := startProxy(t, startRedis(t).addr), &atomicClock{}
	other, server := newPatientShared(t, p.Addr().String(), nil, nil), newShared(t, p.Addr().String(), nil, c.read)
	wantAccepted(t, other, nthClient(0), 60, 60)
	connect(t, server, c)
	first := server.Allow(t.Context(), limit.Calc, nthClient(0))
	for n := int64(0); first.Allowed; first = server.Allow(t.Context(), limit.Calc, nthClient(0)) {
		if n == server.Fallbacks() {
			t.Fatal("Redis accepted the 61st call")
		}
		n = server.Fallbacks() // the machine stopped this test for too long
		waitForRedis(t, server, c)
	}
	p.delay.Store(int64(time.Minute))
	before := server.Fallbacks()
	for range 100 {
		if d := server.Allow(t.Context(), limit.Calc, nthClient(0)); d.Allowed || d.RetryAfter > first.RetryAfter {
			t.Fatalf("%+v while Redis is late, after %+v", d, first)
		}
	}
	if n := server.Fallbacks() - before; n != 0 || !server.Degraded() {
		t.Errorf("%d calls were accepted, degraded %v", n, server.Degraded())
	}
	wantAccepted(t, server, nthClient(1), 100, 60)
	c.advance(limit.Window)
	wantAccepted(t, server, nthClient(0), 100, 60)
}
