// Package page serves the calculation service to browsers: an index with search, calculators, sheets of results,
// snapshots, evidence and problems. Every page works without JavaScript. A page with a result also contains the answer of the
// API, byte for byte, and linked data about it.
//
// The package computes nothing. The calculation service computes all results. It reads typed inputs with the same scanner
// as JSON.
//
// Each kind of page has its own package. [Pages] joins their routes.
package page

import (
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/calculator"
	"github.com/slipstick/slipstick/host/internal/page/docs"
	"github.com/slipstick/slipstick/host/internal/page/index"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/tables"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/vary"
)

// Options of Pages. The zero value is usable.
type Options struct {
	Snapshots *snapshot.Store      // nil: no snapshots
	Clients   *web.Clients         // limits of clients for the further calculations of a page; nil: no limits
	Embed     []string             // origins that may embed calculators in frames; empty: no embedding
	Shadow    func() shadow.Report // comparisons with shadow candidates; nil: no page about them
	Docs      fs.FS                // the documentation; nil: no pages of it
	Version   string               // of the program, for the documentation
	Log       *slog.Logger         // failures of the server; discarded if nil
	Now       func() time.Time     // time.Now if nil
}

// Pages renders the pages of a service. It is safe for concurrent use.
type Pages struct {
	site       *site.Site
	index      *index.Pages
	calculator *calculator.Pages
	vary       *vary.Pages
	tables     *tables.Pages
	trust      *trust.Pages
	docs       *docs.Pages // nil if there is no documentation
}

// New returns the Pages of the service.
func New(service *calc.Service, o *Options) *Pages {
	if o == nil {
		o = new(Options)
	}
	s := site.New(service, o.Clients, o.Log)
	releases := about.NewReleases(s)
	checks, many := trust.New(releases, o.Shadow), vary.New(releases)
	pages := &Pages{
		site: s, index: index.New(s), vary: many, tables: tables.New(releases), trust: checks,
		calculator: calculator.New(releases, checks, many, &calculator.Options{Snapshots: o.Snapshots, Embed: o.Embed, Now: o.Now}),
	}
	if o.Docs != nil {
		pages.docs = docs.New(s, o.Docs, o.Version)
	}
	return pages
}

// Routes returns the routes of all pages. Some are pages of their own, and some are pages at URLs of the API.
func (p *Pages) Routes() []web.Route {
	routes := slices.Concat(
		p.site.Routes(), p.index.Routes(), p.calculator.Routes(), p.vary.Routes(), p.tables.Routes(), p.trust.Routes(),
		[]web.Route{site.AssetRoute(site.Assets, index.Assets, calculator.Assets, vary.Assets, tables.Assets, docs.Assets)},
	)
	if p.docs != nil {
		routes = append(routes, p.docs.Routes()...)
	}
	return routes
}

// Failure returns the page about a failed request of a browser.
func (p *Pages) Failure(failure *problem.Problem) ([]byte, error) { return p.site.Failure(failure) }
