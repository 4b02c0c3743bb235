// Package trust has what pages report of the checks of a release: evidence, comparisons with
// candidates, versions, and the effect of a new one.
package trust

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Pages are the pages about checks.
type Pages struct {
	*site.Site

	about  *about.Releases
	shadow func() shadow.Report // nil: there is no page about candidates
}

// New returns the Pages about the releases.
func New(releases *about.Releases, compared func() shadow.Report) *Pages {
	return &Pages{Site: releases.Site, about: releases, shadow: compared}
}

// Routes are the pages about the checks of releases, and about candidates. Pages at addresses of
// the API fail like the API, because programs use these addresses too.
func (p *Pages) Routes() []web.Route {
	routes := []web.Route{{Method: http.MethodGet, Pattern: "/api/v1/capabilities/{id}/evidence", Page: true, Query: site.PinnedQuery, Handler: p.getEvidence}}
	if p.shadow != nil {
		routes = append(routes, site.Get(site.CalculatorPath+shadowFile, site.ForeignQuery, p.getShadow))
	}
	return routes
}
