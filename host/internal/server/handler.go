package server

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/api"
	"github.com/slipstick/slipstick/host/internal/apidocs"
	"github.com/slipstick/slipstick/host/internal/formula"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/mcp"
	"github.com/slipstick/slipstick/host/internal/page"
)

// newHandler puts the faces of the host together: REST, pages and MCP.
func (s *Server) newHandler() (http.Handler, error) {
	if err := s.describe(); err != nil {
		return nil, err
	}
	clients := &s.config.Clients
	s.trusted = limit.NewProxies(clients.Trusted)
	s.room = newRoom(clients.Bounds.complete(), s.trusted)
	s.limiter.set(s.client, clients.Limits)
	s.count()
	limiter := counted{&s.limiter, s.metrics}
	return api.New(s.service, &api.Options{
		Log: s.log, LogRequests: s.config.Reports.Requests,
		Limiter: limiter, Trusted: s.trusted, Room: s.room.Room,
		Snapshots:    s.snapshots,
		Observe:      s.observe,
		ObserveLines: s.observeLines,

		Pages:    s.pages(),
		Ready:    s.ready,
		Document: func() []byte { return *s.document.Load() },
		Mounts:   map[string]http.Handler{"/metrics": s.metrics.Handler(), "/docs": apidocs.Handler(), "/docs/": apidocs.Handler()},
		Posts:    map[string]http.Handler{"/mcp": mcp.New(s.service, s.snapshots, &mcp.Options{Log: s.log, Limiter: limiter, Trusted: s.trusted})},
	}), nil
}

// pages are what browsers are shown.
func (s *Server) pages() *page.Pages {
	o := &page.Options{Snapshots: s.snapshots, Log: s.log}
	if formulas, err := formula.New(); err == nil {
		o.Formulas = formulas
	} else {
		s.log.Warn("formulas are shown as plain text", "error", err)
	}
	return page.New(s.service, o)
}
