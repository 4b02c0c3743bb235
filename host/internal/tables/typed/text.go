package typed

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Text returns the text and the unit from which [Value] reads this value of a field. The engine
// computes a bit-identical result from them. Some values have no text: no number may be longer
// than [sdk.MaxDecimal] characters.
func Text(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	switch {
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange && f.Decimal:
		text = exactDecimal(v.Float)
		return text, "", len(text) <= sdk.MaxDecimal
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange:
		return string(value.AppendNumber(nil, v.Float)), "", true
	case v.Kind == strictjson.String && strings.TrimSpace(v.Text) != "":
		return v.Text, "", f.Type == sdk.TypeString || f.Decimal
	case v.Kind == strictjson.Bool:
		return strconv.FormatBool(v.Bool), "", true
	case v.Kind == strictjson.Array && f.Type == sdk.TypeArray:
		return listText(f, v)
	case v.Kind == strictjson.Object && f.Type == sdk.TypeObject:
		return rowText(f, v)
	case v.Kind == strictjson.Object:
		return quantityText(f, v)
	}
	return "", "", false
}

// AsComputed returns the value of an input as the engine takes it. An engine with decimal inputs takes a number for its shortest
// decimal, so numbers become decimal strings if the field takes those. Numbers with a unit stay, because the text would
// be converted exactly and the number not.
func AsComputed(spec *sdk.Spec, input int, v strictjson.Value) strictjson.Value {
	if spec.Evaluation != sdk.DecimalInputs {
		return v
	}
	return asDecimals(&spec.Inputs[input], v)
}

func asDecimals(f *sdk.Field, v strictjson.Value) strictjson.Value {
	switch {
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange && f.Decimal:
		return stringOf(string(value.AppendNumber(nil, v.Float)))
	case v.Kind == strictjson.Array && f.Items != nil:
		v.Items = slices.Clone(v.Items)
		for i := range v.Items {
			v.Items[i] = asDecimals(f.Items, v.Items[i])
		}
	case v.Kind == strictjson.Object && f.Type == sdk.TypeObject:
		known := sdk.Spec{Inputs: f.Fields}
		v.Members = slices.Clone(v.Members)
		for i := range v.Members {
			m := &v.Members[i]
			at := known.Input(m.Name)
			if at >= 0 {
				m.Value = asDecimals(&f.Fields[at], m.Value)
			}
		}
	}
	return v
}

// exactDecimal returns the decimal string that is exactly f. It is long if the written number was not
// a binary64 number: for 0.1 it is 0.1000000000000000055511151231257827021181583404541015625.
func exactDecimal(f float64) string {
	shortest := string(value.AppendNumber(nil, f))
	if ratOf(shortest).Cmp(new(big.Rat).SetFloat64(f)) == 0 {
		return shortest
	}
	const most = 767 // significant digits of any binary64 number
	if math.Abs(f) >= 1e-6 {
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', most, 64), "0"), ".")
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', most, 64), "e")
	return strings.TrimRight(digits, "0") + "e" + exponent
}

// ratOf returns the exact value of a number literal. The exponent must be in the range of binary64.
func ratOf(literal string) *big.Rat {
	r, _ := new(big.Rat).SetString(literal)
	return r
}

// asWritten returns the literal in the API's notation, if that is exactly the same number.
func asWritten(v strictjson.Value) string {
	short := string(value.AppendNumber(nil, v.Float))
	if a, b := ratOf(short), ratOf(v.Text); a != nil && b != nil && a.Cmp(b) == 0 {
		return short
	}
	return v.Text
}

// listText writes values with the shortest separators from which they are read again.
func listText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	for _, units := range []bool{false, true} {
		rows, ok := wordsOf(f, v, units)
		if !ok || len(v.Items) == 0 {
			return "", "", false
		}
		if text, ok := write(f, rows); ok {
			return text, "", true
		}
	}
	return "", "", false
}

func rowText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	cells, ok := cellsOf(f, v, false)
	if !ok || len(cells) == 0 {
		return "", "", false
	}
	text, ok = write(f, layout{cells})
	return text, "", ok
}

// write returns the shortest text that is cut into these values again.
func write(f *sdk.Field, rows layout) (text string, ok bool) {
	for _, between := range []string{" ", ", ", "; ", ";"} {
		lines := make([]string, len(rows))
		for i, cells := range rows {
			lines[i] = strings.Join(cells, between)
		}
		text = strings.Join(lines, "; ")
		if between == ";" {
			text += ";" // after a single value with blanks
		}
		ways, heading := reader{}.cut(f, text)
		if _, got, err := (reader{}).choose(f, text, ways); err == nil && heading == "" && !isJSON(text) && slices.EqualFunc(got, rows, slices.Equal) {
			return text, true
		}
	}
	return text, false
}

// listed writes a value in the given layout, with separators that lead to the same layout.
func listed(f *sdk.Field, v strictjson.Value, way layout) string {
	if words, ok := wordsOf(f, v, false); ok {
		way = words
	}
	between := ", "
	if f.Type == sdk.TypeArray && !IsRow(f.Items) {
		between = "; "
	}
	lines := make([]string, len(way))
	for i, cells := range way {
		lines[i] = strings.Join(cells, between)
	}
	return strings.Join(lines, "; ")
}

// wordsOf returns the texts of values, in rows. With units set, bare numbers get their units.
func wordsOf(f *sdk.Field, v strictjson.Value, units bool) (rows layout, ok bool) {
	if f.Type == sdk.TypeObject || !IsRow(f.Items) {
		cells, ok := cellsOf(f, v, units)
		return layout{cells}, ok
	}
	for i := range v.Items {
		cells, ok := cellsOf(f.Items, v.Items[i], units)
		if !ok || len(cells) == 0 {
			return nil, false
		}
		rows = append(rows, cells)
	}
	return rows, true
}

// cellsOf returns the texts of the values of a row, without the omitted values at its end.
func cellsOf(f *sdk.Field, v strictjson.Value, units bool) (cells []string, ok bool) {
	switch {
	case f.Type == sdk.TypeArray && v.Kind == strictjson.Array:
		for i := range v.Items {
			cell, ok := word(f.Items, v.Items[i], units)
			if !ok {
				return nil, false
			}
			cells = append(cells, cell)
		}
		return cells, true
	case f.Type != sdk.TypeObject || v.Kind != strictjson.Object:
		return nil, false
	}
	spec := sdk.Spec{Inputs: f.Fields}
	cells = slices.Repeat([]string{Blank}, len(f.Fields))
	for i := range v.Members {
		at := spec.Input(v.Members[i].Name)
		if at < 0 {
			return nil, false
		}
		cells[at], ok = word(&f.Fields[at], v.Members[i].Value, units)
		if !ok {
			return nil, false
		}
	}
	for len(cells) > 0 && cells[len(cells)-1] == Blank {
		cells = cells[:len(cells)-1]
	}
	return cells, true
}

// word returns the text of one value in a row.
func word(f *sdk.Field, v strictjson.Value, units bool) (text string, ok bool) {
	if IsRow(f) {
		return "", false
	}
	text, unit, ok := Text(f, v)
	if unit == "" && units && isNumber(f) {
		unit = f.Unit
	}
	if unit != "" {
		number := text
		text += unitWord(unit)
		if r, err := Read(f, text, Numbers); err != nil || r.Unit != unit || r.Number != number {
			return "", false
		}
	}
	return text, ok && text != Blank && strings.TrimSpace(text) == text
}

// quantityText returns the text of a number with a unit. A bare number has no text if the field takes
// decimal strings, because the text would be converted exactly and the number not.
func quantityText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	number, hasValue := v.Member("value")
	u, hasUnit := v.Member("unit")
	if !hasValue || !hasUnit || len(v.Members) != 2 || u.Kind != strictjson.String {
		return "", "", false
	}
	switch {
	case number.Kind == strictjson.Number:
		return asWritten(number), u.Text, !f.Decimal && number.Range == strictjson.InRange
	case number.Kind == strictjson.String && f.Decimal:
		return number.Text, u.Text, number.Text != ""
	}
	return "", "", false
}

// Listed returns the values of a list, or its rows, as a text for people.
func Listed(f *sdk.Field, v strictjson.Value) string { return listed(f, v, nil) }

// Rows returns the texts of the values in a text of rows, "" for an omitted value. It reports false
// if the text cannot be read.
func Rows(f *sdk.Field, text string) (rows [][]string, ok bool) {
	r := reader{level: Arithmetic}
	if isJSON(text) {
		v, err := r.value(f, text)
		if err != nil || f.Type != sdk.TypeArray || v.Kind != strictjson.Array {
			return nil, false
		}
		rows, ok = wordsOf(f, v, false)
	} else {
		ways, _ := r.cut(f, text)
		_, way, err := r.choose(f, text, ways)
		rows, ok = way, err == nil
	}
	for _, cells := range rows {
		for i := range cells {
			if cells[i] == Blank {
				cells[i] = ""
			}
		}
	}
	return rows, ok
}

// Table writes the rows of a table as a text that [Value] reads. It omits blank cells at the end of a
// row, and blank rows. If a cell cannot be read, the error is a [*TextError]. In this case the text has
// all cells, and cannot be read either.
func Table(f *sdk.Field, rows [][]string, level Level) (text string, err error) {
	r := reader{level: level}
	var way layout
	for _, row := range rows {
		cells := slices.Clone(row)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			if cells[i] == "" {
				cells[i] = Blank
			}
		}
		for len(cells) > 0 && cells[len(cells)-1] == Blank {
			cells = cells[:len(cells)-1]
		}
		if len(cells) > 0 {
			way = append(way, cells)
		}
	}
	if len(way) == 0 {
		return "", nil
	}
	v, wrong := r.read(f, way)
	if wrong != nil {
		return unreadable(f, way), wrong
	}
	if words, ok := wordsOf(f, v, false); ok {
		for i, cells := range way {
			for k := range min(len(cells), len(words[i])) {
				one, _ := fieldOf(f.Items, k)
				alone, err := reader{level: Arithmetic}.value(one, cells[k])
				if same, ok := word(one, alone, false); isNumber(one) && (err != nil || !ok || same != words[i][k] || strings.ContainsAny(cells[k], " ,;\t")) {
					cells[k] = words[i][k]
				}
			}
		}
	}
	if text, ok := write(f, way); ok {
		return text, nil
	}
	return unreadable(f, way), &TextError{Problem: Inseparable, Text: listed(f, v, way), Field: f}
}

// unreadable returns a text of the cells that is not read as other cells.
func unreadable(f *sdk.Field, way layout) string {
	text := listed(f, strictjson.Value{}, way)
	if _, err := Value(f, text, nil, Arithmetic); err != nil {
		return text
	}
	return "{" + text // neither JSON nor anything else
}
