package vector_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/vector"
)

func TestParse(t *testing.T) {
	list, err := vector.Parse(vectors(t))
	if err != nil || len(list) != 8 {
		t.Fatalf("%d vectors, %v", len(list), err)
	}
	first := list[0]
	if len(first.Result.Members) != 3 || first.Rejection != nil {
		t.Errorf("result %+v, rejection %+v", first.Result, first.Rejection)
	}
	first.Result.Members = nil
	want := vector.Vector{
		ID: "P1", Kind: "computed", Capability: "geometry.solids.cube_stack", Inputs: `{"side": 2}`, Expected: first.Expected, Result: first.Result,
		RTol: 1e-12, Source: "by hand", Evidence: "computed", Tags: []string{"plain"},
	}
	if !reflect.DeepEqual(first, want) {
		t.Errorf("got %+v, want %+v", first, want)
	}
	if got := list[3].Rejection; got == nil || *got != (vector.Rejection{Code: "STACK_TOO_HIGH", Field: "count"}) {
		t.Errorf("rejection %+v", got)
	}
	if got := list[6].Inputs; got != `{"side": 1e-400}` || !list[6].Raw {
		t.Errorf("raw inputs %q", got)
	}
	if got := list[3].Expected; !strings.HasPrefix(got, `{"code": "STACK_TOO_HIGH"`) {
		t.Errorf("expected %q", got)
	}
}

// Literals reach the engine unchanged. Long lists of vectors can be read although one document
// of package strictjson is bounded.
func TestParseKeepsLiteralsAndHasNoCapOnTheFile(t *testing.T) {
	one := `{"id": "#", "capability": "a.b", "inputs": {"x": 0.10000000000000000000001, "y": "` + strings.Repeat("y", 60000) + `"}, "expected": {"z": 1}}`
	data := "[" + strings.Replace(one, "#", "1", 1) + "," + strings.Replace(one, "#", "2", 1) + "]"
	list, err := vector.Parse([]byte(data))
	if err != nil || len(list) != 2 {
		t.Fatalf("%d vectors, %v", len(list), err)
	}
	if !strings.HasPrefix(list[1].Inputs, `{"x": 0.10000000000000000000001, `) {
		t.Errorf("inputs %.60s", list[1].Inputs)
	}
}

func TestParseDistinguishesResultsFromRejections(t *testing.T) {
	for expected, rejection := range map[string]bool{
		`{"code": "A"}`:                              true,
		`{"field": "x", "code": "A"}`:                true,
		`{"field": "x"}`:                             false,
		`{"code": 1}`:                                false,
		`{"code": "A", "field": 1}`:                  false,
		`{"code": "A", "field": "x", "delta": 1}`:    false,
		`{"status": "error", "code": "A", "x": "y"}`: false,
	} {
		list, err := vector.Parse([]byte(`[{"id": "1", "capability": "a.b", "inputs": {}, "expected": ` + expected + `}]`))
		if err != nil {
			t.Fatal(err)
		}
		if got := list[0].Rejection != nil; got != rejection {
			t.Errorf("%s: rejection %t, want %t", expected, got, rejection)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	one := func(members string) string {
		return `[{"id": "V1", "capability": "a.b", "inputs": {}, ` + members + `}]`
	}
	for _, c := range []struct{ data, text string }{
		{``, "the vectors are not a JSON array: unexpected end of JSON input"},
		{`null`, "the vectors are null, not a JSON array"},
		{`{}`, "the vectors are not a JSON array"},
		{`[] []`, "the vectors are not a JSON array"},
		{`[1]`, "vector number 1: line 1, column 1: found a number, expected an object"},
		{`[{}]`, "vector number 1: one of inputs and inputs_raw is needed, and only one"},
		{`[{"inputs": {}}]`, "vector number 1: id is missing or empty"},
		{`[{"id": 7}]`, "vector number 1: id is a number, not a string"},
		{`[{"id": "", "inputs": {}}]`, "vector number 1: id is missing or empty"},
		{`[{"id": "V1", "id": "V2"}]`, `found member "id" a second time`},
		{`[{"id": "V1", "expcted": 1}]`, `vector "V1": unknown member "expcted"; the members are absent, assumptions, atol, capability, complete, evidence, expected, formula, id, inputs, inputs_raw, kind, note, rtol, severities, source, tags, tolerances, warnings`},
		{`[{"expcted": 1, "id": "V1"}]`, `vector "V1": unknown member "expcted"`},
		{one(`"expected": {"x": 1}, "inputs": {}`), `found member "inputs" a second time`},
		{one(`"expected": {"x": 1}, "inputs_raw": "{}"`), `vector "V1": one of inputs and inputs_raw`},
		{`[{"id": "V1", "inputs": [1]}]`, `vector "V1": inputs is an array, not an object`},
		{`[{"id": "V1", "inputs_raw": {}}]`, `vector "V1": inputs_raw is an object, not a string`},
		{one(`"note": ""`), `vector "V1": expected is missing`},
		{one(`"expected": {}`), `vector "V1": expected is an object; it must be an object with at least one member`},
		{one(`"expected": 3`), `vector "V1": expected is a number; it must`},
		{one(`"expected": {"x": [1, {"y": 1e999}]}`), `vector "V1": expected has at x.1.y the number 1e999, which binary64 cannot hold`},
		{one(`"expected": {"x": [1, {"y": null}]}`), `vector "V1": expected has null at x.1.y`},
		{one(`"expected": {"code": "A"}, "warnings": ["B"]`), `vector "V1": warnings are expected of a rejection`},
		{one(`"severities": ["A"]`), `vector "V1": severities is an array, not an object with a severity for each warning`},
		{one(`"severities": {"A": 1}`), `vector "V1": severities of A is a number, not a string`},
		{one(`"complete": 1`), `vector "V1": complete is a number, not true or false`},
		{one(`"rtol": "1e-9"`), `vector "V1": rtol is a string, not a number`},
		{one(`"rtol": -1`), `vector "V1": rtol is -1, not a tolerance`},
		{one(`"atol": 1e-999`), `vector "V1": atol is 1e-999, not a tolerance`},
		{one(`"tags": "x"`), `vector "V1": tags is a string, not an array of strings`},
		{one(`"warnings": [1]`), `vector "V1": warnings has a number among its strings`},
		{"[{\"id\": \"\xff\"}]", "found invalid UTF-8 byte 0xFF"},
		{`[` + strings.Repeat(`{"id": "V1", "capability": "a.b", "inputs": {}, "expected": {"x": 1}},`, 2) + `1]`,
			"vector \"V1\": an earlier vector has this id\nvector number 3: "},
	} {
		list, err := vector.Parse([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.text) || list != nil {
			t.Errorf("%s: %d vectors, got %v\nwant %s", c.data, len(list), err, c.text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(vectors(f))
	f.Add([]byte(`[{"id": "V1", "capability": "a.b", "inputs_raw": "\u00e9", "expected": {"x": [1, {"y": true}]}, "rtol": 0}]`))
	f.Add([]byte(`[{"id": "V1", "inputs": {}, "expected": {}, "absent": ["y"]}]`)) // of a document
	f.Add([]byte(`[{"id": "V1"}, {"id": "V1"}, null]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := vector.Parse(data)
		if err != nil {
			if list != nil {
				t.Errorf("vectors beside the error %v", err)
			}
			return
		}
		ids := map[string]bool{}
		for _, v := range list {
			if v.ID == "" || ids[v.ID] || v.RTol < 0 || v.ATol < 0 {
				t.Errorf("accepted %+v", v)
			}
			result := len(v.Result.Members) > 0
			other := len(v.Absent) > 0 || len(v.Warnings) > 0 || v.Assumptions > 0 || v.Formula != ""
			if v.Rejection == nil && !result && !other || v.Rejection != nil && result {
				t.Errorf("%s expects %+v and %+v", v.ID, v.Result, v.Rejection)
			}
			ids[v.ID] = true
		}
	})
}

// vectors returns the vectors of the tests of the suite.
func vectors(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A vector of a document has tolerances of single outputs, absent outputs and a number of assumptions.
func TestParseVectorOfDocument(t *testing.T) {
	list, err := vector.Parse([]byte(`[{"id": "V1", "inputs": {}, "expected": {"x": 1}, "tolerances": {"x": 0.5}, "absent": ["y"], "assumptions": 2},
		{"id": "V2", "inputs": {}, "expected": {}, "absent": ["y"]}]`))
	if err != nil || list[0].Tolerances["x"] != 0.5 || list[0].Assumptions != 2 || list[1].Absent[0] != "y" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, member := range []string{`"tolerances": 1`, `"tolerances": {"x": -1}`, `"tolerances": {"x": "a"}`, `"absent": "y"`, `"assumptions": 0`, `"assumptions": 1.5`} {
		_, err := vector.Parse([]byte(`[{"id": "V1", "inputs": {}, "expected": {"x": 1}, ` + member + `}]`))
		if err == nil {
			t.Errorf("%s is accepted", member)
		}
	}
}
