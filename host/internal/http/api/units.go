package api

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/units"
)

const quantityKey = "quantity"

// getUnits answers GET /api/v1/units.
func (s *server) getUnits(w http.ResponseWriter, r *http.Request) error {
	quantity := r.URL.Query().Get(quantityKey)
	list := catalog.ListUnits(quantity)
	if list.Count == 0 {
		known := units.Quantities()
		suggestion := "Use one of the quantities that GET /api/v1/units lists."
		if guess, ok := spelling.Guess(quantity, known); ok {
			suggestion = "Did you mean " + guess + "?"
		}
		return problem.InvalidParameter(quantityKey, suggestion, "%.60q is not a quantity of the table of units", quantity)
	}
	return web.WriteDescription(w, r, list)
}
