package wire

import (
	"context"
	"errors"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// rowServer computes the rows of batches. It uses the same memory for all rows.
type rowServer struct {
	compute   func(context.Context, value.Values) (*sdk.Outcome, error)
	answer    *contract.BatchAnswer
	spec      *sdk.Spec
	collector collector
}

func newRowServer(compute func(context.Context, value.Values) (*sdk.Outcome, error), spec *sdk.Spec) *rowServer {
	return &rowServer{compute: compute, answer: contract.NewBatchAnswer(spec), spec: spec}
}

// batch appends the answer to a Batch.
func (s *streamServer) batch(body []byte) {
	batch, err := contract.DecodeBatch(body, &s.spec)
	if err != nil {
		s.out = contract.AppendFrame(s.out, contract.FrameBatchOutcome, func(b []byte) []byte {
			return contract.AppendBatchFailure(b, batch.ID, err)
		})
		return
	}
	s.monitor.keepAwake()
	s.calls += batch.Rows
	if s.rows == nil {
		s.rows = newRowServer(s.compute, &s.spec)
	}
	s.rows.collector.batch()
	ctx := newCallContext(batch.Timeout, batch.Trace, &batch.Request)
	s.rows.computeAll(ctx, &batch)
	ctx.end(context.Canceled)
	s.out = contract.AppendFrame(s.out, contract.FrameBatchOutcome, s.rows.answer.Append)
}

// errFields is the error of a row with an outcome that does not fit into the columns.
var errFields = errors.New("the outcome does not have the fields of the spec")

// computeAll computes the rows one after the other.
func (r *rowServer) computeAll(ctx context.Context, batch *contract.Columns) {
	r.answer.Start(batch)
	for i := range batch.Rows {
		in := batch.Row(i)
		o, err := r.compute(ctx, in)
		if err == nil && (len(o.Result) != len(r.spec.Outputs) || len(o.Inputs) != len(r.spec.Inputs)) {
			err = errFields
		}
		r.answer.Add(in, o, err)
	}
}
