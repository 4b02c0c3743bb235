package needed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/plugins/internal/needed"
	"github.com/slipstick/slipstick/sdk"
)

func TestExactly(t *testing.T) {
	x := new(0.0) // zero is sent
	of := func(a, b, c *float64) error {
		return needed.Exactly(2, needed.Input{Name: "a", Value: a}, needed.Input{Name: "b", Value: b}, needed.Input{Name: "c", Value: c})
	}
	for _, good := range []error{of(x, x, nil), of(nil, x, x), of(x, nil, x)} {
		if good != nil {
			t.Errorf("two of three: %v", good)
		}
	}
	for _, tt := range []struct {
		name string
		got  error
		want *sdk.Error
	}{
		{"none", of(nil, nil, nil), &sdk.Error{
			Code: sdk.CodeMissingRequiredInput, Field: "a", Detail: "exactly two of a, b and c are needed, not 0", Suggestion: "Give two of a, b, c.",
			Invalid: invalid("may be given: exactly two of a, b and c are needed, not 0", "a", "b", "c"),
		}},
		{"one", of(nil, x, nil), &sdk.Error{
			Code: sdk.CodeMissingRequiredInput, Field: "a", Detail: "exactly two of a, b and c are needed, not 1", Suggestion: "Give one of a, c.",
			Invalid: invalid("may be given: exactly two of a, b and c are needed, not 1", "a", "c"),
		}},
		{"all", of(x, x, x), &sdk.Error{
			Code: sdk.CodeConflictingInputs, Field: "c", Detail: "exactly two of a, b and c are needed, not 3", Suggestion: "Leave out what is to be computed.",
			Invalid: invalid("may have to be left out: exactly two of a, b and c are needed, not 3", "a", "b", "c"),
		}},
	} {
		if diff := cmp.Diff(error(tt.want), tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func invalid(constraint string, names ...string) (list []sdk.InvalidParameter) {
	for _, name := range names {
		list = append(list, sdk.InvalidParameter{Name: name, Constraint: constraint})
	}
	return list
}

func TestMoreThanWordsFor(t *testing.T) {
	var none []needed.Input
	for range 6 {
		none = append(none, needed.Input{Name: "a"})
	}
	if e, ok := needed.Exactly(5, none...).(*sdk.Error); !ok || e.Suggestion != "Give 5 of a, a, a, a, a, a." {
		t.Errorf("%+v", e)
	}
}
