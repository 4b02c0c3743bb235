package calculator

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// sentOf returns the inputs of a record as the client sent them, the inputs that it sent in another unit, and the other
// assumptions. A record has its inputs in SI; only the sentences of [value.Conversion] have the sent numbers. sentOf uses
// such a number only if it converts to the recorded number, bit by bit.
func sentOf(spec *sdk.Spec, record json.RawMessage, assumptions []string) (inputs, converted strictjson.Value, rest []string) {
	inputs, err := strictjson.ParseObject(record)
	if err != nil {
		return inputs, converted, assumptions // package snapshot checks the record
	}
	done := map[string]bool{}
	for _, text := range assumptions {
		place, _, _ := strings.Cut(text, ": ")
		path := strings.Split(place, ".")
		f, v := valueAt(spec.Inputs, &inputs, path)
		if v == nil || v.Kind != strictjson.Number {
			rest = append(rest, text)
			continue
		}
		sent, ok := sentIn(spec, f, place, v.Float, text)
		if !ok {
			rest = append(rest, text)
			continue
		}
		*v, done[path[0]] = sent, true
	}
	converted.Kind = strictjson.Object
	for _, m := range inputs.Members {
		if done[m.Name] {
			converted.Members = append(converted.Members, m)
		}
	}
	return inputs, converted, rest
}

// valueAt returns the field and the value at a path within an object, nil if there is none.
func valueAt(fields []sdk.Field, object *strictjson.Value, path []string) (*sdk.Field, *strictjson.Value) {
	at := slices.IndexFunc(fields, func(f sdk.Field) bool { return f.Name == path[0] })
	member := slices.IndexFunc(object.Members, func(m strictjson.Member) bool { return m.Name == path[0] })
	if at < 0 || member < 0 {
		return nil, nil
	}
	f, v := &fields[at], &object.Members[member].Value
	for path = path[1:]; len(path) > 0; path = path[1:] {
		if f.Type == sdk.TypeObject {
			return valueAt(f.Fields, v, path)
		}
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(v.Items) || f.Items == nil {
			return nil, nil
		}
		f, v = f.Items, &v.Items[i]
	}
	return f, v
}

// sentIn returns the number and the unit that the client sent for x, if the text is the sentence about this conversion.
func sentIn(spec *sdk.Spec, f *sdk.Field, place string, x float64, text string) (strictjson.Value, bool) {
	q, ok := customary.Of(spec, f.Unit, f.Difference)
	if !ok {
		return strictjson.Value{}, false
	}
	for _, u := range units.Of(q.Unit.Quantity) {
		about := value.Conversion{Field: place, Literal: "\x00", From: u.ID, Value: x, To: f.Unit}.String()
		before, after, _ := strings.Cut(about, "\x00")
		literal, starts := strings.CutPrefix(text, before)
		literal, ends := strings.CutSuffix(literal, after)
		number, err := strictjson.ParseNumber(literal)
		if !starts || !ends || err != nil || number.Range != strictjson.InRange {
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
