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

// beam is a release whose engine says what a test has it say.
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
		t.Fatal("an engine that rejects was answered")
	}
	return problem.Of(err)
}

// Whatever an engine leaves out, a rejection names the input at fault, lists it and says
// what to do.
func TestRejections(t *testing.T) {
	type told struct {
		Field, Suggestion string
		Invalid           []sdk.InvalidParameter
	}
	list := func(name, constraint string) []sdk.InvalidParameter {
		return []sdk.InvalidParameter{{Name: name, Constraint: constraint}}
	}
	const beyond = "delta is beyond the range of binary64 numbers"
	for _, tt := range []struct {
		name, body string
		said       *sdk.Error
		want       told
	}{
		{"says all", `{"L":1}`,
			&sdk.Error{Code: "TOO_LONG", Field: "length", Detail: "no", Suggestion: "Cut it.", Invalid: list("length", "short")},
			told{"length", "Cut it.", list("length", "short")}},
		{"says no list", `{"L":1}`, sdk.Reject("TOO_LONG", "length", "length is 1").Suggest("Cut it."), told{"length", "Cut it.", list("length", "length is 1")}},
		{"says no field", `{"L":1}`, &sdk.Error{Code: "TOO_LONG", Detail: "no", Suggestion: "Cut it.", Invalid: list("length", "short")}, told{"length", "Cut it.", list("length", "short")}},
		{"says nothing to do", `{"L":1}`, sdk.Reject("TOO_LONG", "length", "no"),
			told{"length", "Give another value of length: a number in m, greater than 0.", list("length", "no")}},
		{"undefined", `{"L":1}`, sdk.Reject(sdk.CodeUndefined, "length", "0/0"),
			told{"length", "Give another value of length, or of another input that is zero.", list("length", "0/0")}},
		{"conflict", `{"L":1}`, sdk.Conflict("modulus", "no"), told{"modulus", "Leave out modulus, or the input that it conflicts with.", list("modulus", "no")}},
		{"neither field nor list", `{"L":1}`, &sdk.Error{Code: "TOO_LONG", Detail: "no"}, told{"", "Change the inputs.", nil}},

		{"overflow in a result", `{"L":1e200}`, sdk.Reject(sdk.CodeNonFiniteResult, "delta", "no").Suggest("Use inputs of smaller magnitude."),
			told{"length", "The inputs are too extreme. Give a smaller magnitude of length, or change the other inputs.", list("length", beyond)}},
		{"overflow by a divisor", `{"L":-1e-200,"modulus":1e90}`, sdk.Reject(sdk.CodeNonFiniteResult, "delta", "no"),
			told{"length", "The inputs are too extreme. Give a larger magnitude of length, or change the other inputs.", list("length", beyond)}},
		{"overflow by a list", `{"L":1e200,"loads":[0,"1e201"]}`, sdk.Reject(sdk.CodeNonFiniteResult, "delta", "no"),
			told{"loads", "The inputs are too extreme. Give a smaller magnitude of loads, or change the other inputs.", list("loads", beyond)}},
		{"overflow of an input", `{"L":2,"modulus":1e200}`, sdk.Reject(sdk.CodeNonFiniteResult, "length", "no").Suggest("Cut it."), told{"length", "Cut it.", list("length", "no")}},
		{"overflow of nothing", `{"L":2}`, sdk.Reject(sdk.CodeNonFiniteResult, "", "no"),
			told{"length", "The inputs are too extreme. Give a smaller magnitude of length, or change the other inputs.",
				list("length", "the result is beyond the range of binary64 numbers")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := *tt.said
			p := ask(t, tt.said, tt.body)
			if diff := cmp.Diff(tt.want, told{p.Field, p.Suggestion, p.Invalid}); diff != "" || p.Code != tt.said.Code || p.Detail != tt.said.Detail {
				t.Errorf("(-want +got):\n%s%+v", diff, p)
			}
			if diff := cmp.Diff(before, *tt.said); diff != "" {
				t.Errorf("what the engine said was changed:\n%s", diff)
			}
		})
	}
}

// The one text for people says what is wrong and what to do, and the title neither.
func TestMessage(t *testing.T) {
	for want, p := range map[string]*problem.Problem{
		"it is wrong. Mend it.":     problem.New("X_Y", "Mend it.", "it is wrong"),
		"it is wrong. Mend it now.": problem.New("X_Y", "Mend it now.", "it is wrong."),
		"is it wrong? Mend it.":     problem.New("X_Y", "Mend it.", "is it wrong?"),
		"it is wrong":               problem.New("X_Y", "", "it is wrong"),
		"X y. Mend it.":             problem.New("X_Y", "Mend it.", ""),
	} {
		if got := p.Message(); got != want || p.Title() != "X y" {
			t.Errorf("Message = %q, want %q; title %q", got, want, p.Title())
		}
	}
}

// A pin that is no version is told as what it is, not as null.
func TestPinIsTold(t *testing.T) {
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
