package page

import (
	"bytes"
	"encoding/json"

	"github.com/slipstick/slipstick/sdk"
)

// valuesOf are the values of the fields in a JSON object that the service wrote.
func valuesOf(fields []sdk.Field, object json.RawMessage) sdk.Values {
	var members map[string]json.RawMessage
	values := make(sdk.Values, len(fields))
	if json.Unmarshal(object, &members) != nil {
		return values
	}
	for i := range fields {
		if text, ok := members[fields[i].Name]; ok {
			values[i] = frozenValue(&fields[i], text)
		}
	}
	return values
}

// frozenValue reads one value, Absent if it is not what the field holds.
func frozenValue(f *sdk.Field, text json.RawMessage) sdk.Value {
	var number float64
	var word string
	var truth bool
	var items []json.RawMessage
	switch {
	case f.Type == sdk.TypeObject:
		return sdk.RecordOf(valuesOf(f.Fields, text)...)
	case f.Type == sdk.TypeArray && f.Items != nil && json.Unmarshal(text, &items) == nil:
		list := make([]sdk.Value, len(items))
		for i := range items {
			list[i] = frozenValue(f.Items, items[i])
		}
		return sdk.ListOf(list...)
	case json.Unmarshal(text, &number) == nil:
		return sdk.NumberOf(number)
	case json.Unmarshal(text, &truth) == nil:
		return sdk.BoolOf(truth)
	case json.Unmarshal(text, &word) == nil && f.Decimal:
		return sdk.ExactOf(word)
	case json.Unmarshal(text, &word) == nil:
		return sdk.TextOf(word)
	}
	return sdk.Value{}
}

// fieldsOf are the fields that a JSON object has, in its order: what is known of an
// engine that is not published here.
func fieldsOf(object json.RawMessage) []sdk.Field {
	var fields []sdk.Field
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return fields
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return fields
		}
		f := fieldOf(value)
		f.Name, _ = name.(string)
		fields = append(fields, f)
	}
	return fields
}

func fieldOf(value json.RawMessage) sdk.Field {
	switch value[0] {
	case '"':
		return sdk.Field{Type: sdk.TypeString}
	case 't', 'f':
		return sdk.Field{Type: sdk.TypeBoolean}
	case '{':
		return sdk.Field{Type: sdk.TypeObject, Fields: fieldsOf(value)}
	case '[':
		var items []json.RawMessage
		item := sdk.Field{Type: sdk.TypeNumber}
		if json.Unmarshal(value, &items) == nil && len(items) > 0 {
			item = fieldOf(items[0])
		}
		return sdk.Field{Type: sdk.TypeArray, Items: &item}
	}
	return sdk.Field{Type: sdk.TypeNumber}
}

// nameUnit gives the unit that all numbers of a result share to each.
func nameUnit(fields []sdk.Field, unit *string) {
	for i := range fields {
		if unit != nil && fields[i].Type == sdk.TypeNumber {
			fields[i].Unit = *unit
		}
	}
}
