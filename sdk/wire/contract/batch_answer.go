package contract

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// BatchAnswer collects the outcomes of the rows of a Batch, by columns. It uses its memory
// again for each Batch.
type BatchAnswer struct {
	spec    *sdk.Spec
	sent    *Columns
	rows    int // added so far
	result  []outputColumn
	inputs  []outputColumn
	changed []bool // for each input: some row has another value than was sent
	formula outputColumn
	notes   []byte // encoded, with their tags
	faults  []byte
}

// NewBatchAnswer returns the BatchAnswer of an engine with the Spec. Its method Start must be
// called before the first row.
func NewBatchAnswer(spec *sdk.Spec) *BatchAnswer {
	return &BatchAnswer{
		spec: spec, result: make([]outputColumn, len(spec.Outputs)),
		inputs: make([]outputColumn, len(spec.Inputs)), changed: make([]bool, len(spec.Inputs)),
	}
}

// Start empties the answer, for the rows of another Batch. Call it before each Batch.
func (a *BatchAnswer) Start(sent *Columns) {
	a.sent, a.rows, a.notes, a.faults = sent, 0, a.notes[:0], a.faults[:0]
	clear(a.changed)
	for f := range a.result {
		a.result[f].reset()
	}
	for f := range a.inputs {
		a.inputs[f].reset()
	}
	a.formula.reset()
}

// Add adds the outcome of the next row: the result for the inputs in, or err if it is not nil.
// An outcome must have the fields of the Spec. Add retains none of its arguments.
func (a *BatchAnswer) Add(in value.Values, o *sdk.Outcome, err error) {
	row, echoed, formula := a.rows, in, ""
	a.rows++
	if err != nil {
		for f := range a.result {
			a.result[f].add(row, value.Value{})
		}
		a.faults = appendMessage(a.faults, batchFaults, func(b []byte) []byte {
			return appendFault(appendUint(b, faultRow, uint64(row)), faultRejection, err)
		})
	} else {
		for f := range a.result {
			a.result[f].add(row, o.Result[f])
		}
		echoed, formula = o.Inputs, o.Formula
		if len(o.Assumptions)+len(o.Warnings) > 0 {
			a.notes = appendMessage(a.notes, batchNotes, func(b []byte) []byte {
				return appendNotes(appendUint(b, notesRow, uint64(row)), notesAssumptions, o)
			})
		}
	}
	a.formula.add(row, value.TextOf(formula))
	for f := range a.inputs {
		a.echo(f, row, in, echoed)
	}
}

// echo adds an input to its column. There is no column while all values are as they were sent.
func (a *BatchAnswer) echo(f, row int, in, echoed value.Values) {
	c := &a.inputs[f]
	if !a.changed[f] {
		if &in[f] == &echoed[f] || echoed[f].Equal(in[f]) {
			return
		}
		a.changed[f] = true
		for before := range row {
			c.add(before, a.sent.columns[f].at(before))
		}
	}
	c.add(row, echoed[f])
}

// Append appends the BatchOutcome of all rows.
func (a *BatchAnswer) Append(b []byte) []byte {
	b = AppendID(b, a.sent.ID)
	for f := range a.result {
		b = a.result[f].append(b, batchResult, a.rows)
	}
	for f := range a.inputs {
		if a.changed[f] {
			b = a.inputs[f].append(b, batchInputs, a.rows)
		} else {
			b = append(appendLength(b, batchInputs, len(unchanged)), unchanged...)
		}
	}
	b = a.formula.append(b, batchFormula, a.rows)
	return append(append(b, a.notes...), a.faults...)
}

// unchanged is the content of a Column with the values that were sent.
const unchanged = string(rune(columnUnchanged<<3)) + "\x01" // true

// outputColumn collects a Column row by row.
type outputColumn struct {
	first   value.Value
	varies  bool          // some row differs from the first one
	numbers []byte        // packed binary64, while all rows are numbers
	values  []value.Value // of all rows, once one of them is not a number and not all are the same
}

func (c *outputColumn) reset() {
	c.first, c.varies, c.values = (value.Value{}), false, nil
	if cap(c.numbers) > KeepBuffer {
		c.numbers = nil
	}
	c.numbers = c.numbers[:0]
}

// add adds the value of the row with this index.
func (c *outputColumn) add(row int, v value.Value) {
	switch {
	case row == 0:
		c.first = v
	case !c.varies:
		c.varies = !v.Equal(c.first)
	}
	switch {
	case c.values != nil:
		c.values = append(c.values, v)
	case v.Kind() == value.Number && len(c.numbers) == 8*row:
		c.numbers = protowire.AppendFixed64(c.numbers, math.Float64bits(v.Number()))
	case c.varies:
		c.unpack(row)
		c.values = append(c.values, v)
	}
}

// unpack makes values of the earlier rows. It is called when a row is not a number, or differs
// from equal texts.
func (c *outputColumn) unpack(rows int) {
	c.values = make([]value.Value, 0, 2*rows)
	for i := range rows {
		v := c.first
		if len(c.numbers) > 0 {
			v = numberAt(c.numbers, i)
		}
		c.values = append(c.values, v)
	}
}

func (c *outputColumn) append(b []byte, field protowire.Number, rows int) []byte {
	switch {
	case !c.varies:
		return appendValue(appendForm(b, field, columnConstant, sizeValue(c.first)), c.first)
	case c.values == nil:
		return append(appendForm(b, field, columnNumbers, len(c.numbers)), c.numbers...)
	}
	return appendColumn(b, field, rows, func(row int) *value.Value { return &c.values[row] })
}
