// Package trust serves the pages about the checks of a release: evidence, and comparisons with shadow candidates
// ([Pages]). It also has [Summary] and [VersionState] for other pages, and [WriteImpact] for the effect of a new version.
package trust

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Pages serves the pages about checks.
type Pages struct {
	*site.Site

	about  *about.Releases
	shadow func() shadow.Report // nil: no page about candidates
}

// New returns the Pages about the releases.
func New(releases *about.Releases, compared func() shadow.Report) *Pages {
	return &Pages{Site: releases.Site, about: releases, shadow: compared}
}

// Routes returns the routes of the pages about checks and candidates. Pages at URLs of the API fail like the API, because
// programs also use these URLs.
func (p *Pages) Routes() []web.Route {
	routes := []web.Route{{Method: http.MethodGet, Pattern: "/api/v1/capabilities/{id}/evidence", Page: true, Query: site.PinnedQuery, Handler: p.getEvidence}}
	if p.shadow != nil {
		routes = append(routes, site.Get(site.CalculatorPath+shadowFile, site.ForeignQuery, p.getShadow))
	}
	return routes
}
