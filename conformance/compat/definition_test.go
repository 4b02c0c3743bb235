package compat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/sdk"
)

// Another text over the same numbers is a patch; a weaker claim needs a minor bump.
func TestDefinitions(t *testing.T) {
	spec := func(definition string, tolerances ...sdk.Tolerance) *sdk.Spec {
		return &sdk.Spec{Definition: definition, Tolerances: tolerances}
	}
	loose, looser := sdk.Tolerance{Output: "y", Relative: 1e-9, Reason: "series"}, sdk.Tolerance{Output: "y", Relative: 1e-6, Reason: "series"}
	other := looser
	other.Reason = "a table"
	const text = "k = 2\ny = k*x"
	for name, tt := range map[string]struct {
		older, newer *sdk.Spec
		want         []compat.Change
	}{
		"the same":             {spec(text, loose), spec(text, loose), nil},
		"a first one":          {spec(""), spec(text, looser), []compat.Change{{"definition", "is new", "", text, compat.Patch}}},
		"none any more":        {spec(text), spec(""), []compat.Change{{"definition", "is gone", text, "", compat.Minor}}},
		"another text":         {spec(text), spec("k = 2\n\ny = x*k"), []compat.Change{{"definition", "changed", "y = k*x", "y = x*k", compat.Patch}}},
		"another order":        {spec("a = 1\nk = 2\ny = k*x*a"), spec("k = 2\na = 1\ny = k*x*a"), []compat.Change{{"definition", "changed", "", "", compat.Patch}}},
		"an output is taken":   {spec("y = k*x"), spec("taken y  # table"), []compat.Change{{"definition", "changed", "y = k*x", "taken y  # table", compat.Patch}, {"definition of y", "is taken from the engine now", "", "table", compat.Minor}}},
		"an output is derived": {spec("taken y  # table"), spec("y = k*x"), []compat.Change{{"definition", "changed", "taken y  # table", "y = k*x", compat.Patch}}},
		"a tolerance":          {spec(text), spec(text, loose), []compat.Change{{"tolerance of y", "is wider", "1e-12", "1e-09", compat.Minor}}},
		"a wider tolerance":    {spec(text, loose), spec(text, looser), []compat.Change{{"tolerance of y", "is wider", "1e-09", "1e-06", compat.Minor}}},
		"a narrower one":       {spec(text, looser), spec(text, loose), []compat.Change{{"tolerance of y", "is narrower", "1e-06", "1e-09", compat.Patch}}},
		"no tolerance":         {spec(text, looser), spec(text), []compat.Change{{"tolerance of y", "is narrower", "1e-06", "1e-12", compat.Patch}}},
		"another reason":       {spec(text, looser), spec(text, other), nil},
		"one that is no text":  {spec("k = "), spec(text), []compat.Change{{"definition", "changed", "k =", "k = 2\ny = k*x", compat.Patch}}},
	} {
		if diff := cmp.Diff(tt.want, compat.Specs(tt.older, tt.newer)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
