package formula

import (
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

func TestUnits(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "m": "m", "N m2": "N m2", "N/mm": "N/m", "W/(m2 K)": "W/(m2 K)", "m2 K/W": "m2 K/W", "1/K": "1/K", "J/(mol K)": "J/(mol K)",
		"m(1/3)/s": "m(1/3)/s", "kg/(m s K(1/2))": "kg/(m s K(1/2))", "m/s2": "m/s2", "m s-2": "m/s2", "Pa.s": "Pa s", "N·m": "J",
		"%": "", "rad": "", "rad/s": "1/s", "N m/rad": "N m", "VA": "W", "V A": "W", "kVA": "W", "kvar": "W", "kWh": "J", "h": "s", "degC": "K",
		"Hz": "1/s", "ohm mm2/m": "ohm m", "currency/kWh": "currency/J", "lx": "cd/m2", "Btu_it/(h ft2 degF)": "W/(m2 K)", "kg m2/s2": "J", "pixel/m": "pixel/m",
	} {
		got, ok := parseUnit(text)
		wanted, ok2 := parseUnit(want)
		if !ok || !ok2 || got.dim.String() != wanted.dim.String() {
			t.Errorf("%s is %s, want %s", text, got.dim, wanted.dim)
		}
	}
	for _, text := range []string{" ", "m/", "/s", "m//s", "m/s/s", "m/s K", "W/(m2 K", "W/m2)", "m^2", "2m", "m(1/0)", "m0", "(m)", "m(2)", "N*m", "m2000"} {
		if u, ok := parseUnit(text); ok {
			t.Errorf("%q is read as %s", text, u.dim)
		}
	}
	for _, text := range []string{"mm", "%", "kVA", "degC", "deg", "g", "h", "1/min", "W/cm2"} {
		if u, ok := parseUnit(text); !ok || u.coherent {
			t.Errorf("%s counts as a unit of SI", text)
		}
	}
}

// Each unit of the table has the dimension of the first unit of its quantity, if its parts
// show that.
func TestTableOfUnits(t *testing.T) {
	for _, quantity := range units.Quantities() {
		all := units.Of(quantity)
		si, ok := parseUnit(all[0].ID)
		if !ok || si.unknown != "" || !si.coherent {
			t.Errorf("%s, the unit of %s, is not one of SI", all[0].ID, quantity)
		}
		for _, u := range all {
			parts := unit{coherent: true}
			if !parts.product(u.ID) || parts.unknown != "" {
				continue // it contains mPa
			}
			if got := parts.dim.String(); got != si.dim.String() {
				t.Errorf("%s is %s by its parts, and %s by its quantity", u.ID, got, si.dim)
			}
		}
	}
}
