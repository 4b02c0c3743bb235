package cases_test

import (
	"encoding/json"
	"testing"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// The cases of every legal Spec are few, complete, and can be sent.
func FuzzGenerate(f *testing.F) {
	spec, err := json.Marshal(beam())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(spec, []byte(`{"length": 2, "position": 1.5, "exact": "0.1", "loads": [10, 1]}`))
	f.Add([]byte(`{"capability_id":"a.b","calculation_version":"1.0.0","tool":"a","group":"b","title":"A","summary":"B",
		"inputs":[{"name":"x","type":"array","items":{"type":"object","fields":[{"name":"n","type":"integer","unit":"K","range":{"minimum":1e308,"code":"X"}}]}}],
		"outputs":[{"name":"y","type":"number"}]}`), []byte(`{"x": [{"n": 3}, {}]}`))
	f.Fuzz(func(t *testing.T, document, body []byte) {
		spec := new(sdk.Spec)
		if json.Unmarshal(document, spec) != nil || spec.Validate() != nil {
			return
		}
		inputs, err := strictjson.ParseObject(body)
		if err != nil {
			return
		}
		values, _, err := request.Read(spec, inputs)
		if err != nil {
			return
		}
		list := cases.Generate(spec, []value.Values{values})
		if len(list) > cases.Most {
			t.Errorf("%d cases", len(list))
		}
		ids := map[string]bool{}
		for _, c := range list {
			if _, err := strictjson.ParseObject([]byte(c.Inputs)); err != nil && len(c.Inputs) < 10000 {
				t.Errorf("%s: %v in %s", c.ID, err, c.Inputs)
			}
			if ids[c.ID] || c.Like != "" && !ids[c.Like] {
				t.Errorf("%s is there twice, or like %q", c.ID, c.Like)
			}
			ids[c.ID] = true
		}
	})
}
