package requirements_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/requirements"
)

// digests are the digests of the sets. A published set never changes. For stricter rules, write
// a new set with new ids.
var digests = map[string]string{
	"2026-12.json": "6be859c18d9c10236ca995eab75eaae8bbf271ade93ab4510250fd0b5909e6e3",
	"2027-01.json": "39fd14e538f1a0b7a7d557ba8bfabf078c465384a31e34b9dd40d44cd05b0073",
	"2027-02.json": "ad03997f737901da54187b158f3bd2eb6fb5698bc5ef59de2dcbc4e5db9156d2",
}

func TestSetsNeverChange(t *testing.T) {
	files, err := filepath.Glob("*.json")
	if err != nil || len(files) != len(digests) {
		t.Errorf("%d sets, want %d (%v)", len(files), len(digests), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digests[name] {
			t.Errorf("%s has changed: its digest is %x", name, sum)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{"": "2027-02", "2027-01": "2027-01", "2026-12": "2026-12"} {
		if set, err := requirements.Find(name); err != nil || set.Name != want {
			t.Errorf("Find(%q): %v, %v", name, set, err)
		}
	}
	if _, err := requirements.Find("1999-01"); err == nil || !strings.Contains(err.Error(), "the sets are 2026-12, 2027-01, 2027-02") {
		t.Errorf("an unknown set: %v", err)
	}
}

// A set has the rules of its predecessor, word for word, and then its own.
func TestSetsGrow(t *testing.T) {
	sets := requirements.Sets()
	for i, set := range sets[1:] {
		before := sets[i].Rules
		if len(set.Rules) < len(before) || !slices.Equal(set.Rules[:len(before)], before) {
			t.Errorf("%s has not the rules of %s", set.Name, sets[i].Name)
		}
	}
}
