package cost_test

import (
	"os"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// question is what an engine is asked.
type question struct {
	name   string // the id of the vector, and the inputs whose sign is turned
	values value.Values
}

// questions returns the inputs of all vectors, and those with other signs: each input
// turned alone, and all combinations of those that may have either sign. What is rejected
// before an engine sees it is left out.
func (p program) questions(t testing.TB) (asked []question) {
	data, err := os.ReadFile(p.vectors())
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := vector.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	spec := p.Spec()
	for _, v := range vectors {
		object, err := strictjson.ParseObject([]byte(v.Inputs))
		if err != nil {
			continue
		}
		values, _, err := request.Read(&spec, object)
		if err != nil {
			continue
		}
		asked = append(asked, question{v.ID, values})
		signed := 0
		for i := range values {
			turned, ok := turn(values[i])
			if !ok {
				continue
			}
			if bit := 1 << i; eitherSign(&spec.Inputs[i]) && signed < 64 {
				signed |= bit
				continue
			}
			asked = append(asked, question{v.ID + " -" + spec.Inputs[i].Name, with(values, i, turned)})
		}
		for set := signed; set > 0; set = (set - 1) & signed { // every set of them but the empty one
			q := question{v.ID, values}
			for i := range values {
				if set>>i&1 == 1 {
					turned, _ := turn(values[i])
					q = question{q.name + " -" + spec.Inputs[i].Name, with(q.values, i, turned)}
				}
			}
			asked = append(asked, q)
		}
	}
	return asked
}

func with(values value.Values, i int, v value.Value) value.Values {
	changed := append(value.Values(nil), values...)
	changed[i] = v
	return changed
}

// eitherSign reports whether both signs of an input are legal.
func eitherSign(f *sdk.Field) bool {
	return f.Range == nil || f.Range.MinInput == "" && (f.Range.Min == nil || *f.Range.Min < 0)
}

// turn returns a number with the other sign, and a list with every second one turned. It
// reports whether there is any to turn.
func turn(v value.Value) (value.Value, bool) {
	switch v.Kind() {
	case value.Number:
		return value.NumberOf(-v.Number()), v.Number() != 0
	case value.Exact:
		if text, negative := strings.CutPrefix(v.Text(), "-"); negative {
			return value.ExactOf(text), true
		}
		return value.ExactOf("-" + v.Text()), true
	case value.List, value.Record:
		items, any := append([]value.Value(nil), v.Items()...), false
		for i := range items {
			if i&1 == 1 || v.Kind() == value.Record {
				turned, ok := turn(items[i])
				if ok {
					items[i], any = turned, true
				}
			}
		}
		if v.Kind() == value.Record {
			return value.RecordOf(items...), any
		}
		return value.ListOf(items...), any
	}
	return v, false
}
