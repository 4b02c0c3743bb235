package contract

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk/value"
)

// table has one Value per row and field. The values are stored row by row in one allocation.
type table struct {
	fields int
	values []value.Value
}

func newTable(rows, fields int) table {
	return table{fields, make([]value.Value, rows*fields)}
}

func (t table) row(i int) value.Values {
	return t.values[i*t.fields : (i+1)*t.fields : (i+1)*t.fields]
}

// cells returns the value of a column in a row. It returns a pointer because a copy is slower.
// The value is valid until the next call.
type cells func(row int) *value.Value

// appendColumn appends a Column with this number of rows, in the shortest form that fits its
// values.
func appendColumn(b []byte, field protowire.Number, rows int, at cells) []byte {
	first := *at(0)
	constant, kind, uniform := true, first.Kind(), true
	for i := 1; i < rows && (constant || uniform); i++ {
		v := at(i)
		uniform = uniform && v.Kind() == kind
		constant = constant && v.Equal(first)
	}
	switch {
	case constant:
		return appendValue(appendForm(b, field, columnConstant, sizeValue(first)), first)
	case uniform && kind == value.Number:
		b = appendForm(b, field, columnNumbers, 8*rows)
		for i := range rows {
			b = protowire.AppendFixed64(b, math.Float64bits(at(i).Number()))
		}
		return b
	case uniform && kind == value.Text:
		return appendTexts(b, field, rows, at)
	}
	size := 0
	for i := range rows {
		size += tagSize + protowire.SizeBytes(sizeValue(*at(i)))
	}
	b = appendForm(b, field, columnValues, size)
	for i := range rows {
		v := *at(i)
		b = appendValue(appendLength(b, valuesValues, sizeValue(v)), v)
	}
	return b
}

// appendForm appends the start of a Column in the given form. Its content, of size bytes, must
// follow.
func appendForm(b []byte, field, form protowire.Number, size int) []byte {
	return appendLength(appendLength(b, field, tagSize+protowire.SizeBytes(size)), form, size)
}

// appendTexts appends a Column of texts: a dictionary with each text once, and its index for
// every row.
func appendTexts(b []byte, field protowire.Number, rows int, at cells) []byte {
	indexes := make([]uint32, rows)
	var dictionary []string
	places := map[string]uint32{}
	words, numbers := 0, 0 // encoded sizes in bytes
	for i := range rows {
		text := at(i).Text()
		place, known := places[text]
		if !known {
			place = uint32(len(dictionary))
			places[text] = place
			dictionary = append(dictionary, text)
			words += tagSize + protowire.SizeBytes(len(text))
		}
		indexes[i] = place
		numbers += protowire.SizeVarint(uint64(place))
	}
	b = appendForm(b, field, columnTexts, words+tagSize+protowire.SizeBytes(numbers))
	for _, text := range dictionary {
		b = appendText(b, textsDictionary, text)
	}
	b = appendLength(b, textsIndexes, numbers)
	for _, place := range indexes {
		b = protowire.AppendVarint(b, uint64(place))
	}
	return b
}
