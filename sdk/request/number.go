package request

import (
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// ReadNumber reads a bare number as the value of a field, which must be of a numeric type. It
// reports false if Read would refuse the number. The value keeps the literal if an answer can
// contain it; see [value.NumberAs].
func ReadNumber(f *sdk.Field, number *strictjson.Value) (value.Value, bool) {
	if f.Type == sdk.TypeNumber && number.Range == strictjson.InRange {
		return value.NumberAs(number.Float, number.Text), true
	}
	p := parser{input: f}
	v, fault := p.parseNumber(f, number)
	if fault != nil {
		return value.Value{}, false
	}
	return value.NumberAs(v.Number(), number.Text), true
}
