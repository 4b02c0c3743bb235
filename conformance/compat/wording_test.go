package compat_test

import (
	"testing"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/sdk"
)

// Other words for assumptions, signs and limits are a patch. More assumptions or another limit are a minor change.
func TestWording(t *testing.T) {
	one := 1.0
	two := 2.0
	old := sdk.Spec{
		Assumptions: []string{"The plate is flat."}, SignConvention: "Down is positive.",
		Limits: []sdk.Limit{{Quantity: "area", Max: &one, Doc: "Larger plates bend."}},
	}
	for _, tt := range []struct {
		change func(*sdk.Spec)
		needs  compat.Bump
		where  string
	}{
		{func(s *sdk.Spec) { s.Assumptions = []string{"The plate is even."} }, compat.Patch, "assumptions"},
		{func(s *sdk.Spec) { s.Assumptions = append(s.Assumptions, "It is thin.") }, compat.Minor, "assumptions"},
		{func(s *sdk.Spec) { s.Assumptions = nil }, compat.Minor, "assumptions"},
		{func(s *sdk.Spec) { s.SignConvention = "Positive is down." }, compat.Patch, "sign convention"},
		{func(s *sdk.Spec) { s.Limits = []sdk.Limit{{Quantity: "area", Max: &one, Doc: "Plates bend."}} }, compat.Patch, ""},
		{func(s *sdk.Spec) { s.Limits = []sdk.Limit{{Quantity: "area", Max: &two}} }, compat.Minor, "limits of validity"},
	} {
		is := old
		tt.change(&is)
		needs, where := compat.Patch, ""
		for _, c := range compat.Specs(&old, &is) {
			needs, where = max(needs, c.Needs), c.Where
		}
		if needs != tt.needs || where != tt.where {
			t.Errorf("%v at %q, want %v at %q", needs, where, tt.needs, tt.where)
		}
	}
}
