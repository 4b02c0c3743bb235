package calc

import (
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Shadow says who watches the answers of releases.
type Shadow interface {
	// Watches returns who is told what the releases of a catalog answer; most have nobody.
	Watches(*Catalog) map[*Release][]Watch
}

// Watch is told what a release has answered. Nobody waits for it.
type Watch interface {
	// Answered takes the inputs as the engine got them, and the outcome. It keeps no part of
	// either.
	Answered(inputs value.Values, o record.Outcome)
}

// tell tells those who watch the release what it has answered.
func (c *Catalog) tell(r *Release, inputs value.Values, o record.Outcome) {
	for _, w := range c.watches[r] {
		w.Answered(inputs, o)
	}
}

// tellRow tells them of a row of many.
func (c *Catalog) tellRow(r *Release, inputs value.Values, result *response.Result) {
	if len(c.watches[r]) == 0 {
		return
	}
	if o, answered := rowOutcome(result.Outcome.Result, result.Err); answered {
		c.tell(r, inputs, o)
	}
}

// tellRows tells them of the rows of a job whose answers were written.
func (c *Catalog) tellRows(j *job, from, to int) {
	if len(c.watches) == 0 {
		return
	}
	for i := from; i < to; i++ {
		if t := &j.tasks[i]; t.problem == nil {
			g := &j.groups[t.group]
			c.tellRow(g.release, g.rows[t.index], &g.results[t.index])
		}
	}
}
