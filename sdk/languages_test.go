package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var update = flag.Bool("update", false, "rewrite sdk/testdata/ranges.json")

// judged are the inputs of [TestLanguages]: every kind of range.
type judged struct {
	Length   float64     `name:"length" unit:"m" range:"(0,)"`
	Position *float64    `name:"position" unit:"m" range:"[0,length]"`
	Low      *float64    `name:"low"`
	High     *float64    `name:"high" range:"(low,)"`
	Between  *float64    `name:"between" range:"(low,high)" code:"BETWEEN_THE_WRONG_ENDS"`
	Price    sdk.Decimal `name:"price" range:"[0,10)"`
	Sides    []float64   `name:"sides" range:"[0,5]"`
	Layers   []struct {
		Thickness float64 `name:"thickness" unit:"m" range:"(0,1]"`
		Gap       float64 `name:"gap" range:"[0,thickness)"`
	} `name:"layers"`
	Count int `name:"count" default:"1" range:"[1,9]"`
}

// shared is the test data of the package for Python.
type shared struct {
	Spec  sdk.Spec     `json:"spec"`
	Cases []sharedCase `json:"cases"`
}

type sharedCase struct {
	Sent      json.RawMessage `json:"sent"`
	Rejection *sdk.Error      `json:"rejection"` // null if the inputs are legal
}

// The package for Python rejects as the SDK does: its tests read the output of this one.
func TestLanguages(t *testing.T) {
	engine := sdk.New(sdk.Spec{
		Capability: "test.languages.ranges", Version: "1.0.0", Tool: "ranges", Group: "test", Title: "Ranges", Summary: "Every kind of range.",
	}, func(context.Context, judged) (struct {
		Sum float64 `name:"sum"`
	}, error) {
		return struct {
			Sum float64 `name:"sum"`
		}{1}, nil
	})
	const none = math.MaxFloat64 // an input that is not sent
	made := shared{Spec: engine.Spec()}
	layer := func(thickness, gap float64) value.Value {
		return value.RecordOf(value.NumberOf(thickness), value.NumberOf(gap))
	}
	for _, c := range []struct {
		length, position, low, high, between float64
		price                                value.Value
		sides, layers                        []value.Value
		count                                float64
	}{
		{1, 0.5, 1, 2, 1.5, value.ExactOf("1.50"), []value.Value{value.NumberOf(5)}, []value.Value{layer(1, 0)}, 1},
		{0, 2, none, none, none, value.ExactOf("1"), nil, nil, 1},
		{-1, none, none, none, none, value.ExactOf("10"), []value.Value{value.NumberOf(6)}, nil, 10},
		{1, 2, none, none, none, value.NumberOf(1), nil, nil, 1},
		{1, 0, 2, 2, none, value.NumberOf(9.999), nil, nil, 1},
		{1, none, 1, 2, 2, value.ExactOf("9.99999999999999999999"), nil, nil, 1},
		{1, none, 1, 2, 1, value.NumberOf(0), nil, nil, 1},
		{1, none, none, 1, 2, value.NumberOf(0), nil, nil, 1},
		{1, none, none, none, none, value.ExactOf("-0.5"), nil, nil, 1},
		{1, none, none, none, none, value.NumberOf(0), []value.Value{value.NumberOf(1), value.NumberOf(-1)}, nil, 1},
		{1, none, none, none, none, value.NumberOf(0), nil, []value.Value{layer(1, 0.5), layer(0, 0), layer(2, 3)}, 1},
		{1, none, none, none, none, value.NumberOf(0), nil, []value.Value{layer(0.5, 0.5)}, 1},
	} {
		number := func(x float64) value.Value {
			if x == none {
				return value.Value{}
			}
			return value.NumberOf(x)
		}
		sent := value.Values{
			number(c.length), number(c.position), number(c.low), number(c.high), number(c.between), c.price,
			value.ListOf(c.sides...), value.ListOf(c.layers...), number(c.count),
		}
		one := sharedCase{Sent: written(sent)}
		if _, err := engine.Calculate(t.Context(), sent); err != nil && !errors.As(err, &one.Rejection) {
			t.Fatal(err)
		}
		made.Cases = append(made.Cases, one)
	}
	text, err := json.MarshalIndent(made, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const path = "testdata/ranges.json"
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, text) {
		t.Errorf("%s is not what the SDK answers (%v): go test . -run Languages -update writes it, and sdk/python must follow", path, err)
	}
}

// written spells values for the tests of sdk/python: absent ones as null, exact ones as {"exact": "1.50"}, and
// records as {"record": [...]}.
func written(values value.Values) json.RawMessage {
	list := make([]any, len(values))
	for i, v := range values {
		switch v.Kind() {
		case value.Number:
			list[i] = v.Number()
		case value.Exact:
			list[i] = map[string]string{"exact": v.Text()}
		case value.List:
			list[i] = written(v.Items())
		case value.Record:
			list[i] = map[string]json.RawMessage{"record": written(v.Items())}
		}
	}
	text, _ := json.Marshal(list)
	return text
}
