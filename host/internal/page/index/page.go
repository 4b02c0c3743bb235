// Package index serves the list of all calculators and the lists of groups. [New] returns its [Pages]. The search box
// ranks calculators for a question. It also converts units, and fills in a calculator from the values of the question.
package index

import (
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Pages serves the lists of calculators.
type Pages struct{ *site.Site }

// New returns the Pages of a site.
func New(s *site.Site) *Pages { return &Pages{s} }

// Routes returns the routes of the lists.
func (p *Pages) Routes() []web.Route {
	return []web.Route{site.Get("/{$}", indexQuery, p.getIndex), site.Get("/calc/{group}", groupQuery, p.getGroup)}
}

// Queries of the lists of calculators.
var (
	groupQuery = web.Query{Parameters: []web.Parameter{{Name: cursorKey}}, Others: web.Foreign}
	indexQuery = web.Query{Parameters: []web.Parameter{{Name: site.QuestionKey, Many: true}, {Name: cursorKey}}, Others: web.Foreign}
)
