package limit_test

import (
	"fmt"
	"maps"
	"net/netip"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// The Limiter counts decisions under a limit. New limits apply from the next call on.
func TestLimiter(t *testing.T) {
	counts := map[string]int{}
	l := limit.NewLimiter(limit.Limits{limit.Calc: 2, limit.MCP: 0}, nil, func(surface string, allowed bool) { counts[fmt.Sprint(surface, " ", allowed)]++ })
	client := netip.MustParsePrefix("192.0.2.1/32")
	allowed := func(surface string) bool { return l.Allow(t.Context(), surface, client).Allowed }
	first, second, third := allowed(limit.Calc), allowed(limit.Calc), allowed(limit.Calc)
	if !first || !second || third || !allowed(limit.MCP) {
		t.Error("not 2 of 3 calls are allowed, and all without a limit")
	}
	if l.Clients() != 1 || l.Evicted() != 0 || l.Shared() || l.Degraded() || l.FellBackWithin(limit.Window) || l.Fallbacks() != 0 {
		t.Error("the limits of one process are not what they are")
	}
	next := limit.Limits{limit.Calc: 1, limit.MCP: 0}
	l.Replace(next)
	if !maps.Equal(l.Limits(), next) || !allowed(limit.Calc) || allowed(limit.Calc) {
		t.Error("the other limit is not in force")
	}
	if want := map[string]int{"calc true": 3, "calc false": 2}; !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
}
