package calc

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Publication is a catalog that a service answers from, with data about its releases.
type Publication struct {
	catalog *catalog.Catalog
	service *Service
	engines sync.Map // *catalog.Release to *Engine, of releases that have answered
	texts   sync.Map // released to *text, of releases whose steps were asked for
	watches map[*catalog.Release][]Watch
}

// Catalog returns the catalog.
func (p *Publication) Catalog() *catalog.Catalog { return p.catalog }

// Engine is a release that answers: what all its answers have in common, and the pace of its engine.
type Engine struct {
	Release  *catalog.Release
	Template *response.Template // of its answers
	Recorded *record.Release    // the release as records name it

	service  *Service
	size     batchSize
	watches  []Watch
	deflated []atomic.Pointer[[]byte] // endings of answers without a formula, and with each of them
}

// Engine returns the engine of a release. It is made for its first answer: of many releases, most
// are never asked.
func (p *Publication) Engine(r *catalog.Release) *Engine {
	if known, ok := p.engines.Load(r); ok {
		return known.(*Engine)
	}
	known, _ := p.engines.LoadOrStore(r, &Engine{
		Release: r, Template: p.service.newTemplate(p.catalog, r), Recorded: Recorded(r), service: p.service, watches: p.watches[r],
		deflated: make([]atomic.Pointer[[]byte], 1+len(r.Spec.Formulas)),
	})
	return known.(*Engine)
}

// Compute computes the first of the rows, as many as its pace allows but at least one. If the call
// fails as a whole, each of these rows gets the error.
func (e *Engine) Compute(ctx context.Context, rows []value.Values) []response.Result {
	s := e.service
	rows = rows[:min(len(rows), e.size.get())]
	start := time.Now()
	results, err := s.engines.CalculateBatch(ctx, s.options.Timeout, e.Release, rows)
	e.size.observe(len(rows), time.Since(start))
	if err == nil && len(results) != len(rows) {
		err = fmt.Errorf("%d results for %d rows", len(results), len(rows))
	}
	if err != nil {
		results = slices.Repeat([]response.Result{{Err: err}}, len(rows))
	}
	completeAll(&e.Release.Spec, rows, results)
	s.sampleRows(e.Release, rows, results)
	return results
}

// Answer returns an answer to inputs that were computed with others. It has no outcome yet.
func (e *Engine) Answer(id string, sent strictjson.Value, asked value.Values, conversions []value.Conversion) *Answer {
	return &Answer{Release: e.Release, sent: sent, asked: asked, Success: response.Success{
		Template: e.Template, ID: id, Conversions: conversions,
	}}
}

// completeAll completes the rejections among the results of rows.
func completeAll(spec *sdk.Spec, rows []value.Values, results []response.Result) {
	for i := range results {
		if results[i].Err != nil {
			results[i].Err = problem.Complete(spec, rows[i], results[i].Err)
		}
	}
}
