// Package page is the server of the calculation service for people: what does a browser show
// at each address? There is an index with search, calculators, sheets of results, snapshots,
// evidence and problems. Every page works without JavaScript. A page with a result also
// contains the answer of the API, byte for byte, and the same as linked data.
//
// Nothing is computed here. What a page shows comes from the calculation service, and what is
// typed is passed to it through the same scanner as JSON.
//
// Each kind of page has a package of its own. This one puts them together.
package page

import (
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
	"github.com/slipstick/slipstick/host/internal/page/index"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/tables"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/vary"
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
	site       *site.Site
	index      *index.Pages
	calculator *calculator.Pages
	vary       *vary.Pages
	tables     *tables.Pages
	trust      *trust.Pages
}

// New returns the Pages of the service.
func New(service *calc.Service, o *Options) *Pages {
	if o == nil {
		o = new(Options)
	}
	s := site.New(service, o.Clients, o.Log)
	releases := about.NewReleases(s)
	checks, many := trust.New(releases, o.Shadow), vary.New(releases)
	return &Pages{
		site: s, index: index.New(s), vary: many, tables: tables.New(s), trust: checks,
		calculator: calculator.New(releases, checks, many, &calculator.Options{Snapshots: o.Snapshots, Embed: o.Embed, Now: o.Now}),
	}
}

// Routes returns the routes of pages: those with addresses of their own, and those at
// addresses of the API.
func (p *Pages) Routes() []web.Route {
	return slices.Concat(
		p.site.Routes(), p.index.Routes(), p.calculator.Routes(), p.vary.Routes(), p.tables.Routes(), p.trust.Routes(),
		[]web.Route{site.AssetRoute(site.Assets, index.Assets, calculator.Assets, vary.Assets, tables.Assets)},
	)
}

// Failure returns the page about a failed request of a browser.
func (p *Pages) Failure(failure *problem.Problem) ([]byte, error) { return p.site.Failure(failure) }
