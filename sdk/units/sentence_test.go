package units_test

import (
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

func TestSentence(t *testing.T) {
	for id, want := range map[string]string{
		"ft": "1 ft is 0.3048 m", "ft2": "1 ft2 is 0.3048*0.3048 m2", "N.mm": "1 N mm is 1e-3 N m", "deg": "1 deg is pi/180 rad",
		"degC": "x degC is (x + 273.15)*1 K", "degR": "1 degR is 5/9 K",
	} {
		u, ok := units.Lookup(id)
		if got := u.Sentence(); !ok || got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
