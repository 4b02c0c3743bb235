package calc

import (
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Shadow selects the watches of releases.
type Shadow interface {
	// Watches returns the watches of the releases of a catalog. Most releases have none.
	Watches(*catalog.Catalog) map[*catalog.Release][]Watch
}

// Watch receives the answers of a release. No call waits for it.
type Watch interface {
	// Answered takes the inputs as the engine got them, and the outcome. It keeps no part of
	// either.
	Answered(inputs value.Values, o record.Outcome)
}

// notify shows an outcome to the watches of the release.
func (e *Engine) notify(inputs value.Values, o record.Outcome) {
	for _, w := range e.watches {
		w.Answered(inputs, o)
	}
}

// NotifyRow shows the result of a row to the watches of the release.
func (e *Engine) NotifyRow(inputs value.Values, result *response.Result) {
	if len(e.watches) == 0 {
		return
	}
	if o, answered := RowOutcome(result.Outcome.Result, result.Err); answered {
		e.notify(inputs, o)
	}
}
