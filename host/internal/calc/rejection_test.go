package calc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// beam is a release. Tests choose the answer of its engine.
func beam() *registry.Release {
	r := release("1.0.0", nil)
	r.Spec.Inputs = []sdk.Field{
		{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m", Required: true, Range: &sdk.Range{Min: new(0.0), MinOpen: true, Code: "LENGTH_MUST_BE_POSITIVE"}},
		{Name: "modulus", Type: sdk.TypeNumber, Unit: "Pa", Default: "1e300"},
		{Name: "loads", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Decimal: true, Unit: "N"}},
		{Name: "note", Type: sdk.TypeString},
	}
	r.Spec.Outputs = []sdk.Field{{Name: "delta", Type: sdk.TypeNumber, Unit: "m", Required: true}}
	return r
}

func ask(t *testing.T, said error, body string) *problem.Problem {
	t.Helper()
	catalog := catalog.New([]registry.Capability{{ID: "test.a.b", Current: "1.0.0", Releases: []*registry.Release{beam()}}})
	inputs, err := strictjson.ParseObject([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	_, err = calc.New(catalog, failing{said}, nil).Calculate(t.Context(), calc.Request{ID: "test.a.b", Inputs: inputs})
	if err == nil {
		t.Fatal("a rejection gave an answer")
	}
	return problem.Of(err)
}

// A rejection names the input at fault, lists it and suggests a remedy, even if the engine
// leaves these out.
func TestRejections(t *testing.T) {
	type outline struct {
		Field, Suggestion string
		Invalid           []sdk.InvalidParameter
	}
	list := func(name, constraint string) []sdk.InvalidParameter {
		return []sdk.InvalidParameter{{Name: name, Constraint: constraint}}
	}
	const beyond = "delta is beyond the range of binary64 numbers"
	for _, tt := range []struct {
		name, body string
		rejection  *sdk.Error
		want       outline
	}{
		{"says all", `{"L":1}`,
			&sdk.Error{Code: "TOO_LONG", Field: "length", Detail: "no", Suggestion: "Cut it.", Invalid: list("length", "short")},
			outline{"length", "Cut it.", list("length", "short")}},
		{"says no list", `{"L":1}`, sdk.Reject("TOO_LONG", "length", "length is 1").Suggest("Cut it."), outline{"length", "Cut it.", list("length", "length is 1")}},
		{"says no field", `{"L":1}`, &sdk.Error{Code: "TOO_LONG", Detail: "no", Suggestion: "Cut it.", Invalid: list("length", "short")}, outline{"length", "Cut it.", list("length", "short")}},
		{"says nothing to do", `{"L":1}`, sdk.Reject("TOO_LONG", "length", "no"),
			outline{"length", "Give another value of length: a number in m, greater than 0.", list("length", "no")}},
		{"undefined", `{"L":1}`, sdk.Reject(sdk.CodeUndefined, "length", "0/0"),
			outline{"length", "Give another value of length, or of another input that is zero.", list("length", "0/0")}},
		{"conflict", `{"L":1}`, sdk.Conflict("modulus", "no"), outline{"modulus", "Leave out modulus, or the input that it conflicts with.", list("modulus", "no")}},
		{"neither field nor list", `{"L":1}`, &sdk.Error{Code: "TOO_LONG", Detail: "no"}, outline{"", "Change the inputs.", nil}},

		{"overflow in a result", `{"L":1e200}`, sdk.Reject(sdk.CodeNonFiniteResult, "delta", "no").Suggest("Use inputs of smaller magnitude."),
			outline{"length", "The inputs are too extreme. Give a smaller magnitude of length, or change the other inputs.", list("length", beyond)}},
		{"overflow by a divisor", `{"L":-1e-200,"modulus":1e90}`, sdk.Reject(sdk.CodeNonFiniteResult, "delta", "no"),
			outline{"length", "The inputs are too extreme. Give a larger magnitude of length, or change the other inputs.", list("length", beyond)}},
		{"overflow by a list", `{"L":1e200,"loads":[0,"1e201"]}`, sdk.Reject(sdk.CodeNonFiniteResult, "delta", "no"),
			outline{"loads", "The inputs are too extreme. Give a smaller magnitude of loads, or change the other inputs.", list("loads", beyond)}},
		{"overflow of an input", `{"L":2,"modulus":1e200}`, sdk.Reject(sdk.CodeNonFiniteResult, "length", "no").Suggest("Cut it."), outline{"length", "Cut it.", list("length", "no")}},
		{"overflow of nothing", `{"L":2}`, sdk.Reject(sdk.CodeNonFiniteResult, "", "no"),
			outline{"length", "The inputs are too extreme. Give a smaller magnitude of length, or change the other inputs.",
				list("length", "the result is beyond the range of binary64 numbers")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := *tt.rejection
			p := ask(t, tt.rejection, tt.body)
			if diff := cmp.Diff(tt.want, outline{p.Field, p.Suggestion, p.Invalid}); diff != "" || p.Code != tt.rejection.Code || p.Detail != tt.rejection.Detail {
				t.Errorf("(-want +got):\n%s%+v", diff, p)
			}
			if diff := cmp.Diff(before, *tt.rejection); diff != "" {
				t.Errorf("the error of the engine was changed:\n%s", diff)
			}
		})
	}
}

// The problem of a pin that is not a version names the type of the pin, not null.
func TestPinType(t *testing.T) {
	for sent, want := range map[string]string{
		"5": "a number", "1.5": "a number", "true": "a boolean", "[]": "an array", "{}": "an object", "null": "null", `""`: "an empty string", `" "`: "a blank string",
	} {
		body, err := strictjson.ParseObject([]byte(`{"calculation_version":` + sent + `}`))
		if err != nil {
			t.Fatal(err)
		}
		req, err := calc.ReadRequest("test.a.b", body)
		if err != nil {
			t.Fatal(err)
		}
		catalog := catalog.New([]registry.Capability{{ID: "test.a.b", Current: "1.0.0", Releases: []*registry.Release{beam()}}})
		_, err = calc.New(catalog, failing{errors.New("asked")}, nil).Calculate(t.Context(), req)
		if p := problem.Of(err); p.Code != problem.CodeInvalidVersionPin || !strings.Contains(p.Detail, "found "+want+",") {
			t.Errorf("%s: %s %s, want %s", sent, p.Code, p.Detail, want)
		}
	}
}
