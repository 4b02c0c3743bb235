package server

import (
	"net/http"
	"slices"

	"github.com/slipstick/slipstick/docs"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/apidocs"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
)

// newHandler creates the handler of all interfaces: REST, pages and MCP.
func (s *Server) newHandler() http.Handler {
	clients := &s.config.Clients
	s.trusted = limit.NewProxies(clients.Trusted)
	s.capacity = newCapacity(clients.Bounds.WithDefaults(), s.trusted)
	s.limiter = limit.NewLimiter(clients.Limits, s.client, s.metrics.Limit)
	s.count()
	limited := &web.Clients{Limiter: s.limiter, Trusted: s.trusted}
	pages := s.pages(limited)
	rules := &web.Options{
		Log: s.log, LogRequests: s.config.Reports.Requests,
		Clients: limited, Answers: s.capacity.answers, FailurePage: pages.Failure, Observe: s.observe, Tracer: s.tracer,
		Ending: &s.draining, Recorded: s.ledger != nil,
	}
	routes := s.routes(pages, limited)
	s.direct = api.Direct(s.service, routes, rules)
	return web.New(s.config.BaseURL, routes, rules)
}

// routes returns all routes of the server.
func (s *Server) routes(pages *page.Pages, limited *web.Clients) []web.Route {
	return slices.Concat(
		api.Routes(s.service, &api.Options{
			Log: s.log, Snapshots: s.snapshots, Ready: s.ready, Document: (&documents{service: s.service, licence: s.config.Program.Licence}).get,
			Batches: api.Batches{
				Clients: limited, Places: s.capacity.batches, Rows: s.capacity.rows, Files: s.capacity.files, Spool: s.capacity.spool, Dir: s.config.Source.Data,
				Observe: s.observeLines, Until: s.batches,
			},
			Receipts: s.receipts(), Shadow: s.compared, Checkpoint: s.guard.Checkpoint,
		}),
		pages.Routes(),
		mcp.New(s.service, s.snapshots, &mcp.Options{Log: s.log, Clients: limited}).Routes(),
		apidocs.Routes(),
		[]web.Route{{Method: http.MethodGet, Pattern: "/metrics", Query: web.Query{Others: web.Open}, Handler: web.WrapHandler(s.metrics.Handler())}},
	)
}

// pages returns the HTML pages.
func (s *Server) pages(limited *web.Clients) *page.Pages {
	return page.New(s.service, &page.Options{
		Snapshots: s.snapshots, Clients: limited, Embed: s.config.Embed, Shadow: s.compared, Log: s.log,
		Docs: docs.Files, Version: s.config.Program.Name,
	})
}
