package mcp

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// checkLimits counts the message against the limits of its sender. It returns a problem if the message exceeds
// them. Every message counts as a call. A message that calls a calculating tool also counts as a calculation,
// and as two if it asks for steps. It does not count as a calculation if it was refused as a call. The tool is
// taken from the body, because a sender could put anything into the headers.
func (s *Server) checkLimits(w http.ResponseWriter, r *http.Request, m *message) *problem.Problem {
	surfaces := []string{limit.MCP}
	if isCalculation(m.tool) {
		surfaces = append(surfaces, limit.MCPExec)
		if m.asksForSteps() {
			surfaces = append(surfaces, limit.MCPExec)
		}
	}
	h := w.Header()
	for i, surface := range surfaces {
		d := s.options.Clients.Allow(r, surface)
		if d.Limit == 0 || d.Allowed && slices.Contains(surfaces[i+1:], surface) {
			continue
		}
		join(h, "RateLimit-Policy", d.Policy())
		join(h, "RateLimit", d.Quota())
		if !d.Allowed {
			h.Set("Retry-After", strconv.Itoa(d.RetryAfterSeconds()))
			return problem.RateLimited(d.Limit, d.RetryAfterSeconds())
		}
	}
	return nil
}

// asksForSteps reports whether the arguments of the tool ask for worked steps.
func (m *message) asksForSteps() bool {
	if m.arguments == nil {
		return false
	}
	v, _ := m.arguments.value.Member(stepsArgument)
	return v.Bool
}

// join appends an element to a header field with a list as its value.
func join(h http.Header, name, value string) {
	if before := h.Get(name); before != "" {
		value = before + ", " + value
	}
	h.Set(name, value)
}
