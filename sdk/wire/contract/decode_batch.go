package contract

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// batchDecoder decodes a BatchOutcome, the answer to rows of inputs.
type batchDecoder struct {
	columnDecoder
	sent     []value.Values
	results  []response.Result // nil while it measures
	result   table
	inputs   table // allocated when the first column differs from the sent one
	failure  error // why there are no results
	formulas int
	notes    int
	faults   int
	noted    []byte      // the last notes without their row; many rows have the same
	same     sdk.Outcome // the outcome with these notes
}

// Batch decodes the BatchOutcome for the rows that were sent, with one Result per row. The
// error wraps ErrContract, or is a failure that the engine reports.
func (d *Decoder) Batch(b []byte, sent []value.Values) ([]response.Result, error) {
	bd := &batchDecoder{columnDecoder: columnDecoder{Decoder: *d, rows: len(sent)}, sent: sent}
	err := bd.read(b)
	d.taken = bd.taken
	if err != nil {
		return nil, contractError(err)
	}
	return bd.results, bd.failure
}

func (d *batchDecoder) read(b []byte) error {
	n, outputs := len(d.sent), len(d.spec.Outputs)
	if err := d.take(n * (resultSize + outputs*valueSize)); err != nil {
		return err
	}
	if !d.measuring {
		d.results, d.result = make([]response.Result, n), newTable(n, outputs)
		for i := range d.results {
			d.results[i].Outcome = sdk.Outcome{Result: d.result.row(i), Inputs: d.sent[i]}
		}
	}
	var columns [batchInputs + 1]int // number of columns seen so far, by field number
	m := message{rest: b}
	for m.next() && d.failure == nil {
		if m.kind != protowire.BytesType {
			continue
		}
		if err := d.part(m.field, m.bytes, &columns); err != nil {
			return err
		}
	}
	switch {
	case m.bad:
		return errEncoding
	case d.failure == nil && columns[batchResult] != outputs:
		return fmt.Errorf("result: %d columns for %d fields", columns[batchResult], outputs)
	case d.failure == nil && columns[batchInputs] != len(d.spec.Inputs):
		return fmt.Errorf("inputs: %d columns for %d fields", columns[batchInputs], len(d.spec.Inputs))
	}
	return nil
}

// part reads one field of the message.
func (d *batchDecoder) part(field protowire.Number, b []byte, columns *[batchInputs + 1]int) error {
	switch field {
	case batchResult, batchInputs:
		k := columns[field]
		columns[field]++
		if field == batchResult {
			return d.resultColumn(k, b)
		}
		return d.inputColumn(k, b)
	case batchFormula:
		return d.formulaColumn(b)
	case batchNotes:
		d.notes++
		if d.notes > len(d.sent) {
			return fmt.Errorf("more notes than %d rows", len(d.sent))
		}
		return d.rowNotes(b)
	case batchFaults:
		d.faults++
		if d.faults > len(d.sent) {
			return fmt.Errorf("more faults than %d rows", len(d.sent))
		}
		return d.rowFault(b)
	case batchFailure:
		if len(b) > 0 {
			d.failure = engineFailure(b)
		}
	}
	return nil
}

func (d *batchDecoder) resultColumn(k int, b []byte) error {
	if k >= len(d.spec.Outputs) {
		return fmt.Errorf("result: more columns than %d fields", len(d.spec.Outputs))
	}
	f := &d.spec.Outputs[k]
	unchanged, err := d.column(f, b, func(i int, v value.Value) { d.result.values[i*d.result.fields+k] = v })
	if unchanged {
		err = errUnsent
	}
	if err != nil {
		return fmt.Errorf("result %s: %w", f.Name, err)
	}
	return nil
}

// inputColumn reads a column of inputs. While all columns are marked as unchanged, the results
// share the rows that were sent.
func (d *batchDecoder) inputColumn(k int, b []byte) error {
	fields := len(d.spec.Inputs)
	if k >= fields {
		return fmt.Errorf("inputs: more columns than %d fields", fields)
	}
	f := &d.spec.Inputs[k]
	if string(b) == unchanged {
		return nil
	}
	if d.inputs.fields == 0 {
		if err := d.copySent(); err != nil {
			return err
		}
	}
	unchanged, err := d.column(f, b, func(i int, v value.Value) { d.inputs.values[i*fields+k] = v })
	if err != nil {
		return fmt.Errorf("inputs %s: %w", f.Name, err)
	}
	if unchanged && !d.measuring {
		for i, row := range d.sent {
			d.inputs.values[i*fields+k] = row[k]
		}
	}
	return nil
}

func (d *batchDecoder) copySent() error {
	rows, fields := len(d.sent), len(d.spec.Inputs)
	if err := d.take(rows * fields * valueSize); err != nil {
		return err
	}
	d.inputs.fields = fields
	if d.measuring {
		return nil
	}
	d.inputs = newTable(rows, fields)
	for i, row := range d.sent {
		copy(d.inputs.row(i), row)
		d.results[i].Outcome.Inputs = d.inputs.row(i)
	}
	return nil
}

func (d *batchDecoder) formulaColumn(b []byte) error {
	d.formulas++
	if d.formulas > 1 {
		return errTwice
	}
	ids := sdk.Field{Type: sdk.TypeString, Enum: d.ids()}
	unchanged, err := d.column(&ids, b, func(i int, v value.Value) { d.results[i].Outcome.Formula = v.Text() })
	if unchanged {
		err = errUnsent
	}
	if err != nil {
		return fmt.Errorf("formula: %w", err)
	}
	return nil
}

// ids returns the ids of the formulas.
func (d *Decoder) ids() []string {
	ids := make([]string, len(d.spec.Formulas))
	for i := range ids {
		ids[i] = d.spec.Formulas[i].ID
	}
	return ids
}

// rowNotes reads the assumptions and warnings of one row.
func (d *batchDecoder) rowNotes(b []byte) (err error) {
	row, assumptions, warnings := uint64(0), 0, 0
	var o sdk.Outcome
	m, notes := message{rest: b}, b
	for m.next() && err == nil {
		switch {
		case m.is(notesRow, protowire.VarintType):
			row, notes = m.bits, m.rest
			if assumptions+warnings > 0 {
				notes = nil
			} else if len(d.noted) > 0 && bytes.Equal(notes, d.noted) {
				o, m.rest = d.same, nil
			}
		case m.is(notesAssumptions, protowire.BytesType):
			o.Assumptions, err = d.assumption(o.Assumptions, &assumptions, &m)
		case m.is(notesWarnings, protowire.BytesType):
			o.Warnings, err = d.warning(o.Warnings, &warnings, &m)
		}
	}
	switch {
	case err != nil:
		return err
	case m.bad:
		return errEncoding
	case row >= uint64(len(d.sent)):
		return fmt.Errorf("notes of row %d of %d", row, len(d.sent))
	case !d.measuring:
		to := &d.results[row].Outcome
		to.Assumptions, to.Warnings = o.Assumptions, o.Warnings
	}
	d.noted, d.same = notes, o
	return nil
}

// rowFault reads the reason why one row has no result.
func (d *batchDecoder) rowFault(b []byte) (err error) {
	row, fault := uint64(0), error(nil)
	m := message{rest: b}
	for m.next() && err == nil {
		switch {
		case m.is(faultRow, protowire.VarintType):
			row = m.bits
		case m.field != faultRejection && m.field != faultFailure:
		case fault != nil:
			err = errTwice
		case m.is(faultRejection, protowire.BytesType):
			fault, err = d.rejection(m.bytes)
		case m.is(faultFailure, protowire.BytesType):
			err = d.take(failureSize)
			fault = engineFailure(m.bytes)
		default:
			err = errEncoding
		}
	}
	switch {
	case err != nil:
		return err
	case m.bad:
		return errEncoding
	case row >= uint64(len(d.sent)):
		return fmt.Errorf("fault of row %d of %d", row, len(d.sent))
	}
	if fault == nil { // the oneof was not set
		if err := d.take(failureSize); err != nil {
			return err
		}
		fault = engineFailure(nil)
	}
	if !d.measuring {
		d.results[row] = response.Result{Err: fault}
	}
	return nil
}
