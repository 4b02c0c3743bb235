package openapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/openapi"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Every description belongs to a member that is sent.
func TestWords(t *testing.T) {
	if places := openapi.Unreached(); len(places) > 0 {
		t.Errorf("nothing that is sent has %q", places)
	}
}

// members are the names of the members of some JSON objects, sorted.
func members(t *testing.T, objects ...[]byte) []string {
	t.Helper()
	all := map[string]json.RawMessage{}
	for _, text := range objects {
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Documents without a Go type have exactly the described members, and always all required ones.
func TestWrittenMembers(t *testing.T) {
	var described struct {
		Components struct {
			Schemas map[string]struct {
				Properties json.RawMessage
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(document(t), &described); err != nil {
		t.Fatal(err)
	}
	bare, whole := problems()
	least, most := successes()
	snapshot := record(t, most)
	for _, tt := range []struct {
		schema      string
		least, most [][]byte // objects with the fewest members, and objects that together have all members
	}{
		{"Error", [][]byte{bare.AppendJSON(nil, base)}, written(whole, func(p *problem.Problem) []byte { return p.AppendJSON(nil, base) })},
		{"Problem", [][]byte{bare.AppendProblemJSON(nil, base)}, written(whole, func(p *problem.Problem) []byte { return p.AppendProblemJSON(nil, base) })},
		{"Success", [][]byte{least.AppendJSON(nil)}, [][]byte{most.AppendJSON(nil)}},
		{"Step", [][]byte{step(response.Step{})}, [][]byte{step(fullStep)}},
		{"Called", [][]byte{step(response.Called{})}, [][]byte{step(fullStep.Called)}},
		{"Snapshot", [][]byte{snapshot}, [][]byte{snapshot, []byte(`{"warnings":[],"signature":{}}`)}}, // the warnings of an embedded id, the signature of a copy
	} {
		schema := described.Components.Schemas[tt.schema]
		if d := cmp.Diff(members(t, schema.Properties), members(t, tt.most...)); d != "" {
			t.Errorf("%s, described and sent:\n%s", tt.schema, d)
		}
		for _, name := range schema.Required {
			if _, found := slices.BinarySearch(members(t, tt.least...), name); !found {
				t.Errorf("%s: %s is required, and missing in %s", tt.schema, name, tt.least)
			}
		}
	}
}

func step(s any) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return b
}

func written(list []*problem.Problem, write func(*problem.Problem) []byte) [][]byte {
	var out [][]byte
	for _, p := range list {
		out = append(out, write(p))
	}
	return out
}

// problems returns a problem with only a code, and some problems that together have all members.
func problems() (bare *problem.Problem, whole []*problem.Problem) {
	catalog := published()
	entry, err := catalog.Find("volume")
	if err != nil {
		panic(err) // it is published
	}
	_, unknown := catalog.Find("nothing")
	_, mismatch := entry.Release(versions.Header([]string{"9.0.0"}))
	_, conflict := entry.Release(versions.Header([]string{"1.0.0", "2.0.0"}))
	spec := volume("1.0.0")
	_, _, missing := request.Read(&spec, strictjson.Value{Kind: strictjson.Object})
	for _, err := range []error{unknown, mismatch, conflict, missing} {
		whole = append(whole, problem.Of(err))
	}
	return problem.New(problem.CodeInternalError, "", ""), append(whole, problem.RateLimited(60, 1), problem.BatchInterrupted(2))
}

// successes returns answers with the fewest and with all members.
func successes() (least, most *response.Success) {
	spec := volume("1.0.0")
	outcome := sdk.Outcome{Inputs: value.Values{value.NumberOf(2), value.TextOf("cube")}, Result: value.Values{value.NumberOf(8)}}
	plain := spec
	plain.Formulas = nil
	return &response.Success{Template: &response.Template{Spec: &plain}, ID: "volume", Outcome: outcome},
		&response.Success{Template: &response.Template{
			Spec: &spec, APIVersion: "v1", APIContract: "1.0.0", Page: base, Links: []response.Link{{Name: "self", URI: base}},
		}, ID: "volume", Outcome: outcome, Steps: []response.Step{fullStep}}
}

// fullStep has every member.
var fullStep = response.Step{Step: formula.Step{
	Kind: formula.CalledStep, Field: "volume", Name: "V", Rule: "a^3", With: "2^3", Value: "8", Unit: "m3", Because: "shape is cube", Note: "a note", Text: "V = 8 m3",
}, Called: &response.Called{Steps: []response.Step{{}}}}

// record returns the record of a snapshot of the answer.
func record(t *testing.T, a *response.Success) []byte {
	t.Helper()
	store, err := snapshot.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	snap, err := store.Create(t.Context(), snapshot.Content{
		ToolID: "volume", CapabilityID: "test.geometry.volume", Version: "1.0.0", EngineDigest: digest, Inputs: []byte("{}"), Result: a.AppendJSON(nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	return snap.Body
}
