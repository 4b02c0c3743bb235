// Package index has the lists of calculators, and the search box with what it answers itself.
package index

import (
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Pages are the lists of calculators.
type Pages struct{ *site.Site }

// New returns the Pages of a site.
func New(s *site.Site) *Pages { return &Pages{s} }

// Routes are the lists of calculators.
func (p *Pages) Routes() []web.Route {
	return []web.Route{site.Get("/{$}", indexQuery, p.getIndex), site.Get("/calc/{group}", groupQuery, p.getGroup)}
}

// The queries of lists of calculators.
var (
	groupQuery = web.Query{Parameters: []web.Parameter{{Name: cursorKey}}, Others: web.Foreign}
	indexQuery = web.Query{Parameters: []web.Parameter{{Name: site.QuestionKey, Many: true}, {Name: cursorKey}}, Others: web.Foreign}
)
