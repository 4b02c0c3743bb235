package calc

import (
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Shadow says who watches the answers of releases.
type Shadow interface {
	// Watches returns who is told what the releases of a catalog answer; most have nobody.
	Watches(*catalog.Catalog) map[*catalog.Release][]Watch
}

// Watch is told what a release has answered. Nobody waits for it.
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
