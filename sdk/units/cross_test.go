package units_test

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

// The id of a unit is not a spelling for another quantity, except where people write it for both.
func TestIDsOfOtherQuantities(t *testing.T) {
	want := []string{
		"oz is ozf for force", "lb is lbf for force", // weights
		"lbf in is in lbf for energy", "lbf ft is ft lbf for energy", "ft lbf is lbf ft for torque", "in lbf is lbf in for torque", // orders
		"F is degF for temperature",
		"K is kohm for resistance", "K is kHz for frequency", // values of parts
	}
	var got []string
	for _, quantity := range units.Quantities() {
		for _, other := range units.Quantities() {
			for _, u := range units.Of(other) {
				own, _ := units.Lookup(u.ID)
				if as, ok := units.Spelled(u.ID, quantity); ok && as.ID != u.ID && own.Quantity != quantity {
					got = append(got, u.ID+" is "+as.ID+" for "+quantity)
				}
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
