package wire

import (
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

// table is one Value per row and field, row by row in one piece of memory.
type table struct {
	fields int
	values []sdk.Value
}

func newTable(rows, fields int) table {
	return table{fields, make([]sdk.Value, rows*fields)}
}

func (t table) row(i int) sdk.Values {
	return t.values[i*t.fields : (i+1)*t.fields : (i+1)*t.fields]
}

// toColumns returns the fields of the rows as columns. Every row has one value per
// field.
func toColumns(rows []sdk.Values, fields int) []*enginepb.Column {
	columns := make([]*enginepb.Column, fields)
	for f := range columns {
		columns[f] = toColumn(rows, f)
	}
	return columns
}

func toColumn(rows []sdk.Values, f int) *enginepb.Column {
	constant, kind, uniform := true, rows[0][f].Kind(), true
	for _, row := range rows[1:] {
		uniform = uniform && row[f].Kind() == kind
		constant = constant && row[f].Equal(rows[0][f])
		if !uniform && !constant {
			break
		}
	}
	switch {
	case constant:
		return &enginepb.Column{Constant: toValue(rows[0][f])}
	case uniform && kind == sdk.Number:
		numbers := make([]float64, len(rows))
		for i, row := range rows {
			numbers[i] = row[f].Number()
		}
		return &enginepb.Column{Numbers: numbers}
	case uniform && kind == sdk.Text:
		return &enginepb.Column{Texts: toTexts(rows, f)}
	}
	values := make([]*enginepb.Value, len(rows))
	for i, row := range rows {
		values[i] = toValue(row[f])
	}
	return &enginepb.Column{Values: &enginepb.Values{Values: values}}
}

func toTexts(rows []sdk.Values, f int) *enginepb.Texts {
	t := &enginepb.Texts{Indexes: make([]uint32, len(rows))}
	places := map[string]uint32{}
	for i, row := range rows {
		text := row[f].Text()
		place, known := places[text]
		if !known {
			place = uint32(len(t.Dictionary))
			places[text] = place
			t.Dictionary = append(t.Dictionary, text)
		}
		t.Indexes[i] = place
	}
	return t
}

// fromColumns fills a table from the columns of a Batch, in the engine.
func fromColumns(columns []*enginepb.Column, rows, fields int) (table, error) {
	if len(columns) != fields {
		return table{}, fmt.Errorf("%d columns for %d fields", len(columns), fields)
	}
	t := newTable(rows, fields)
	for f, c := range columns {
		if err := t.fill(f, c, rows); err != nil {
			return table{}, fmt.Errorf("column %d: %w", f, err)
		}
	}
	return t, nil
}

// fill sets one field of every row.
func (t table) fill(f int, c *enginepb.Column, rows int) error {
	numbers, texts, values := c.GetNumbers(), c.GetTexts(), c.GetValues().GetValues()
	switch {
	case len(numbers) == rows:
		for i, x := range numbers {
			t.values[i*t.fields+f] = sdk.NumberOf(x)
		}
	case texts != nil && len(texts.GetIndexes()) == rows:
		if slices.Max(texts.GetIndexes()) >= uint32(len(texts.GetDictionary())) {
			return fmt.Errorf("a text beyond the dictionary of %d", len(texts.GetDictionary()))
		}
		for i, place := range texts.GetIndexes() {
			t.values[i*t.fields+f] = sdk.TextOf(texts.GetDictionary()[place])
		}
	case len(values) == rows:
		for i, v := range values {
			t.values[i*t.fields+f] = fromValue(v)
		}
	case c.GetConstant() != nil:
		v := fromValue(c.GetConstant())
		for i := range rows {
			t.values[i*t.fields+f] = v
		}
	default:
		return fmt.Errorf("not one value for each of %d rows", rows)
	}
	return nil
}
