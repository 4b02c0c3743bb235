package limit_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type limiter interface {
	Allow(ctx context.Context, surface string, client netip.Prefix) limit.Decision
}

// nthClient returns the i-th of many IPv4 clients.
func nthClient(i int) netip.Prefix {
	addr := netip.AddrFrom4([4]byte{10 + byte(i>>24), byte(i >> 16), byte(i >> 8), byte(i)})
	return netip.PrefixFrom(addr, 32)
}

// clock is a clock that a test sets.
type clock struct{ now time.Duration }

func (c *clock) read() time.Duration { return c.now }

// accepted makes n calls and returns how many were accepted.
func accepted(t *testing.T, l limiter, surface string, client netip.Prefix, n int) int {
	t.Helper()
	var count int
	for range n {
		if d := l.Allow(t.Context(), surface, client); d.Allowed {
			count++
		} else if d.RetryAfter <= 0 || d.RetryAfter > limit.Window || d.RetryAfterSeconds() < 1 || d.RetryAfterSeconds() > 60 {
			t.Fatalf("refused with RetryAfter %v, want above 0 and at most 60s", d.RetryAfter)
		}
	}
	return count
}

func wantAccepted(t *testing.T, l limiter, client netip.Prefix, calls, want int) {
	t.Helper()
	if got := accepted(t, l, limit.Calc, client, calls); got != want {
		t.Fatalf("%d of %d calls accepted, want %d", got, calls, want)
	}
}

// logMeasured logs a measurement.
func logMeasured(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Log("measured: " + fmt.Sprintf(format, args...))
}
