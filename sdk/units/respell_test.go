package units_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

// Another spelling is recognised, and a unit of another size never is.
func TestRespelled(t *testing.T) {
	for _, tt := range []struct{ quantity, texts, want string }{
		{"pressure", "kpa KPA KPa Kpa k.Pa", "kPa"}, {"pressure", "MPA Mpa M.Pa", "MPa"}, {"pressure", "gpa", "GPa"}, {"pressure", "n/mm2 N/mm^2 n/mm²", "N/mm2"}, {"pressure", "PSI", "psi"}, {"pressure", "bars Bar", "bar"},
		{"resistance", "MOhm MOHM Mohms MΩ", "Mohm"}, {"resistance", "mOhm mΩ", "mohm"}, {"resistance", "Ohms OHM", "ohm"},
		{"force", "KN kn", "kN"}, {"force", "Kips KIP", "kip"}, {"torque", "kN-m KN.m kNm kn*m", "kN m"}, {"length", "IN. In", "in"}, {"length", "CM", "cm"}, {"length", "yds", "yd"}, {"mass", "lbs LB", "lb"},
		{"capacitance", "pf", "pF"}, {"capacitance", "UF uf μF", "uF"}, {"apparent_power", "mVA", ""}, {"apparent_power", "Mva", "MVA"}, {"reactive_power", "mvar", ""}, {"time", "mins", "min"},
		{"pressure", "mpa mPa mpas msi psig kPas Pas", ""}, {"resistance", "mohn", ""}, {"torque", "mNm mnm", ""}, {"force", "klf lbs m", ""}, {"length", "MM Mm mile", ""},
		{"frequency", "mhz mHz", ""}, {"power", "Ws kWs", ""}, {"capacitance", "PF MF", ""}, {"temperature_coefficient", "1/degK", ""},
	} {
		for text := range strings.FieldsSeq(tt.texts) {
			if got, ok := units.Respelled(text, units.Of(tt.quantity)); got.ID != tt.want || ok != (tt.want != "") {
				t.Errorf("%s of %s is %q, want %q", text, tt.quantity, got.ID, tt.want)
			}
		}
	}
}

// No text that differs by one letter from a unit is taken for a unit of another size, whatever prefix the letter makes.
func TestPrefixesAreNotRespelled(t *testing.T) {
	for _, quantity := range units.Quantities() {
		of := units.Of(quantity)
		for _, u := range of {
			for _, prefix := range []string{"m", "M", "p", "P"} {
				text := prefix + u.ID
				got, ok := units.Respelled(text, of)
				if _, known := units.Lookup(text); ok && !known && got.ID[:1] != prefix {
					t.Errorf("%s of %s is %s", text, quantity, got.ID)
				}
			}
		}
	}
}

func TestGauge(t *testing.T) {
	for text, want := range map[string]string{"psig": "psi", "barg": "bar", "kPag": "kPa", "bar(g)": "bar", "bar (gauge)": "bar", "PSIG": "psi", "MPa g": "MPa"} {
		if u, absolute, ok := units.Gauge(text); !ok || absolute || u.ID != want {
			t.Errorf("%s: %s %t %t", text, u.ID, absolute, ok)
		}
	}
	for text, want := range map[string]string{"psia": "psi", "bar(a)": "bar", "kPa abs": "kPa"} {
		if u, absolute, ok := units.Gauge(text); !ok || !absolute || u.ID != want {
			t.Errorf("%s: %s %t %t", text, u.ID, absolute, ok)
		}
	}
	for _, text := range []string{"g", "a", "mg", "mPag", "inHg", "kN", ""} {
		if u, _, ok := units.Gauge(text); ok {
			t.Errorf("%q is %s", text, u.ID)
		}
	}
}
