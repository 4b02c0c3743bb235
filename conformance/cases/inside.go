package cases

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

const (
	insides = 48 // number of cases of the kind Inside
	tries   = 8  // attempts to satisfy ranges that end at other inputs, which change too
)

// inside multiplies every number of an example by a factor between 1/2 and 2, and changes some
// of its other values. It stays within the ranges as far as they are known.
func (m *maker) inside() {
	for n := range insides {
		moved := m.move(m.examples[m.random.IntN(len(m.examples))])
		m.add(Case{ID: fmt.Sprintf("inside %d", n+1), Kind: Inside, Inputs: m.write(moved, nil)})
	}
}

func (m *maker) move(example value.Values) value.Values {
	moved := slices.Clone(example)
	for range tries {
		for i, v := range example {
			moved[i] = m.moveValue(&m.spec.Inputs[i], m.spec.Inputs[i].Range, v)
		}
		if m.within(moved) {
			break
		}
	}
	return moved
}

func (m *maker) moveValue(f *sdk.Field, r *sdk.Range, v value.Value) value.Value {
	switch v.Kind() {
	case value.Number, value.Exact:
		return m.moveNumber(f, r, v)
	case value.Bool:
		return value.BoolOf(v.Bool() != (m.random.IntN(4) == 0))
	case value.Text:
		if len(f.Enum) > 0 && m.random.IntN(3) == 0 {
			return value.TextOf(f.Enum[m.random.IntN(len(f.Enum))])
		}
	case value.List:
		items := slices.Clone(v.Items())
		for i := range items {
			inner := f.Items.Range
			if inner == nil {
				inner = r
			}
			items[i] = m.moveValue(f.Items, inner, items[i])
		}
		return value.ListOf(items...)
	case value.Record:
		fields := slices.Clone(v.Items())
		for i := range fields {
			fields[i] = m.moveValue(&f.Fields[i], f.Fields[i].Range, fields[i])
		}
		return value.RecordOf(fields...)
	}
	return v
}

// moveNumber keeps v if the new number would leave its range. Numbers are rounded to six
// digits, so that findings stay readable.
func (m *maker) moveNumber(f *sdk.Field, r *sdk.Range, v value.Value) value.Value {
	x := numberOf(v) * math.Exp2(2*m.random.Float64()-1)
	if f.Type == sdk.TypeInteger {
		x = math.Round(x)
	} else {
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	}
	if math.IsInf(x, 0) || r != nil && !r.Contains(x) {
		return v
	}
	return value.NumberOf(x)
}

// within reports whether every number lies in its range.
func (m *maker) within(values value.Values) bool {
	if len(m.spec.Strays(values)) > 0 {
		return false
	}
	numbers := numbersOf(m.spec, values)
	for i := range m.spec.Inputs {
		f := &m.spec.Inputs[i]
		if x, ok := numbers(f.Name); ok && f.Range != nil && !f.Range.Within(numbers).Contains(x) {
			return false
		}
	}
	return true
}
