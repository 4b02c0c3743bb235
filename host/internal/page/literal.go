package page

import (
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/strictjson"
)

// valueOf is the JSON value that a text in a query means for a field: what the scanner
// takes for a number is one, as it is written, and what a field cannot be remains a
// string, which the envelope then refuses.
func valueOf(f *sdk.Field, text, unit string) strictjson.Value {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		number := numberOf(text)
		if unit == "" || unit == f.Unit {
			return number
		}
		return objectOf(strictjson.Member{Name: "value", Value: number}, strictjson.Member{Name: "unit", Value: stringOf(unit)})
	case sdk.TypeBoolean:
		if text == "true" || text == "false" {
			return strictjson.Value{Kind: strictjson.Bool, Bool: text == "true"}
		}
	case sdk.TypeArray:
		return arrayOf(f, text)
	case sdk.TypeObject:
		return rowOf(f, text)
	}
	return stringOf(text)
}

func stringOf(text string) strictjson.Value {
	return strictjson.Value{Kind: strictjson.String, Text: text}
}

func objectOf(members ...strictjson.Member) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Object, Members: members}
}

// numberOf reads a number, around which there may be space. A plus sign that nobody
// escaped reads as a space in a query: behind an e it is taken for what it was.
func numberOf(text string) strictjson.Value {
	literal := strings.TrimSpace(text)
	for _, e := range []string{"e ", "E "} {
		literal = strings.Replace(literal, e, e[:1]+"+", 1)
	}
	if number, err := strictjson.ParseNumber(literal); err == nil {
		return number
	}
	return stringOf(text)
}

// isNumeric reports whether the text is a number for the scanner.
func isNumeric(text string) bool { return numberOf(text).Kind == strictjson.Number }

// arrayOf reads a list: of values, which spaces, commas, semicolons or lines separate,
// or of rows, which semicolons or lines separate.
func arrayOf(f *sdk.Field, text string) strictjson.Value {
	array := strictjson.Value{Kind: strictjson.Array}
	if isRow(f.Items) {
		for line := range strings.FieldsFuncSeq(text, endsRow) {
			if strings.TrimSpace(line) != "" {
				array.Items = append(array.Items, rowOf(f.Items, line))
			}
		}
		return array
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return endsWord(r) || endsRow(r) }) {
		array.Items = append(array.Items, valueOf(f.Items, word, ""))
	}
	return array
}

// isRow reports whether a field is several values in a row.
func isRow(f *sdk.Field) bool { return f.Type == sdk.TypeArray || f.Type == sdk.TypeObject }

func endsRow(r rune) bool { return r == ';' || r == '\n' || r == '\r' }

func endsWord(r rune) bool { return r == ' ' || r == ',' || r == '\t' }

// rowOf reads one row: the items of a list, or the fields of an object in order. A word
// beyond the last field gets a name that no field has, and is refused for it.
func rowOf(f *sdk.Field, line string) strictjson.Value {
	if f.Type == sdk.TypeArray {
		return arrayOf(f, strings.Map(func(r rune) rune {
			if endsRow(r) {
				return ' '
			}
			return r
		}, line))
	}
	object := strictjson.Value{Kind: strictjson.Object}
	for word := range strings.FieldsFuncSeq(line, endsWord) {
		i := len(object.Members)
		if i >= len(f.Fields) {
			object.Members = append(object.Members, strictjson.Member{Name: "column " + word, Value: stringOf(word)})
			break
		}
		object.Members = append(object.Members, strictjson.Member{Name: f.Fields[i].Name, Value: valueOf(&f.Fields[i], word, "")})
	}
	return object
}

// textOf is the text that valueOf reads as the value of a field, and its unit. Not every
// value has one: in a row only the last values can be left out.
func textOf(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	switch {
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange:
		return string(sdk.AppendNumber(nil, v.Float)), "", true
	case v.Kind == strictjson.String && v.Text != "":
		return v.Text, "", f.Type == sdk.TypeString || f.Decimal
	case v.Kind == strictjson.Bool && v.Bool:
		return "true", "", true
	case v.Kind == strictjson.Bool:
		return "false", "", true
	case v.Kind == strictjson.Array && f.Type == sdk.TypeArray:
		return listText(f, v)
	case v.Kind == strictjson.Object && f.Type == sdk.TypeObject:
		return rowText(f, v)
	case v.Kind == strictjson.Object:
		return quantityText(f, v)
	}
	return "", "", false
}

func listText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	words := make([]string, len(v.Items))
	for i := range v.Items {
		if words[i], unit, ok = textOf(f.Items, v.Items[i]); !ok || unit != "" {
			return "", "", false
		}
	}
	if isRow(f.Items) {
		return strings.Join(words, "; "), "", true
	}
	return strings.Join(words, " "), "", true
}

func rowText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	spec := sdk.Spec{Inputs: f.Fields}
	words := make([]string, len(v.Members))
	for i := range v.Members {
		at := spec.Input(v.Members[i].Name)
		if at < 0 || at >= len(words) {
			return "", "", false
		}
		if words[at], unit, ok = textOf(&f.Fields[at], v.Members[i].Value); !ok || unit != "" {
			return "", "", false
		}
	}
	return strings.Join(words, " "), "", true
}

func quantityText(f *sdk.Field, v strictjson.Value) (text, unit string, ok bool) {
	value, hasValue := v.Member("value")
	u, hasUnit := v.Member("unit")
	if !hasValue || !hasUnit || value.Kind == strictjson.Object {
		return "", "", false
	}
	text, _, ok = textOf(f, value)
	return text, u.Text, ok
}

// queryOf is the query that gives the inputs, a JSON object, to the page of the Spec, if
// there is one. Defaults are left out.
func queryOf(spec *sdk.Spec, inputs strictjson.Value) (query string, ok bool) {
	s := &sent{spec: spec, entries: make([]entry, len(spec.Inputs))}
	for i := range inputs.Members {
		m := &inputs.Members[i]
		at := spec.Input(m.Name)
		if at < 0 {
			return "", false
		}
		text, unit, ok := textOf(&spec.Inputs[at], m.Value)
		if !ok {
			return "", false
		}
		if text == spec.Inputs[at].Default && unit == "" {
			continue
		}
		e := &s.entries[at]
		e.names, e.texts = []string{m.Name}, []string{text}
		if unit != "" {
			e.units = []string{unit}
		}
	}
	query = s.query()
	return query, query != "" && len(query) <= maxQuery
}
