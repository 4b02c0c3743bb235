package contract

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// columnDecoder decodes columns with a given number of rows.
type columnDecoder struct {
	Decoder
	rows int
}

// set receives the values of a column, row by row. It is not called for a column that is only
// measured.
type set func(row int, v value.Value)

// column reads a Column of a field and calls to with the value of every row. It does not call
// to if the column is marked as unchanged, or is only measured.
func (d *columnDecoder) column(f *sdk.Field, b []byte, to set) (unchanged bool, err error) {
	m, forms := message{rest: b}, 0
	for m.next() {
		if m.field < columnNumbers || m.field > columnUnchanged {
			continue
		}
		forms++
		if forms > 1 {
			return false, errTwice
		}
		switch {
		case m.is(columnNumbers, protowire.BytesType):
			err = d.numbers(m.bytes, to)
		case m.is(columnTexts, protowire.BytesType):
			err = d.texts(f, m.bytes, to)
		case m.is(columnValues, protowire.BytesType):
			err = d.values(f, m.bytes, to)
		case m.is(columnConstant, protowire.BytesType):
			err = d.constant(f, m.bytes, to)
		case m.is(columnUnchanged, protowire.VarintType) && protowire.DecodeBool(m.bits):
			unchanged = true
		default:
			err = errEncoding
		}
		if err != nil {
			return false, err
		}
	}
	if err := m.err(); err != nil {
		return false, err
	}
	if forms == 0 {
		return false, fmt.Errorf("not one value for each of %d rows", d.rows)
	}
	return unchanged, nil
}

// numbers reads a column of packed binary64 numbers.
func (d *columnDecoder) numbers(b []byte, to set) error {
	if len(b) != 8*d.rows {
		return fmt.Errorf("%d bytes of numbers for %d rows", len(b), d.rows)
	}
	if d.measuring {
		return nil
	}
	for i := range d.rows {
		to(i, value.NumberOf(math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))))
	}
	return nil
}

// texts reads a column of texts: a dictionary, and an index into it for each row. A
// dictionary with more texts than rows is an error.
func (d *columnDecoder) texts(f *sdk.Field, b []byte, to set) error {
	words, err := countFields(b, textsDictionary)
	if err != nil {
		return err
	}
	if words > d.rows {
		return fmt.Errorf("a dictionary of %d texts for %d rows", words, d.rows)
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
	for i := range d.rows {
		place, n := protowire.ConsumeVarint(indexes)
		if n < 0 {
			return fmt.Errorf("texts for %d of %d rows", i, d.rows)
		}
		if place >= uint64(words) {
			return fmt.Errorf("a text beyond the dictionary of %d", words)
		}
		indexes = indexes[n:]
		if !d.measuring {
			to(i, value.TextOf(dictionary[place]))
		}
	}
	if len(indexes) > 0 {
		return fmt.Errorf("texts for more than %d rows", d.rows)
	}
	return nil
}

// values reads a column of values of any kind.
func (d *columnDecoder) values(f *sdk.Field, b []byte, to set) error {
	i := 0
	err := eachPart(b, func(field protowire.Number, b []byte) error {
		if field != valuesValues {
			return nil
		}
		if i == d.rows {
			return fmt.Errorf("more values than %d rows", d.rows)
		}
		v, err := d.value(f, b)
		if err == nil && !d.measuring {
			to(i, v)
		}
		i++
		return err
	})
	if err == nil && i < d.rows {
		err = fmt.Errorf("values for %d of %d rows", i, d.rows)
	}
	return err
}

// constant reads a column in which all rows have the same value.
func (d *columnDecoder) constant(f *sdk.Field, b []byte, to set) error {
	v, err := d.value(f, b)
	if err != nil || d.measuring {
		return err
	}
	for i := range d.rows {
		to(i, v)
	}
	return nil
}
