package units_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

func lookup(t *testing.T, id string) units.Unit {
	t.Helper()
	u, ok := units.Lookup(id)
	if !ok {
		t.Fatalf("no unit %q", id)
	}
	return u
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// TestFactorsAreThePublishedOnes compares with the numbers of the reference cases (section
// 2.8). They are written as fractions of integers and single decimals, not as the products of
// the table.
func TestFactorsAreThePublishedOnes(t *testing.T) {
	for id, want := range map[string]string{
		"in": "0.0254", "ft": "0.3048", "mi": "1609.344", "nmi": "1852",
		"acre": "4046.8564224", "in2": "0.00064516", "ft2": "0.09290304",
		"gal_us": "0.003785411784", "gal_imp": "0.00454609", "L": "0.001", "ft3": "0.028316846592",
		"lb": "0.45359237", "slug": "88964432305210/6096000000000",
		"lbf": "4.4482216152605", "kgf": "9.80665", "kip": "4448.2216152605",
		"psi": "44482216152605/6451600000", "ksi": "44482216152605/6451600", "atm": "101325",
		"torr": "101325/760", "mmHg": "133.322387415", "bar": "100000",
		"Btu_it": "1055.05585262", "cal_th": "4.184", "cal_it": "4.1868", "kWh": "3600000",
		"hp": "745.69987158227022", "hp_metric": "735.49875",
		"ton_refrigeration": "1266067023144/360000000", "kn": "1852/3600",
		"km/h": "5/18", "mph": "0.44704", "lbf.ft": "1.3558179483314004", "lbf ft": "1.3558179483314004",
		"kip/ft": "44482216152605/3048000000", "in4": "0.0000004162314256", "cm4": "0.00000001", "in6": "0.000000000268535866540096",
		"deg": "1/180", "grad": "1/200", "arcmin": "1/10800", "arcsec": "1/648000", "rev": "2", // of pi
		"K": "1", "degC": "1", "degF": "5/9", "degR": "5/9", "GPa": "1000000000", "mohm": "0.001", "mA": "0.001",
	} {
		if u := lookup(t, id); u.Factor.Cmp(rat(want)) != 0 {
			t.Errorf("factor of %s = %s, want %s", id, u.Factor, want)
		}
	}
	for id, want := range map[string]string{"degC": "273.15", "degF": "459.67"} {
		if u := lookup(t, id); u.Offset.Cmp(rat(want)) != 0 {
			t.Errorf("offset of %s = %s, want %s", id, u.Offset, want)
		}
	}
}

func TestDefinitionsHold(t *testing.T) {
	for _, c := range []struct{ a, from, b, to string }{
		{"1", "hp", "550", "ft lbf"}, // per second
		{"12", "in", "1", "ft"},
		{"1", "gal_us", "231", "in3"},
		{"1", "acre", "43560", "ft2"},
		{"1", "in4", "1/20736", "ft4"},
		{"760", "torr", "1", "atm"},
	} {
		from, to := lookup(t, c.from), lookup(t, c.to)
		a := new(big.Rat).Mul(rat(c.a), from.Factor)
		if b := new(big.Rat).Mul(rat(c.b), to.Factor); a.Cmp(b) != 0 {
			t.Errorf("%s %s = %s, want %s %s = %s", c.a, c.from, a, c.b, c.to, b)
		}
	}
}

func TestConvertReferenceVectors(t *testing.T) {
	for _, c := range []struct {
		id, a, from, to string
		want            float64
	}{
		{"P109", "12", "ft", "m", 3.6576},
		{"P110", "3", "ft2", "m2", 0.27870912},
		{"P111", "5", "ft3", "L", 141.58423296},
		{"P112", "150", "lb", "kg", 68.0388555},
		{"P113", "2", "kip", "kN", 8.896443230521},
		{"P114", "30", "psi", "kPa", 206.84271879505084},
		{"P115", "2", "kWh", "MJ", 7.2},
		{"P116", "3", "hp", "kW", 2.2370996147468105},
		{"P117", "60", "mph", "km/h", 96.56064},
		{"P118", "30", "deg", "rad", 0.5235987755982989},
		{"P119", "10", "lbf.ft", "N.m", 13.558179483314005},
		{"P120", "1", "kip/ft", "kN/m", 14.593902937206364},
		{"P121", "100", "in4", "cm4", 4162.314256},
		{"P122", "72", "degF", "degC", 22.22222222222222},
	} {
		v := rat(c.a)
		got, _ := units.Convert(v, lookup(t, c.from), lookup(t, c.to)).Float64()
		if got != c.want {
			t.Errorf("%s: %s %s = %v %s, want %v", c.id, c.a, c.from, got, c.to, c.want)
		}
		if v.Cmp(rat(c.a)) != 0 {
			t.Errorf("%s: the argument was changed to %s", c.id, v)
		}
	}
}

func TestTheTableIsWellFormed(t *testing.T) {
	owner := map[string]string{}
	for _, q := range units.Quantities() {
		us := units.Of(q)
		if len(us) == 0 {
			t.Fatalf("%s has no units", q)
		}
		if us[0].Factor.Cmp(rat("1")) != 0 || us[0].Offset != nil {
			t.Errorf("%s does not begin with its SI unit but with %s", q, us[0].ID)
		}
		for _, u := range us {
			if other, ok := owner[u.ID]; ok {
				t.Errorf("%s is a unit of %s and of %s", u.ID, other, q)
			}
			owner[u.ID] = q
			if u.Quantity != q || u.ID == "" || u.ID != strings.TrimSpace(u.ID) || u.Factor.Sign() <= 0 || u.Pi != strings.Contains(u.Definition, "pi") || strings.Contains(u.Definition, "/pi") {
				t.Errorf("entry %+v of %s is malformed", u, q)
			}
			if found, ok := units.Lookup(u.ID); !ok || found != u {
				t.Errorf("Lookup(%q) = %+v, %t", u.ID, found, ok)
			}
		}
	}
	for _, id := range []string{"", "M", "kpa", " m", "N..m", ".", "°C"} {
		if u, ok := units.Lookup(id); ok {
			t.Errorf("Lookup(%q) = %+v, want none", id, u)
		}
	}
	for id, want := range map[string]string{"N.m": "N m", "lbf·ft": "lbf ft", "kN.m2": "kN m2", "Btu_it/(h.ft2)": "Btu_it/(h ft2)"} {
		if u := lookup(t, id); u.ID != want {
			t.Errorf("Lookup(%q) is %q, want %q", id, u.ID, want)
		}
	}
	if got := units.Of("taste"); len(got) != 0 {
		t.Errorf("Of(taste) = %v, want none", got)
	}
}

func TestConversionsAreExactBothWays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, q := range units.Quantities() {
		us := units.Of(q)
		pick := func() units.Unit { return us[random.IntN(len(us))] }
		for range 200 {
			from, via, to := pick(), pick(), pick()
			if !units.Commensurable(from, via) || !units.Commensurable(via, to) {
				continue
			}
			v := big.NewRat(random.Int64()-random.Int64(), 1+random.Int64N(1<<62))
			there := units.Convert(v, from, to)
			if back := units.Convert(there, to, from); back.Cmp(v) != 0 {
				t.Fatalf("%s %s -> %s -> %s gives %s", v, from.ID, to.ID, from.ID, back)
			}
			if detour := units.Convert(units.Convert(v, from, via), via, to); detour.Cmp(there) != 0 {
				t.Fatalf("%s %s -> %s -> %s gives %s, directly %s", v, from.ID, via.ID, to.ID, detour, there)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for wrong, want := range map[string]string{"kpa": "kPa", "kN-m": "kN m", "ohms": "ohm", "Celsius degC": "degC", "kips": "kip"} {
		if got := units.Nearest(wrong, 3); !slices.Contains(got, want) {
			t.Errorf("Nearest(%q) = %q, want %s among them", wrong, got, want)
		}
	}
	if got := units.Nearest("m", 0); len(got) != 0 {
		t.Errorf("Nearest(m, 0) = %q, want none", got)
	}
}

// Every unit of the table has a coherent unit, which is its own coherent unit. So do the units
// that engines give their results.
func TestCoherent(t *testing.T) {
	for _, q := range units.Quantities() {
		for _, u := range units.Of(q) {
			if si, err := units.Coherent(u.ID); err != nil || si != units.Of(q)[0].ID {
				t.Errorf("%s: %q, %v, want %s", u.ID, si, err, units.Of(q)[0].ID)
			}
		}
	}
	for id, want := range map[string]string{
		"rad/s": "rad/s", "K/W": "K/W", "m2 K/W": "m2 K/W", "N m/rad": "N m/rad", "1/K2": "1/K2", "J/(mol K)": "J/(mol K)",
		"m(1/3)/s": "m(1/3)/s", "m-2": "m-2", "N.m.s": "N m s", "cd/m2": "cd/m2",
		"kJ/(kg degC)": "J/(kg K)", "mm2/h": "m2/s", "rev/min": "rad/s", "g/L": "kg/m3", "kVA/m2": "", "L2": "", "km/kn": "",
		"": "", "%": "", "m/s/s": "", "m*s": "", "2 m": "", "m ": "", "m0": "", "(m": "", "m/(s": "", "kg/(m s K(1/2)": "",
	} {
		if got, err := units.Coherent(id); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", id, got, err, want)
		}
	}
}

func TestDifference(t *testing.T) {
	for id, want := range map[string]string{"K": "10", "degC": "10", "degF": "50/9", "degR": "50/9"} {
		from, to := lookup(t, id).Difference(), lookup(t, "K").Difference()
		if got := units.Convert(rat("10"), from, to); got.Cmp(rat(want)) != 0 || from.Quantity != "temperature_difference" {
			t.Errorf("10 %s = %s K of %s, want %s", id, got, from.Quantity, want)
		}
	}
	if lookup(t, "degC").Offset == nil {
		t.Error("the table has lost its zero")
	}
}
