// Package vary serves pages that need several calculations: varied inputs, comparisons and studies. [New] returns its
// [Pages]. The page of a calculator shows variations and comparisons as [Studies]. Studies have a page of their own.
// All calculations count against the limits of the client.
package vary

import (
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Pages serves the pages with many calculations.
type Pages struct {
	*site.Site

	about *about.Releases
}

// New returns the Pages of the releases.
func New(releases *about.Releases) *Pages { return &Pages{releases.Site, releases} }

// Routes returns the routes of these pages, and of their numbers as CSV.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		site.Get(site.CalculatorPath+"/vary", site.CalculatorQuery, p.getVaried),
		site.GetNumbers("/api/v1/capabilities/{id}/vary", site.CalculatorQuery, p.getVariedNumbers),
		site.Get(site.CalculatorPath+"/study", site.CalculatorQuery, p.getStudy),
		site.GetNumbers("/api/v1/capabilities/{id}/study", site.CalculatorQuery, p.getStudyNumbers),
	}
}
