package process

import (
	"context"
	"errors"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Bounds on the memory for the values of one answer, in bytes. They are several times the
// bounds on its message, because values take more memory than their encoding.
const (
	maxAnswerValues = 16 << 20
	maxBatchValues  = 64 << 20
)

// answers decodes the answers of one engine. The memory for their values comes out of the
// share of the engine.
type answers struct {
	spec  *sdk.Spec
	share *Share
}

func (a *answers) decoder(most int64) contract.Decoder {
	return contract.NewDecoder(a.spec, int(min(most, a.share.values.size)))
}

// outcome decodes an Outcome; see [contract.Decoder]. Before it decodes a message that is
// not small, it measures how much memory the values will take and acquires that much. The
// memory is released when the answer is garbage. The error wraps ErrBusy if there is not
// enough memory.
func (a *answers) outcome(ctx context.Context, body []byte) (sdk.Outcome, error) {
	d, taken := a.decoder(maxAnswerValues), int64(0)
	if len(body) > smallMessage {
		size, err := d.MeasureOutcome(body)
		if errors.Is(err, ErrContract) {
			return sdk.Outcome{}, err
		}
		taken, err = a.acquire(ctx, size)
		if err != nil {
			return sdk.Outcome{}, err
		}
	}
	o, err := d.Outcome(body)
	if len(o.Result) > 0 {
		releaseWith(a.share, &o.Result[0], taken)
	} else { // an error needs little memory
		a.share.releaseValues(taken)
	}
	return o, err
}

// batch decodes the BatchOutcome of the rows; see [contract.Decoder]. Memory is acquired and
// released as for outcome.
func (a *answers) batch(ctx context.Context, body []byte, rows []value.Values) ([]response.Result, error) {
	d := a.decoder(maxBatchValues)
	size, err := d.MeasureBatch(body, rows)
	if err != nil {
		return nil, err
	}
	taken, err := a.acquire(ctx, size)
	if err != nil {
		return nil, err
	}
	results, err := d.Batch(body, rows)
	if err != nil {
		a.share.releaseValues(taken)
		return nil, err
	}
	for i := range results {
		if result := results[i].Outcome.Result; len(result) > 0 { // all rows share one allocation, so any row keeps it alive
			releaseWith(a.share, &result[0], taken)
			return results, nil
		}
	}
	releaseWith(a.share, &results[0], taken)
	return results, nil
}

// drawing decodes a Drawing. The bounds on plots limit its memory.
func (a *answers) drawing(body []byte) (*sdk.Figure, error) {
	d := a.decoder(maxAnswerValues)
	return d.Drawing(body)
}

// acquire acquires memory for values of a size in bytes, and returns how many bytes must be
// released later. That is 0 if the values are small enough to be free.
func (a *answers) acquire(ctx context.Context, bytes int) (int64, error) {
	if bytes <= freeValues {
		return 0, nil
	}
	return int64(bytes), a.share.acquireValues(ctx, int64(bytes))
}
