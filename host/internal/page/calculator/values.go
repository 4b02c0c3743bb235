package calculator

import (
	"bytes"
	"encoding/json"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// valuesOf returns the values of the fields in a JSON object that the service wrote.
func valuesOf(fields []sdk.Field, object json.RawMessage) value.Values {
	var members map[string]json.RawMessage
	values := make(value.Values, len(fields))
	if json.Unmarshal(object, &members) != nil {
		return values
	}
	for i := range fields {
		if text, ok := members[fields[i].Name]; ok {
			values[i] = snapshotValue(&fields[i], text)
		}
	}
	return values
}

// snapshotValue reads one value. It returns Absent if the value does not fit the field.
func snapshotValue(f *sdk.Field, text json.RawMessage) value.Value {
	var number float64
	var word string
	var truth bool
	var items []json.RawMessage
	switch {
	case f.Type == sdk.TypeObject:
		return value.RecordOf(valuesOf(f.Fields, text)...)
	case f.Type == sdk.TypeArray && f.Items != nil && json.Unmarshal(text, &items) == nil:
		list := make([]value.Value, len(items))
		for i := range items {
			list[i] = snapshotValue(f.Items, items[i])
		}
		return value.ListOf(list...)
	case json.Unmarshal(text, &number) == nil:
		return value.NumberOf(number)
	case json.Unmarshal(text, &truth) == nil:
		return value.BoolOf(truth)
	case json.Unmarshal(text, &word) == nil && f.Decimal:
		return value.ExactOf(word)
	case json.Unmarshal(text, &word) == nil:
		return value.TextOf(word)
	}
	return value.Value{}
}

// fieldsOf derives fields from the members of a JSON object, in their order. They replace the
// Spec of an engine that is not published here.
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
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return fields
		}
		f := fieldOf(raw)
		f.Name, _ = name.(string)
		fields = append(fields, f)
	}
	return fields
}

func fieldOf(raw json.RawMessage) sdk.Field {
	switch raw[0] {
	case '"':
		return sdk.Field{Type: sdk.TypeString}
	case 't', 'f':
		return sdk.Field{Type: sdk.TypeBoolean}
	case '{':
		return sdk.Field{Type: sdk.TypeObject, Fields: fieldsOf(raw)}
	case '[':
		var items []json.RawMessage
		item := sdk.Field{Type: sdk.TypeNumber}
		if json.Unmarshal(raw, &items) == nil && len(items) > 0 {
			item = fieldOf(items[0])
		}
		return sdk.Field{Type: sdk.TypeArray, Items: &item}
	}
	return sdk.Field{Type: sdk.TypeNumber}
}

// nameUnit sets the unit of each number, if all numbers of a result share a unit.
func nameUnit(fields []sdk.Field, unit *string) {
	for i := range fields {
		if unit != nil && fields[i].Type == sdk.TypeNumber {
			fields[i].Unit = *unit
		}
	}
}
