package conformance_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
)

// frozen are the digests of the sets. A set that was published never changes: write a
// new one, with new ids for the rules that become stricter.
var frozen = map[string]string{
	"2026-11.json": "e7a2541d44924df6548f0ea8ce541a8d9a63c49864564568a6ae57b2f2f56303",
}

func TestSetsAreFrozen(t *testing.T) {
	files, err := os.ReadDir("requirements")
	if err != nil || len(files) != len(frozen) {
		t.Errorf("%d sets, want %d (%v)", len(files), len(frozen), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join("requirements", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != frozen[f.Name()] {
			t.Errorf("%s has changed: its digest is %x", f.Name(), sum)
		}
	}
}

// Every rule of a set can be judged, and every rule that can be judged is of a set.
func TestEveryRuleIsOfASet(t *testing.T) {
	judged := conformance.Judged()
	listed := map[string]bool{}
	for _, set := range conformance.Sets() {
		seen := map[string]bool{}
		for _, r := range set.Rules {
			if seen[r.ID] || !slices.Contains(judged, r.ID) {
				t.Errorf("%s: %s is there twice, or cannot be judged", set.Set, r.ID)
			}
			seen[r.ID], listed[r.ID] = true, true
		}
	}
	for _, id := range judged {
		if !listed[id] {
			t.Errorf("%s is of no set", id)
		}
	}
	if newest := conformance.Newest(); newest.Contract != sdk.ContractVersion {
		t.Errorf("the newest set %s is for the contract %s, the SDK speaks %s", newest.Set, newest.Contract, sdk.ContractVersion)
	}
}

func TestFindSet(t *testing.T) {
	for _, name := range []string{"", "2026-11"} {
		if set, err := conformance.FindSet(name); err != nil || set.Set != "2026-11" {
			t.Errorf("FindSet(%q): %v, %v", name, set, err)
		}
	}
	if _, err := conformance.FindSet("1999-01"); err == nil || !strings.Contains(err.Error(), "the sets are 2026-11") {
		t.Errorf("an unknown set: %v", err)
	}
}

// An engine is judged by the rules of the set that is asked for, and by no others.
func TestCheckByASet(t *testing.T) {
	set := &conformance.Requirements{Set: "2026-00", Rules: conformance.Rules()[:2]}
	set.Rules[0].Rule = "an engine must start as it did then"
	hopeless := withOutcome(func(o *sdk.Outcome) { o.Result = nil })
	r := conformance.Check(t.Context(), hopeless, vectors(t), &conformance.Options{Requirements: set})
	if !r.Passed || r.Requirements != "2026-00" || len(r.Rules) != 2 || r.Rules[0].Rule != set.Rules[0].Rule {
		t.Errorf("%+v", r)
	}
}
