package rules_test

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/conformance/internal/rules"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/sdk"
)

// Every rule of a set can be judged, and every rule that can be judged is in a set.
func TestEveryRuleIsOfASet(t *testing.T) {
	judged := rules.Judged()
	listed := map[string]bool{}
	for _, set := range requirements.Sets() {
		seen := map[string]bool{}
		for _, r := range set.Rules {
			if seen[r.ID] || !slices.Contains(judged, r.ID) {
				t.Errorf("%s: %s is there twice, or cannot be judged", set.Name, r.ID)
			}
			seen[r.ID], listed[r.ID] = true, true
		}
	}
	for _, id := range judged {
		if !listed[id] {
			t.Errorf("%s is of no set", id)
		}
	}
	if newest := requirements.Newest(); newest.Contract != sdk.ContractVersion {
		t.Errorf("the newest set %s is for the contract %s, the SDK speaks %s", newest.Name, newest.Contract, sdk.ContractVersion)
	}
}
