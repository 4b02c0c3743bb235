package wire

import (
	"context"
	"errors"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// batch appends the answer to a Batch.
func (s *streamServer) batch(body []byte) {
	batch, err := contract.DecodeBatch(body, &s.spec)
	if err != nil {
		s.out = contract.AppendFrame(s.out, contract.FrameBatchOutcome, func(b []byte) []byte {
			return contract.AppendBatchFailure(b, batch.ID, err)
		})
		return
	}
	ctx := newCallContext(batch.Timeout, batch.Trace)
	s.calls += len(batch.Rows)
	results := s.computeBatch(ctx, batch.Rows)
	ctx.end(context.Canceled)
	s.out = contract.AppendFrame(s.out, contract.FrameBatchOutcome, func(b []byte) []byte {
		return contract.AppendBatchOutcome(b, batch.ID, &s.spec, batch.Rows, results)
	})
}

// errFields is the error of a row whose outcome does not fit into the columns.
var errFields = errors.New("the outcome does not have the fields of the spec")

func (s *streamServer) computeBatch(ctx context.Context, rows []value.Values) []response.Result {
	results := make([]response.Result, len(rows))
	for i, in := range rows {
		o, err := s.engine.Calculate(ctx, in)
		if err == nil && (len(o.Result) != len(s.spec.Outputs) || len(o.Inputs) != len(s.spec.Inputs)) {
			err = errFields
		}
		if err != nil {
			o = sdk.Outcome{}
		}
		results[i] = response.Result{Outcome: o, Err: err}
	}
	return results
}
