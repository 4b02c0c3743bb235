package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Bounds of the time that one row has when it is computed alone. The rows after it must have time
// too, so a row without an answer waits until the others are computed.
const (
	rowShare  = 4   // the time left / rowShare,
	rowFactor = 20  // or rowFactor times the time of the slowest row so far, if that is less,
	rowFloor  = 100 // but at least the limit of the batch / rowFloor
	rowEnough = 5   // with the limit / rowEnough, a row without an answer is refused for a while
)

// calculateBatch computes all rows together. Rows that fail then are computed one by one.
func (s *supervisor) calculateBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	first := time.Duration(float64(limit) * firstShare)
	results, err := s.firstBatch(ctx, first, rows)
	switch {
	case broken(err) && ctx.Err() == nil:
		s.log.warn("an engine failed; the server tries again", "rows", len(rows), "error", err)
		results = make([]response.Result, len(rows))
		for k := range results {
			results[k].Err = err
		}
	case broken(err):
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case err != nil:
		return nil, err
	}
	s.repeat(ctx, limit, first/time.Duration(max(1, len(rows))), rows, results)
	return results, nil
}

// firstBatch makes the first attempt, on the current process.
func (s *supervisor) firstBatch(ctx context.Context, limit time.Duration, rows []value.Values) (results []response.Result, err error) {
	alone, err := s.caution.enter(ctx, time.Now().Add(left(ctx)))
	if err != nil {
		return nil, err
	}
	defer alone.leave()
	for range 2 {
		w, err := s.acquire(ctx)
		if err != nil {
			return nil, err
		}
		alone.sent()
		results, err = w.computeBatch(ctx, limit, rows)
		w.release()
		if !process.Unsent(err) {
			return results, err
		}
	}
	return results, err
}

// repeat makes second attempts for the rows that failed. Each has a short time at first, and the
// rows that need more share what is left after that. Slowest is the longest time that a row took so
// far, or its estimate.
func (s *supervisor) repeat(ctx context.Context, limit, slowest time.Duration, rows []value.Values, results []response.Result) {
	enough := limit / rowEnough
	try := func(k int, within time.Duration) {
		a, err := s.second(ctx, within, enough, request{inputs: rows[k]})
		results[k].Outcome, results[k].Err, slowest = a.outcome, err, max(slowest, a.took)
	}
	var slow []int
	for k := range results {
		r := &results[k]
		if !broken(r.Err) {
			continue
		}
		if refused := s.poison.find(request{inputs: rows[k]}); refused != nil {
			r.Err = refused
			continue
		}
		if ctx.Err() != nil {
			r.Err = fmt.Errorf("%w: no time was left: %w", ErrUnavailable, r.Err)
			continue
		}
		s.observe(Retried)
		share := max(min(left(ctx)/rowShare, rowFactor*slowest), limit/rowFloor)
		try(k, share)
		if broken(r.Err) && late(r.Err) {
			slow = append(slow, k)
		}
	}
	for i, k := range slow {
		if ctx.Err() == nil {
			try(k, left(ctx)/time.Duration(len(slow)-i))
		}
	}
}
