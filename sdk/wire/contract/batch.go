package contract

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Batch is many calculations with the same Spec. They are encoded by columns: one per input.
type Batch struct {
	ID      uint64
	Timeout time.Duration  // left for all rows together; 0 for no bound
	Trace   string         // traceparent (W3C Trace Context); "" for none
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
	return appendString(b, batchTrace, batch.Trace)
}

// DecodeBatch decodes a Batch for an engine with the Spec. If there is an error, the Batch
// still has the id if that could be read, so that the error can be answered.
func DecodeBatch(b []byte, spec *sdk.Spec) (Batch, error) {
	var batch Batch
	rows, columns := uint64(0), 0
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(messageID, protowire.VarintType):
			batch.ID = m.bits
		case m.is(batchTimeout, protowire.VarintType):
			batch.Timeout = time.Duration(m.bits)
		case m.is(batchRows, protowire.VarintType):
			rows = m.bits
		case m.is(batchTrace, protowire.BytesType):
			batch.Trace = string(m.bytes)
		case m.is(batchSent, protowire.BytesType):
			columns++
		}
	}
	switch {
	case m.bad:
		return batch, errEncoding
	case rows == 0 || rows > MaxRows:
		return batch, fmt.Errorf("a batch of %d rows", rows)
	case columns != len(spec.Inputs):
		return batch, fmt.Errorf("%d columns for %d fields", columns, len(spec.Inputs))
	}
	t := newTable(int(rows), columns)
	if err := t.read(b, spec); err != nil {
		return batch, err
	}
	batch.Rows = make([]value.Values, rows)
	for i := range batch.Rows {
		batch.Rows[i] = t.row(i)
	}
	return batch, nil
}

// errUnsent is the error for a column marked as unchanged in a message that answers nothing.
var errUnsent = errors.New("unchanged, and none was sent")

// read fills the table from the columns of a Batch.
func (t table) read(b []byte, spec *sdk.Spec) error {
	d := columnDecoder{Decoder: trusting(spec), rows: len(t.values) / max(1, t.fields)}
	f := 0
	m := message{rest: b}
	for m.next() {
		if !m.is(batchSent, protowire.BytesType) {
			continue
		}
		unchanged, err := d.column(&spec.Inputs[f], m.bytes, func(row int, v value.Value) { t.values[row*t.fields+f] = v })
		if unchanged {
			err = errUnsent
		}
		if err != nil {
			return fmt.Errorf("column %d: %w", f, err)
		}
		f++
	}
	return nil
}

// AppendBatchOutcome appends the BatchOutcome for the rows that were sent, with one result
// per row. A result without an error must have the fields of the Spec.
func AppendBatchOutcome(b []byte, id uint64, spec *sdk.Spec, sent []value.Values, results []response.Result) []byte {
	b = AppendID(b, id)
	rows, absent := len(results), new(value.Value)
	for f := range spec.Outputs {
		b = appendColumn(b, batchResult, rows, func(row int) *value.Value {
			if results[row].Err != nil {
				return absent
			}
			return &results[row].Outcome.Result[f]
		})
	}
	for f := range spec.Inputs {
		b = appendEcho(b, sent, results, f)
	}
	var formula value.Value
	b = appendColumn(b, batchFormula, rows, func(row int) *value.Value {
		formula = value.TextOf(results[row].Outcome.Formula)
		return &formula
	})
	for row := range results {
		if o := &results[row].Outcome; results[row].Err == nil && len(o.Assumptions)+len(o.Warnings) > 0 {
			b = appendMessage(b, batchNotes, func(b []byte) []byte {
				return appendNotes(appendUint(b, notesRow, uint64(row)), notesAssumptions, o)
			})
		}
	}
	for row := range results {
		if err := results[row].Err; err != nil {
			b = appendMessage(b, batchFaults, func(b []byte) []byte {
				return appendFault(appendUint(b, faultRow, uint64(row)), faultRejection, err)
			})
		}
	}
	return b
}

// appendEcho appends a column of the inputs that the engine returns. If all are as they were
// sent, the column is only a mark.
func appendEcho(b []byte, sent []value.Values, results []response.Result, f int) []byte {
	echo := func(row int) *value.Value {
		if results[row].Err != nil {
			return &sent[row][f]
		}
		return &results[row].Outcome.Inputs[f]
	}
	for row := range results {
		if !echo(row).Equal(sent[row][f]) {
			return appendColumn(b, batchInputs, len(results), echo)
		}
	}
	return append(appendLength(b, batchInputs, len(unchanged)), unchanged...)
}

// unchanged is the content of a Column whose values are as they were sent.
const unchanged = string(rune(columnUnchanged<<3)) + "\x01" // true

// AppendBatchFailure appends the BatchOutcome for a batch of which nothing was computed.
func AppendBatchFailure(b []byte, id uint64, err error) []byte {
	return appendText(AppendID(b, id), batchFailure, err.Error())
}
