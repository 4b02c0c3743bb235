package compare

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// ReadResult reads the object "result" of an answer, bit for bit. The error describes why a
// release with these outputs cannot have answered it.
func ReadResult(outputs []sdk.Field, object strictjson.Value) (value.Values, error) {
	if object.Kind != strictjson.Object {
		return nil, fmt.Errorf("the result is %v, and not an object", object.Kind)
	}
	list := make(value.Values, len(outputs))
	known := 0
	for i := range outputs {
		member, found := object.Member(outputs[i].Name)
		if !found {
			continue
		}
		known++
		var err error
		list[i], err = ReadValue(&outputs[i], member)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", outputs[i].Name, err)
		}
	}
	if known != len(object.Members) {
		return nil, fmt.Errorf("%d members of the result are not outputs of the release", len(object.Members)-known)
	}
	return list, nil
}

// ReadValue is ReadResult for the value of one output.
func ReadValue(f *sdk.Field, v strictjson.Value) (value.Value, error) {
	switch {
	case v.Kind == strictjson.Number && v.Range == strictjson.InRange:
		return value.NumberAs(v.Float, v.Text), nil
	case v.Kind == strictjson.Bool:
		return value.BoolOf(v.Bool), nil
	case v.Kind == strictjson.String && f.Decimal:
		return value.ExactOf(v.Text), nil
	case v.Kind == strictjson.String:
		return value.TextOf(v.Text), nil
	case v.Kind == strictjson.Array && f.Items != nil:
		items := make(value.Values, len(v.Items))
		for i := range v.Items {
			var err error
			items[i], err = ReadValue(f.Items, v.Items[i])
			if err != nil {
				return value.Value{}, fmt.Errorf("%d: %w", i, err)
			}
		}
		return value.ListOf(items...), nil
	case v.Kind == strictjson.Object && f.Fields != nil:
		fields, err := ReadResult(f.Fields, v)
		return value.RecordOf(fields...), err
	}
	return value.Value{}, fmt.Errorf("%v is not a value of it", v.Kind)
}
