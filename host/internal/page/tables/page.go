// Package tables serves the index and the pages of published tables, and the batch page of a calculator. [New]
// returns its [Pages]. The batch page computes a pasted or uploaded CSV table, and counts its rows like a batch of the
// API.
package tables

import (
	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Pages serves the pages of tables.
type Pages struct {
	*site.Site

	about *about.Releases
}

// New returns the Pages of the releases.
func New(releases *about.Releases) *Pages { return &Pages{releases.Site, releases} }

// Routes returns the routes of published tables, and of tables that readers send.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		site.Get("/tables", tablesQuery, p.getTables),
		site.Get("/tables/{id}", tableQuery, p.getTable),
		site.Get(site.CalculatorPath+"/rows", site.PinnedQuery, p.getMany),
		site.Post(site.CalculatorPath+"/rows", limits.Page, p.postMany),
	}
}
