package process

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// MaxRows is the largest number of rows in one batch.
const MaxRows = contract.MaxRows

// CalculateBatch computes one outcome per row of inputs. A row has one Value per input of
// the Spec, and result i belongs to row i. An engine with a stream receives the rows as
// columns in one message, and the limit is for all of them. Other engines get one call per row,
// each with the limit.
//
// The error is about the whole batch, and then no row has an answer. It, and the error of a
// row, is as from CalculateWithin.
func (p *Process) CalculateBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	if len(rows) > MaxRows {
		return nil, fmt.Errorf("batch of %d rows: at most %d", len(rows), MaxRows)
	}
	if p.stream == nil || len(rows) == 0 {
		return p.calculateEach(ctx, limit, rows)
	}
	results, err := p.stream.calculateBatch(ctx, limit, rows)
	if err == errSlow {
		return p.calculateEach(ctx, limit, rows)
	}
	return results, err
}

// unaryAtOnce is how many calls of a batch are under way at a time in an engine without a
// stream.
const unaryAtOnce = 16

// calculateEach makes one call per row.
func (p *Process) calculateEach(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	tokens := make(chan struct{}, unaryAtOnce)
	var wg sync.WaitGroup
	for i, row := range rows {
		tokens <- struct{}{}
		wg.Go(func() {
			defer func() { <-tokens }()
			results[i].Outcome, results[i].Err = p.CalculateWithin(ctx, limit, row)
		})
	}
	wg.Wait()
	return results, nil
}

// calculateBatch sends the rows as one frame. Rows is not empty.
func (s *stream) calculateBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	batch := contract.Batch{Timeout: timeLeft(ctx, limit), Trace: traceparent(ctx), Request: requestOf(ctx, s.requestID), Rows: rows}
	body, err := s.ask(ctx, limit, s.needs.Batch(rows), contract.FrameBatch, contract.FrameBatchOutcome, func(b []byte, id uint64) []byte {
		batch.ID = id
		return contract.AppendBatch(b, &batch, len(s.spec.Inputs))
	})
	if err != nil {
		return nil, err
	}
	defer s.releaseBody(body)
	return s.answers.batch(ctx, body.bytes, rows)
}
