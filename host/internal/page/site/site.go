// Package site has the parts that all pages share. [New] returns a [Site]. [Parse] reads templates, [MakeAsset] names
// files by their content, and [Layout] has the head of a page. [Site.Find] returns the release for a URL. The package
// also serves the pages about problems, and the feeds.
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

// Site is the service for packages of pages. It is safe for concurrent use.
type Site struct {
	Service *calc.Service
	Clients *web.Clients // nil: no limits
	Log     *slog.Logger
	Root    string // path of the service below its domain, mostly ""

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

// Report logs the internal failure of an optional part of a page. The page is shown without this part.
func (s *Site) Report(ctx context.Context, problem *problem.Problem) {
	if problem.Status() >= http.StatusInternalServerError && ctx.Err() == nil { // a disconnected client is not a failure of the server
		s.Log.Error("page failed", "code", problem.Code, "error", problem.Cause)
	}
}

// Link returns the URL of a path on this service without scheme and domain, for links in pages.
func (s *Site) Link(path string) string { return s.Root + path }

// Address returns the public URL of a path.
func (s *Site) Address(path string) string { return s.Service.BaseURL() + path }

// Charge counts calculations against the client's API limit, in the same way as rows of a batch. It returns the problem of a
// client that has reached the limit.
func (s *Site) Charge(r *http.Request, rows int) *problem.Problem {
	return s.Clients.Charge(r, limits.Calc, batch.RowCalls(rows))
}
