package wire

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
)

// set is what a column gives its values to, row by row. A column that is only weighed
// does not call it.
type set func(row int, v sdk.Value)

// numbers reads a column of numbers, which are packed.
func (d *batchDecoder) numbers(b []byte, to set) error {
	if len(b) != 8*len(d.sent) {
		return fmt.Errorf("%d bytes of numbers for %d rows", len(b), len(d.sent))
	}
	if d.weighing {
		return nil
	}
	for i := range d.sent {
		to(i, sdk.NumberOf(math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))))
	}
	return nil
}

// texts reads a column of texts. No dictionary is longer than the column.
func (d *batchDecoder) texts(f *sdk.Field, b []byte, to set) error {
	rows := len(d.sent)
	words, err := countFields(b, textsDictionary)
	if err != nil {
		return err
	}
	if words > rows {
		return fmt.Errorf("a dictionary of %d texts for %d rows", words, rows)
	}
	if err := d.take(words * textSize); err != nil {
		return err
	}
	dictionary := make([]string, 0, words)
	var indexes []byte
	err = eachPart(b, func(field protowire.Number, b []byte) error {
		switch field {
		case textsDictionary:
			text, err := d.word(b, f.Enum)
			dictionary = append(dictionary, text)
			return err
		case textsIndexes:
			if indexes != nil {
				return errTwice
			}
			indexes = b
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range rows {
		place, n := protowire.ConsumeVarint(indexes)
		if n < 0 {
			return fmt.Errorf("texts for %d of %d rows", i, rows)
		}
		if place >= uint64(words) {
			return fmt.Errorf("a text beyond the dictionary of %d", words)
		}
		if indexes = indexes[n:]; !d.weighing {
			to(i, sdk.TextOf(dictionary[place]))
		}
	}
	if len(indexes) > 0 {
		return fmt.Errorf("texts for more than %d rows", rows)
	}
	return nil
}

// values reads a column of anything.
func (d *batchDecoder) values(f *sdk.Field, b []byte, to set) error {
	rows, i := len(d.sent), 0
	err := eachPart(b, func(field protowire.Number, b []byte) error {
		if field != valuesValues {
			return nil
		}
		if i == rows {
			return fmt.Errorf("more values than %d rows", rows)
		}
		v, err := d.value(f, b)
		if err == nil && !d.weighing {
			to(i, v)
		}
		i++
		return err
	})
	if err == nil && i < rows {
		err = fmt.Errorf("values for %d of %d rows", i, rows)
	}
	return err
}

// constant reads the value that every row has.
func (d *batchDecoder) constant(f *sdk.Field, b []byte, to set) error {
	v, err := d.value(f, b)
	if err != nil || d.weighing {
		return err
	}
	for i := range d.sent {
		to(i, v)
	}
	return nil
}

// rowNotes reads the notes of one row.
func (d *batchDecoder) rowNotes(b []byte) (err error) {
	row, assumptions, warnings := uint64(0), 0, 0
	var o sdk.Outcome
	m := message{rest: b}
	for m.next() && err == nil {
		switch {
		case m.is(notesRow, protowire.VarintType):
			row = m.bits
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
	case !d.weighing:
		to := &d.results[row].Outcome
		to.Assumptions, to.Warnings = o.Assumptions, o.Warnings
	}
	return nil
}

// rowFault reads why one row has no answer.
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
	if !d.weighing {
		d.results[row] = sdk.Result{Err: fault}
	}
	return nil
}
