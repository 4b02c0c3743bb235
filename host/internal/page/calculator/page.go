// Package calculator serves the pages of one calculation: the form, the sheet of a result, the snapshot, the embedded
// page, plots, and files for export. [New] returns the [Pages] for the releases. It needs the pages of checks and of
// many calculations, because a sheet shows both. Scripts and styles are in [Assets].
package calculator

import (
	"net/http"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/cache"
	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/vary"
)

// Options of Pages. The zero value is usable.
type Options struct {
	Snapshots *snapshot.Store  // nil: no snapshots
	Embed     []string         // origins that may embed calculators in frames; empty: no embedding
	Now       func() time.Time // time.Now if nil
}

// Pages serves the pages of calculators.
type Pages struct {
	*site.Site

	about     *about.Releases
	trust     *trust.Pages
	vary      *vary.Pages
	snapshots *snapshot.Store
	embed     []string
	now       func() time.Time

	examples *cache.Cache[example]
}

// New returns the Pages of the releases.
func New(releases *about.Releases, checks *trust.Pages, many *vary.Pages, o *Options) *Pages {
	p := &Pages{Site: releases.Site, about: releases, trust: checks, vary: many, snapshots: o.Snapshots, embed: o.Embed, now: o.Now, examples: cache.New[example](maxExamples)}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// Routes returns the routes of calculators and snapshots. Routes with a URL of the API fail like the API, because programs
// also use them.
func (p *Pages) Routes() []web.Route {
	routes := []web.Route{
		site.Get(site.CalculatorPath, site.CalculatorQuery, p.getCalculator),
		site.Post(site.CalculatorPath, limits.Page, p.postCalculator),
		site.Post(site.CalculatorPath+"/freeze", limits.Share, p.postSnapshot),
		site.Get(site.CalculatorPath+"/export/{file}", site.CalculatorQuery, p.getExport),
		site.GetNumbers("/api/v1/capabilities/{id}/plots/{plot}", plotQuery, p.getPlot),
		{Method: http.MethodPost, Pattern: "/api/v1/calc", Surface: limits.Calc, Page: true, Query: site.CalculatorQuery, Handler: p.postResult},
		{Method: http.MethodPost, Pattern: "/api/v1/calc/{id}", Surface: limits.Calc, Page: true, Query: site.CalculatorQuery, Handler: p.postResult},
	}
	if p.snapshots != nil {
		routes = append(routes, web.Route{Method: http.MethodGet, Pattern: "/s/{id}", Surface: limits.Page, Page: true, Query: web.Query{Others: web.Open}, Handler: p.getSnapshot})
	}
	if len(p.embed) > 0 {
		embed := site.Get("/embed/{group}/{tool}", site.CalculatorQuery, p.getEmbed)
		embed.Fail = p.failEmbed
		routes = append(routes, embed)
	}
	return routes
}
