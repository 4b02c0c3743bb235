// Package site has what all pages have in common: layout, assets, links, and the release at an
// address. It also has the pages about problems, and the feeds.
package site

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Site is the service as its pages need it. It is safe for concurrent use.
type Site struct {
	Service *calc.Service
	Clients *web.Clients // nil: no limits
	Log     *slog.Logger
	Root    string // path of the service below its host, mostly ""

	found search.Live
}

// New returns the Site of the service. Without a log, failures are not logged.
func New(service *calc.Service, clients *web.Clients, log *slog.Logger) *Site {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Site{Service: service, Clients: clients, Log: log}
	if base, err := url.Parse(service.BaseURL()); err == nil {
		s.Root = strings.TrimRight(base.Path, "/")
	}
	return s
}

// Report logs an internal failure in a part of a page that is left out because of it.
func (s *Site) Report(ctx context.Context, problem *problem.Problem) {
	if problem.Status() >= http.StatusInternalServerError && ctx.Err() == nil { // a caller who has left causes no failure of ours
		s.Log.Error("page failed", "code", problem.Code, "error", problem.Cause)
	}
}

// Link returns the address of a path on this service, for links in pages.
func (s *Site) Link(path string) string { return s.Root + path }

// Address returns the public address of a path.
func (s *Site) Address(path string) string { return s.Service.BaseURL() + path }

// Charge counts calculations against the limit of the API, as a batch of them would be. It returns
// the problem of a client that may not make them now.
func (s *Site) Charge(r *http.Request, rows int) *problem.Problem {
	return s.Clients.Charge(r, limits.Calc, batch.RowCalls(rows))
}
