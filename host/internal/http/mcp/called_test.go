package mcp_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/calctest"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
)

const deckInputs = `{"load":500,"spacing":2,"span":30}`

const chainInputs = `{"load":1000,"span":30,"modulus":2.1e11,"inertia":1e-5}`

func newSheetSite(t *testing.T) *site {
	t.Helper()
	return newSiteFrom(t, calctest.NewService(t, &calc.Options{BaseURL: base, MCP: true}), nil, mcp.New)
}

// Steps of a sheet contain the calculations that it calls, with the members of REST.
func TestCalledSteps(t *testing.T) {
	s := newSheetSite(t)
	body, _ := s.call(t, "execute_calculation", `{"capability_id":"deck","steps":true,"inputs":`+deckInputs+`}`)
	var rest map[string]any
	if err := json.Unmarshal([]byte(s.send(t, "POST", "/api/v1/calc/deck?steps=true", deckInputs).text), &rest); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(body["steps"], rest["steps"]) {
		t.Errorf("MCP %v\nREST %v", body["steps"], rest["steps"])
	}
	frozen, _ := s.call(t, "create_snapshot", `{"capability_id":"deck","inputs":`+deckInputs+`}`)
	steps := frozen["result"].(map[string]any)["steps"].([]any)
	called := steps[0].(map[string]any)["called"].(map[string]any)
	want := rest["steps"].([]any)[3].(map[string]any)["called"].(map[string]any)
	for name := range maps.Keys(want) {
		if name != "steps" && !reflect.DeepEqual(called[name], want[name]) {
			t.Errorf("%s is %v in a snapshot, want %v", name, called[name], want[name])
		}
	}
	if within := called["steps"].([]any); len(steps) != 1 || len(within) != 2 {
		t.Errorf("the snapshot has %v", steps)
	}
}

// Units of the formatted result are the same as of REST, and a snapshot keeps the units of the description.
func TestUnits(t *testing.T) {
	s := newSheetSite(t)
	formatted := func(body map[string]any) any { return body["result_detail"].(map[string]any)["formatted"] }
	for args, query := range map[string]string{`"units":"us"`: "units=us", `"units":"metric","unit":["total=ft"]`: "units=metric&unit=total%3Dft"} {
		body, _ := s.call(t, "execute_calculation", `{"capability_id":"chain",`+args+`,"inputs":`+chainInputs+`}`)
		var rest map[string]any
		if err := json.Unmarshal([]byte(s.send(t, "POST", "/api/v1/calc/chain?"+query, chainInputs).text), &rest); err != nil {
			t.Fatal(err)
		}
		if got := formatted(body); got != formatted(rest) || !strings.HasPrefix(got.(string), "total=18.5371 ft") || !reflect.DeepEqual(body["result"], rest["result"]) {
			t.Errorf("%s: MCP %v, REST %v", args, got, formatted(rest))
		}
	}
	for args, code := range map[string]string{`"units":"imperial"`: "INVALID_ARGUMENT", `"unit":"in"`: "INVALID_ARGUMENT", `"unit":["total=kg"]`: "INCOMPATIBLE_UNIT"} {
		if body, _ := s.call(t, "execute_calculation", `{"capability_id":"chain",`+args+`,"inputs":`+chainInputs+`}`); body["code"] != code {
			t.Errorf("%s: %v", args, body)
		}
	}
}

// describe_capability lists what a sheet uses, as the description of REST does.
func TestDescribeUses(t *testing.T) {
	s := newSheetSite(t)
	body, _ := s.call(t, "describe_capability", `{"capability_id":"deck","schema":true}`)
	list, _ := body["uses"].([]any)
	if len(list) != 1 {
		t.Fatalf("uses %v", body["uses"])
	}
	var rest struct {
		Spec struct{ Uses []map[string]any }
	}
	if err := json.Unmarshal([]byte(s.send(t, "GET", "/api/v1/capabilities/deck", "").text), &rest); err != nil {
		t.Fatal(err)
	}
	one, described := list[0].(map[string]any), rest.Spec.Uses[0]
	if one["table"] != false || len(one) != 5 || one["id"] != "test.beam.chain" || !strings.HasPrefix(one["digest"].(string), "sha256:") {
		t.Errorf("uses %v", one)
	}
	for _, name := range []string{"id", "version", "title", "digest"} {
		if one[name] != described[name] {
			t.Errorf("%s is %v, and %v over REST", name, one[name], described[name])
		}
	}
	alone, _ := s.call(t, "describe_capability", `{"capability_id":"test.beam.deflection","schema":true}`)
	if _, has := alone["uses"]; has {
		t.Errorf("the beam uses %v", alone["uses"])
	}
}
