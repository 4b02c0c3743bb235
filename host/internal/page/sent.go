package page

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/slipstick/slipstick/host/internal/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// sentOf returns the inputs of a record that were sent in another unit, as they were sent, and the
// assumptions that do not say so. A record has its inputs in SI; what was sent is in the sentences of
// [value.Conversion] alone. Only a number that is the frozen one to the bit is taken.
func sentOf(spec *sdk.Spec, inputs value.Values, assumptions []string) (sent strictjson.Value, rest []string) {
	sent.Kind = strictjson.Object
next:
	for _, text := range assumptions {
		for i := range spec.Inputs {
			if i >= len(inputs) || inputs[i].Kind() != value.Number {
				continue
			}
			if v, ok := sentIn(spec, &spec.Inputs[i], inputs[i].Number(), text); ok {
				sent.Members = append(sent.Members, strictjson.Member{Name: spec.Inputs[i].Name, Value: v})
				continue next
			}
		}
		rest = append(rest, text)
	}
	return sent, rest
}

// sentIn returns the number and the unit in which x was sent, if the text is the sentence about that.
func sentIn(spec *sdk.Spec, f *sdk.Field, x float64, text string) (strictjson.Value, bool) {
	q, ok := customary.Of(spec, f.Unit, f.Difference)
	if !ok || !strings.HasPrefix(text, f.Name+": ") {
		return strictjson.Value{}, false
	}
	for _, u := range units.Of(q.Unit.Quantity) {
		about := value.Conversion{Field: f.Name, Literal: "\x00", From: u.ID, Value: x, To: f.Unit}.String()
		before, after, _ := strings.Cut(about, "\x00")
		literal, begins := strings.CutPrefix(text, before)
		literal, ends := strings.CutSuffix(literal, after)
		number, err := strictjson.ParseNumber(literal)
		if !begins || !ends || err != nil || number.Range != strictjson.InRange {
			continue
		}
		exact, ok := new(big.Rat).SetString(literal)
		from, to := u, q.Unit
		if q.Difference {
			from, to = from.Difference(), to.Difference()
		}
		if !ok {
			continue
		}
		if back, _ := units.Convert(exact, from, to).Float64(); back == x {
			return strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
				{Name: "value", Value: number}, {Name: "unit", Value: strictjson.Value{Kind: strictjson.String, Text: u.ID}},
			}}, true
		}
	}
	return strictjson.Value{}, false
}

// withSent returns the inputs of a record, those that are known as they were sent.
func withSent(record json.RawMessage, sent strictjson.Value) strictjson.Value {
	inputs, err := strictjson.ParseObject(record)
	if err != nil {
		return sent // the record is checked elsewhere
	}
	for i := range inputs.Members {
		if v, ok := sent.Member(inputs.Members[i].Name); ok {
			inputs.Members[i].Value = v
		}
	}
	return inputs
}
