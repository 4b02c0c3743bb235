package process

import (
	"context"
	"errors"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// What the values of an answer may take in memory, in bytes: some times what its
// message may.
const (
	maxAnswerValues = 16 << 20
	maxBatchValues  = 64 << 20
)

// answers reads what one engine answers into the memory that is its share.
type answers struct {
	spec  *sdk.Spec
	share *Share
}

func (a *answers) decoder(most int64) contract.Decoder {
	return contract.NewDecoder(a.spec, int(min(most, a.share.values.size)))
}

// outcome reads an Outcome; see [contract.Decoder].
func (a *answers) outcome(ctx context.Context, body []byte) (sdk.Outcome, error) {
	d, taken := a.decoder(maxAnswerValues), int64(0)
	if len(body) > smallMessage {
		size, err := d.MeasureOutcome(body)
		if errors.Is(err, ErrContract) {
			return sdk.Outcome{}, err
		}
		if taken, err = a.acquire(ctx, size); err != nil {
			return sdk.Outcome{}, err
		}
	}
	o, err := d.Outcome(body)
	if len(o.Result) > 0 {
		releaseWith(a.share, &o.Result[0], taken)
	} else { // what an error holds is little
		a.share.releaseValues(taken)
	}
	return o, err
}

// batch reads the BatchOutcome of the rows; see [contract.Decoder].
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
		if result := results[i].Outcome.Result; len(result) > 0 { // a row keeps the values of all
			releaseWith(a.share, &result[0], taken)
			return results, nil
		}
	}
	releaseWith(a.share, &results[0], taken)
	return results, nil
}

// drawing reads a Drawing.
func (a *answers) drawing(body []byte) (*sdk.Figure, error) {
	d := a.decoder(maxAnswerValues)
	return d.Drawing(body)
}

// acquire takes memory for values, if they are more than those that are free.
func (a *answers) acquire(ctx context.Context, bytes int) (int64, error) {
	if bytes <= freeValues {
		return 0, nil
	}
	return int64(bytes), a.share.acquireValues(ctx, int64(bytes))
}
