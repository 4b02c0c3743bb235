package mcp

import (
	"net/http"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/limit"
)

// limited counts the message against the limits of its sender, and refuses what is beyond
// them. Every message is one call; one that computes is a calculation too, and which tool
// it calls is what its body says: headers say what they like. A call that is refused is
// no calculation.
func (s *Server) checkLimits(w http.ResponseWriter, r *http.Request, m *message) *calc.Problem {
	surfaces := []string{limit.MCP}
	if isCalculation(m.tool) {
		surfaces = append(surfaces, limit.MCPExec)
	}
	h := w.Header()
	for _, surface := range surfaces {
		d := s.options.Clients.Allow(r, surface)
		if d.Limit == 0 {
			continue
		}
		join(h, "RateLimit-Policy", d.Policy())
		join(h, "RateLimit", d.Quota())
		if !d.Allowed {
			h.Set("Retry-After", strconv.Itoa(d.RetryAfterSeconds()))
			return calc.RateLimited(d.Limit, d.RetryAfterSeconds())
		}
	}
	return nil
}

// join adds an element to a header that is a list.
func join(h http.Header, name, value string) {
	if before := h.Get(name); before != "" {
		value = before + ", " + value
	}
	h.Set(name, value)
}
