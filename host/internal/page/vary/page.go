// Package vary has the pages of many calculations around one: varied inputs, comparisons and studies.
package vary

import (
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Pages are the pages of many calculations.
type Pages struct {
	*site.Site

	about *about.Releases
}

// New returns the Pages of the releases.
func New(releases *about.Releases) *Pages { return &Pages{releases.Site, releases} }

// Routes are the pages of many calculations around one, and their numbers.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		site.Get(site.CalculatorPath+"/vary", site.CalculatorQuery, p.getVaried),
		site.GetNumbers("/api/v1/capabilities/{id}/vary", site.CalculatorQuery, p.getVariedNumbers),
		site.Get(site.CalculatorPath+"/study", site.CalculatorQuery, p.getStudy),
		site.GetNumbers("/api/v1/capabilities/{id}/study", site.CalculatorQuery, p.getStudyNumbers),
	}
}
