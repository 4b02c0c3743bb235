// Package page is the server of the calculation service for people: what does a browser show
// at each address? There is an index with search, calculators, sheets of results, snapshots,
// evidence and problems. Every page works without JavaScript. A page with a result also
// contains the answer of the API, byte for byte, and the same as linked data.
//
// Nothing is computed here. What a page shows comes from the calculation service, and what is
// typed is passed to it through the same scanner as JSON.
package page

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Options of Pages. The zero value is usable.
type Options struct {
	Snapshots *snapshot.Store      // nil: results cannot be frozen
	Clients   *web.Clients         // whose calculations beyond the one of a page count against their limit; nil: no limits
	Embed     []string             // origins whose pages may have calculators in frames; none: no calculator is embedded
	Shadow    func() shadow.Report // what was compared with candidates; nil: there is no page about it
	Log       *slog.Logger         // failures that are not the caller's; discarded if nil
	Now       func() time.Time     // time.Now if nil
}

// Pages renders the pages of a service. It is safe for concurrent use.
type Pages struct {
	service *calc.Service
	options Options
	root    string // path of the service below its host, mostly ""
	found   search.Live
	cache   releaseCache
}

// New returns the Pages of the service.
func New(service *calc.Service, o *Options) *Pages {
	p := &Pages{service: service}
	if o != nil {
		p.options = *o
	}
	if p.options.Log == nil {
		p.options.Log = slog.New(slog.DiscardHandler)
	}
	if p.options.Now == nil {
		p.options.Now = time.Now
	}
	if base, err := url.Parse(service.BaseURL()); err == nil {
		p.root = strings.TrimRight(base.Path, "/")
	}
	return p
}

// report logs an internal failure in a part of a page that is left out because of it.
func (p *Pages) report(ctx context.Context, problem *calc.Problem) {
	if problem.Status() >= http.StatusInternalServerError && ctx.Err() == nil { // a caller who has left causes no failure of ours
		p.options.Log.Error("page failed", "code", problem.Code, "error", problem.Cause)
	}
}

// link returns the address of a path on this service, for links in pages.
func (p *Pages) link(path string) string { return p.root + path }

// address returns the public address of a path.
func (p *Pages) address(path string) string { return p.service.BaseURL() + path }
