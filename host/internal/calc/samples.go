package calc

import (
	"math/rand/v2"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Samples keeps some calculations of engines, so that they can be computed again. Results from
// the cache are not calculations.
type Samples interface {
	// Every returns n: one calculation in n is kept, chosen at random, so that no engine can know
	// which one. It is constant and positive.
	Every() int

	// Keep takes a calculation: the inputs as the engine got them, and the outcome. It must not
	// keep the memory of either.
	Keep(r *catalog.Release, inputs value.Values, o record.Outcome)
}

// sampleRows samples rows that were computed together. Only the rows that it keeps cost time.
func (s *Service) sampleRows(r *catalog.Release, rows []value.Values, results []response.Result) {
	if s.options.Samples == nil {
		return
	}
	every := s.options.Samples.Every()
	for i := rand.IntN(every); i < len(rows); i += 1 + rand.IntN(2*every-1) { // every on average
		if o, answered := RowOutcome(results[i].Outcome.Result, results[i].Err); answered {
			s.options.Samples.Keep(r, rows[i], o)
		}
	}
}
