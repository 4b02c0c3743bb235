package contract

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Columns is a [Batch] in the form in which an engine reads it: row by row, without copying
// its numbers. It refers to the memory of the message.
type Columns struct {
	ID      uint64
	Timeout time.Duration
	Trace   string
	Request RequestID
	Rows    int

	columns []inputColumn
	row     value.Values // memory of Row
}

// inputColumn has the values of one input, as the numbers of a message or as values.
type inputColumn struct {
	numbers []byte        // packed binary64, one for each row; nil if there are values
	values  []value.Value // one for each row, or one for all
}

func (c *inputColumn) at(row int) value.Value {
	switch {
	case c.numbers != nil:
		return numberAt(c.numbers, row)
	case len(c.values) == 1:
		return c.values[0]
	}
	return c.values[row]
}

// numberAt returns one number of packed binary64 numbers.
func numberAt(packed []byte, i int) value.Value {
	return value.NumberOf(math.Float64frombits(binary.LittleEndian.Uint64(packed[8*i:])))
}

// Row returns one value per input. They are valid until the next call.
func (c *Columns) Row(i int) value.Values {
	for f := range c.columns {
		c.row[f] = c.columns[f].at(i)
	}
	return c.row
}

// DecodeBatch decodes a Batch for an engine with the Spec. After an error, the Columns still
// have the id if it could be read, so that the error can be answered.
func DecodeBatch(b []byte, spec *sdk.Spec) (Columns, error) {
	var c Columns
	rows, columns := uint64(0), 0
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(messageID, protowire.VarintType):
			c.ID = m.bits
		case m.is(batchTimeout, protowire.VarintType):
			c.Timeout = time.Duration(m.bits)
		case m.is(batchRows, protowire.VarintType):
			rows = m.bits
		case m.is(batchTrace, protowire.BytesType):
			c.Trace = string(m.bytes)
		case m.is(batchRequest, protowire.BytesType):
			c.Request = RequestIDOf(m.bytes)
		case m.is(batchSent, protowire.BytesType):
			columns++
		}
	}
	switch {
	case m.bad:
		return c, errEncoding
	case rows == 0 || rows > MaxRows:
		return c, fmt.Errorf("a batch of %d rows", rows)
	case columns != len(spec.Inputs):
		return c, fmt.Errorf("%d columns for %d fields", columns, len(spec.Inputs))
	}
	c.Rows, c.columns, c.row = int(rows), make([]inputColumn, 0, columns), make(value.Values, columns)
	return c, c.read(b, spec)
}

// errUnsent is the error for a column marked as unchanged in a message that is not an answer.
var errUnsent = errors.New("unchanged, and none was sent")

// read reads the columns of a Batch.
func (c *Columns) read(b []byte, spec *sdk.Spec) error {
	d := columnDecoder{Decoder: trusting(spec), rows: c.Rows}
	m := message{rest: b}
	for m.next() {
		if !m.is(batchSent, protowire.BytesType) {
			continue
		}
		f := len(c.columns)
		column, err := d.inputColumn(&spec.Inputs[f], m.bytes)
		if err != nil {
			return fmt.Errorf("column %d: %w", f, err)
		}
		c.columns = append(c.columns, column)
	}
	return nil
}

func (d *columnDecoder) inputColumn(f *sdk.Field, b []byte) (c inputColumn, err error) {
	m := message{rest: b}
	if m.next() && len(m.rest) == 0 { // the column has one form, as required
		switch {
		case m.is(columnNumbers, protowire.BytesType) && len(m.bytes) == 8*d.rows:
			c.numbers = m.bytes
			return c, nil
		case m.is(columnConstant, protowire.BytesType):
			v, err := d.value(f, m.bytes)
			c.values = []value.Value{v}
			return c, err
		}
	}
	c.values = make([]value.Value, d.rows)
	unchanged, err := d.column(f, b, func(row int, v value.Value) { c.values[row] = v })
	if unchanged {
		err = errUnsent
	}
	return c, err
}
