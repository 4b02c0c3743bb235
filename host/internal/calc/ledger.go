package calc

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Ledger keeps records of answers. No call waits for it.
type Ledger interface {
	// Record takes a record, and returns the zero Receipt if it is lost. It does not keep the
	// values of the record.
	Record(record.Record) Receipt
}

// Receipt names a record. The zero Receipt names none.
type Receipt = record.Receipt

type callKey struct{}

// callContext has the id of a call. It takes one allocation, and reading it none.
type callContext struct {
	context.Context
	id string
}

// Value implements [context.Context].
func (c *callContext) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// WithCall returns a context with the id of the call. The ledger records the id, and engines log it.
func WithCall(ctx context.Context, id string) context.Context { return &callContext{ctx, id} }

// CallOf returns the id of the call that the context has, "" if it has none.
func CallOf(ctx context.Context) string {
	c, ok := ctx.Value(callKey{}).(*callContext)
	if !ok {
		return ""
	}
	return c.id
}

// Recorded returns the release as records name it.
func Recorded(r *catalog.Release) *record.Release {
	return record.NewRelease(record.Release{
		Capability: r.Capability, Version: r.Version, Digest: r.Digest, Engine: r.EngineDigest, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
}

// record records the outcome of a request, if there is a ledger.
func (s *Service) record(ctx context.Context, engine *Engine, req *Request, resolved *Resolved, kept *computed, hit bool) Receipt {
	if s.options.Ledger == nil {
		return Receipt{}
	}
	call := req.Call
	if call == "" {
		call = CallOf(ctx)
	}
	at := req.Received // to ask for the time again would cost as much as half of the rest
	if at.IsZero() {
		at = time.Now()
	}
	return s.options.Ledger.Record(record.Record{
		Kind: record.Answer, Time: at, Request: call, Kept: hit, Release: engine.Recorded,
		Inputs: resolved.Inputs, Outcome: outcomeOf(kept.outcome.Result, kept.rejection),
	})
}

func outcomeOf(result value.Values, rejection *sdk.Error) record.Outcome {
	if rejection != nil {
		return record.Outcome{Code: rejection.Code, Field: rejection.Field}
	}
	return record.Outcome{Result: result}
}

// RowOutcome returns the outcome of a row, and whether the release has answered it. A failure is
// not an answer.
func RowOutcome(result value.Values, err error) (o record.Outcome, answered bool) {
	if err == nil {
		return record.Outcome{Result: result}, true
	}
	p := problem.Of(err)
	return record.Outcome{Code: p.Code, Field: p.Field}, p.Rejected
}

// errOtherInputs means that a record is not of the release that it names.
var errOtherInputs = errors.New("the record has another number of inputs than its release")

// Recompute computes with the release from the typed inputs of a record, without the cache. A
// rejection is an outcome, not an error.
func (s *Service) Recompute(ctx context.Context, r *catalog.Release, inputs value.Values) (record.Outcome, error) {
	if len(inputs) != len(r.Spec.Inputs) {
		return record.Outcome{}, errOtherInputs
	}
	c, err := s.ask(ctx, "", r, inputs)
	if err != nil {
		return record.Outcome{}, problem.Of(err)
	}
	return outcomeOf(c.outcome.Result, c.rejection), nil
}

// Recomputed is the outcome of one of many inputs, or the reason why there is none.
type Recomputed struct {
	Outcome record.Outcome
	Err     error
}

// RecomputeAll is Recompute for many inputs. The engine gets them as rows of a batch.
func (s *Service) RecomputeAll(ctx context.Context, r *catalog.Release, rows []value.Values) ([]Recomputed, error) {
	engine := s.Publication(nil).Engine(r)
	var results []response.Result
	for len(results) < len(rows) && ctx.Err() == nil {
		results = append(results, engine.Compute(ctx, rows[len(results):])...)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	list := make([]Recomputed, len(rows))
	for i := range results {
		result := &results[i]
		o, answered := RowOutcome(result.Outcome.Result, result.Err)
		list[i].Outcome = o
		if !answered {
			list[i].Err = problem.Of(result.Err)
		}
	}
	return list, nil
}
