package contract

import (
	"time"

	"github.com/slipstick/slipstick/sdk/value"
)

// Batch is many calculations with the same Spec, as a server sends them. It is encoded by
// columns: one per input. An engine reads it as [Columns].
type Batch struct {
	ID      uint64
	Timeout time.Duration  // left for all rows together; 0 for no bound
	Trace   string         // traceparent (W3C Trace Context); "" for none
	Request RequestID      // of the request that the batch belongs to
	Rows    []value.Values // each with one value per input of the Spec
}

// AppendBatch appends a Batch. It has at least one row, and fields values in each row.
func AppendBatch(b []byte, batch *Batch, fields int) []byte {
	b = appendUint(b, messageID, batch.ID)
	b = appendUint(b, batchTimeout, uint64(batch.Timeout))
	b = appendUint(b, batchRows, uint64(len(batch.Rows)))
	for f := range fields {
		b = appendColumn(b, batchSent, len(batch.Rows), func(row int) *value.Value { return &batch.Rows[row][f] })
	}
	b = appendString(b, batchTrace, batch.Trace)
	return appendRequest(b, batchRequest, &batch.Request)
}

// AppendBatchFailure appends the BatchOutcome for a batch without any result.
func AppendBatchFailure(b []byte, id uint64, err error) []byte {
	return appendText(AppendID(b, id), batchFailure, err.Error())
}
