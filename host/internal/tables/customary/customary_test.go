package customary_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

var spec = sdk.Spec{Capability: "mechanical.statics.beam", Group: "statics"}

// quantity returns the quantity of a unit in a capability of the domain and the group. Pages list it in another group.
func quantity(t *testing.T, id, unit string) customary.Quantity {
	t.Helper()
	difference := strings.HasPrefix(unit, "delta ")
	q, ok := customary.Of(&sdk.Spec{Capability: id + ".tool", Group: "list"}, strings.TrimPrefix(unit, "delta "), difference)
	if !ok {
		t.Fatalf("%q is not a unit", unit)
	}
	return q
}

// TestSystems checks the unit of each quantity in each system.
func TestSystems(t *testing.T) {
	for _, tt := range []struct {
		x              float64
		unit, id       string
		si, metric, us string
	}{
		{0.00774907, "m", "mechanical.statics", "mm", "mm", "in"},
		{4.5e-5, "m", "fluids.pipe", "mm", "mm", "in"},
		{6, "m", "mechanical.statics", "m", "m", "ft"},
		{0.5, "m", "mechanical.statics", "mm", "mm", "in"},
		{25e3, "m", "thermo.atmosphere", "km", "km", "mi"},
		{0.00538, "m2", "mechanical.sections", "mm2", "mm2", "in2"},
		{12, "m2", "thermo.conduction", "m2", "m2", "ft2"},
		{557e-6, "m3", "mechanical.sections", "cm3", "cm3", "in3"},
		{0.0248, "m3", "thermo.gas", "L", "L", "in3"},
		{8.356e-5, "m4", "mechanical.sections", "cm4", "cm4", "in4"},
		{1.2494e-6, "m6", "structural.steel", "cm6", "cm6", "in6"},
		{26689.3, "N", "mechanical.statics", "kN", "kN", "kip"},
		{12, "N", "mechanical.springs", "N", "N", "lbf"},
		{1.1e8, "Pa", "mechanical.stress", "MPa", "MPa", "ksi"},
		{2.1e11, "Pa", "mechanical.materials", "GPa", "GPa", "ksi"},
		{5e4, "Pa", "fluids.pipe", "kPa", "kPa", "psi"},
		{101325, "Pa", "thermo.gas", "kPa", "kPa", "psi"},
		{65079.3, "N m", "mechanical.statics", "kN m", "kN m", "kip ft"},
		{40, "N m", "mechanical.torsion", "N m", "N m", "lbf ft"},
		{5000, "N/m", "mechanical.statics", "kN/m", "kN/m", "lbf/ft"},
		{20e3, "N/m", "mechanical.statics", "kN/m", "kN/m", "kip/ft"},
		{20e3, "N/m", "mechanical.springs", "kN/m", "N/mm", "lbf/in"},
		{17.5e6, "N m2", "mechanical.statics", "MN m2", "MN m2", "kip in2"},
		{0.003, "rad", "mechanical.statics", "mrad", "deg", "deg"},
		{293.15, "K", "thermo.gas", "K", "degC", "degF"},
		{15, "delta K", "thermo.heat_exchanger", "K", "K", "degF"},
		{20, "degC", "electrical.basic", "K", "degC", "degF"},
		{1500, "W", "thermo.conduction", "kW", "kW", "Btu_it/h"},
		{1500, "W", "electrical.power", "kW", "kW", "kW"},
		{2.5, "m/s", "fluids.pipe", "m/s", "m/s", "ft/s"},
		{0.0005, "m3/s", "fluids.pipe", "L/s", "L/min", "gal_us/min"},
		{3, "m3/s", "fluids.open_channel", "m3/s", "m3/s", "ft3/s"},
		{998, "kg/m3", "fluids.pipe", "kg/m3", "kg/m3", "lb/ft3"},
		{0.001, "Pa s", "fluids.pipe", "mPa s", "mPa s", "cP"},
		{1e-6, "m2/s", "fluids.pipe", "mm2/s", "mm2/s", "ft2/s"},
		{0.04, "W/(m K)", "thermo.conduction", "W/(m K)", "W/(m K)", "Btu_it/(h ft degF)"},
		{3, "m2 K/W", "thermo.conduction", "m2 K/W", "m2 K/W", "h ft2 degF/Btu_it"},
		{0.5, "K/W", "thermo.conduction", "K/W", "K/W", "h degF/Btu_it"},
		{12e-6, "1/K", "mechanical.materials", "ppm/K", "ppm/K", "1/degF"},
		{1e-7, "F", "electrical.circuits", "nF", "nF", "nF"},
		{0.015, "A", "electrical.basic", "mA", "mA", "mA"},
		{4700, "ohm", "electrical.basic", "kohm", "kohm", "kohm"},
		{0.003, "ohm/m", "electrical.basic", "mohm/m", "ohm/km", "ohm/kft"},
		{1590, "Hz", "electrical.circuits", "kHz", "kHz", "kHz"},
		{400, "N s/m", "mechanical.vibration", "N s/m", "N s/m", "lbf s/in"},
		{9000, "N m/rad", "mechanical.torsion", "kN m/rad", "kN m/rad", "kip in/rad"},
		{150, "rad/s", "mechanical.vibration", "rad/s", "rad/s", "rad/s"},
		{7200, "s", "electrical.circuits", "s", "min", "min"},
	} {
		q := quantity(t, tt.id, tt.unit)
		for system, want := range map[customary.System]string{customary.SI: tt.si, customary.Metric: tt.metric, customary.US: tt.us} {
			if got := customary.NewReader(system).Unit(q, tt.x); got.ID != want {
				t.Errorf("%v %s of %s in %s: %s, want %s", tt.x, tt.unit, tt.id, system, got.ID, want)
			}
		}
	}
}

// Units follow from the units of the inputs.
func TestAsEntered(t *testing.T) {
	for _, tt := range []struct {
		entered string // with commas
		x       float64
		unit    string
		want    string
	}{
		{"ft,ksi,in4,kip", 0.00774907, "m", "in"},
		{"ft,ksi,in4,kip", 5.3, "m", "ft"},
		{"ft,ksi,in4,kip", 26689.3, "N", "kip"},
		{"ft,ksi,in4,kip", 65079.3, "N m", "kip ft"},
		{"ft,ksi,in4,kip", 5e7, "Pa", "ksi"},
		{"in,kip", 65079.3, "N m", "kip in"},
		{"in,lbf", 5e6, "Pa", "psi"},
		{"kip/ft,ft", 26689.3, "N", "kip"},
		{"kip/ft,ft", 65079.3, "N m", "kip ft"},
		{"ft", 4e5, "Pa", "psi"}, // US because of its lengths
		{"m,kN", 65079.3, "N m", "kN m"},
		{"m,kN", 5000, "N", "kN"},
		{"m,kN", 0.4, "N", "mN"},
		{"mm,GPa", 1.1e8, "Pa", "MPa"},
		{"mm", 5, "m", "mm"},
		{"mm,m", 5, "m", "m"},
		{"mm", 0.0053, "m2", "mm2"},
		{"cm", 0.0053, "m2", "cm2"},
		{"m,Pa,m4,N", 0.00774907, "m", "mm"},
		{"m,Pa,m4,N", 1.1e8, "Pa", "MPa"},
		{"degC", 350, "K", "degC"},
		{"K", 350, "K", "K"},
		{"degF", 350, "K", "degF"},
		{"degC", 20, "delta K", "K"},
		{"degF", 20, "delta K", "degF"},
		{"bar", 3e5, "Pa", "bar"},
		{"", 0.5, "rad", "deg"},
		{"kWh", 5, "kWh", "kWh"},
		{"", 5, "kWh", "kWh"},
		{"", 12, "degC", "degC"},
		{"cubit", 5, "m", "m"},
		{"ft", 0, "m", "ft"},
		{"", 0, "m", "m"},
	} {
		r := customary.NewReader(customary.AsEntered, strings.Split(tt.entered, ",")...)
		if got := r.Unit(quantity(t, "mechanical.statics", tt.unit), tt.x); got.ID != tt.want {
			t.Errorf("with %s %v %s is in %s, want %s", tt.entered, tt.x, tt.unit, got.ID, tt.want)
		}
	}
}

// TestPresets checks the units of empty fields.
func TestPresets(t *testing.T) {
	for _, tt := range []struct{ id, unit, si, metric, us string }{
		{"mechanical.statics", "m", "m", "m", "ft"},
		{"mechanical.sections", "m", "m", "mm", "in"},
		{"mechanical.statics", "Pa", "Pa", "MPa", "ksi"},
		{"fluids.pipe", "Pa", "Pa", "kPa", "psi"},
		{"thermo.heat_exchanger", "K", "K", "degC", "degF"},
		{"thermo.heat_exchanger", "delta K", "K", "K", "degF"},
		{"electrical.basic", "degC", "K", "degC", "degF"},
		{"electrical.basic", "V", "V", "V", "V"},
		{"fluids.pipe", "m3/s", "m3/s", "L/min", "gal_us/min"},
		{"fluids.open_channel", "m2", "m2", "m2", "ft2"},
		{"fluids.open_channel", "m", "m", "m", "ft"},
		{"fluids.pumps", "m", "m", "m", "ft"},
		{"mechanical.sections", "m2", "m2", "mm2", "in2"},
		{"electrical.energy", "kWh", "kWh", "kWh", "kWh"},
	} {
		q := quantity(t, tt.id, tt.unit)
		for system, want := range map[customary.System]string{customary.AsEntered: q.Unit.ID, customary.SI: tt.si, customary.Metric: tt.metric, customary.US: tt.us} {
			if got := customary.Preset(system, q); got.ID != want {
				t.Errorf("%s of %s in %q: %s, want %s", tt.unit, tt.id, system, got.ID, want)
			}
		}
	}
}

// The page does not offer a beam in nanometres.
func TestCommon(t *testing.T) {
	for _, tt := range []struct {
		x          float64
		unit, want string
	}{
		{0.00774907, "m", "in cm"},
		{6, "m", "ft cm in"},
		{1.1e8, "Pa", "ksi N/mm2"},
		{65079.3, "N m", "kip ft kgf m"},
		{20, "delta K", "degF"},
		{300, "K", "degC degF degR"},
	} {
		q := quantity(t, "mechanical.statics", tt.unit)
		r := customary.NewReader(customary.AsEntered)
		shown := r.Unit(q, tt.x)
		var ids []string
		for _, u := range r.Common(q, tt.x, shown) {
			ids = append(ids, u.ID)
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("%v %s, shown in %s, is also %s, want %s", tt.x, tt.unit, shown.ID, got, tt.want)
		}
	}
}

// Every quantity of the table has units for people, all of the same quantity. Converting a number there
// and back changes only its rounding.
func TestEveryQuantity(t *testing.T) {
	for _, name := range units.Quantities() {
		own := units.Of(name)[0].ID
		for _, id := range []string{"mechanical.statics", "mechanical.springs", "fluids.pipe", "fluids.open_channel", "thermo.gas", "electrical.energy"} {
			q := quantity(t, id, own)
			for _, system := range customary.Systems() {
				r := customary.NewReader(system)
				for _, x := range []float64{0, 1e-12, 0.0123456, 1, 54.321, 1e4, 9.87e9, -3.3} {
					u := r.Unit(q, x)
					if u.Quantity != name || customary.Preset(system, q).Quantity != name {
						t.Fatalf("%v %s in %q: %s", x, own, system, u.ID)
					}
					back, _ := units.Convert(new(big.Rat).SetFloat64(q.Convert(x, u)), u, q.Unit).Float64()
					scale := max(math.Abs(x), 1e-300)
					if u.Offset != nil {
						scale = max(scale, 500)
					}
					if math.Abs(back-x) > 1e-15*scale*8 {
						t.Errorf("%v %s is %v %s, and back %v", x, own, q.Convert(x, u), u.ID, back)
					}
				}
			}
		}
	}
}

// No number becomes too large or too small in the unit for people.
func TestEnormousNumbers(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		unit string
	}{{4e305, "m4"}, {5e-324, "N"}, {3e-308, "N"}, {1.7e308, "Pa"}} {
		q := quantity(t, "mechanical.sections", tt.unit)
		for _, system := range customary.Systems() {
			r := customary.NewReader(system, "mm", "kN", "in")
			if in := q.Convert(tt.x, r.Unit(q, tt.x)); math.IsInf(in, 0) || in < 5e-324 {
				t.Errorf("%v %s in %q is %v %s", tt.x, tt.unit, system, in, r.Unit(q, tt.x).ID)
			}
			for _, u := range r.Common(q, tt.x, q.Unit) {
				if in := q.Convert(tt.x, u); math.IsInf(in, 0) || in == 0 {
					t.Errorf("%v %s is also %v %s", tt.x, tt.unit, in, u.ID)
				}
			}
		}
	}
}

// A difference has no zero point.
func TestDifferences(t *testing.T) {
	q := quantity(t, "thermo.gas", "delta K")
	f, _ := units.Lookup("degF")
	if got := q.Convert(10, f); got != 18 {
		t.Errorf("10 K are %v degF", got)
	}
	if got := quantity(t, "thermo.gas", "K").Convert(273.15, f); got != 32 {
		t.Errorf("273.15 K is %v degF", got)
	}
}

// Zero has no size. It has the unit in which other inputs of its quantity were entered.
func TestZero(t *testing.T) {
	for _, tt := range []struct {
		system  customary.System
		entered []string
		want    string
	}{
		{customary.AsEntered, []string{"in", "ft"}, "in"}, {customary.US, []string{"in", "ft"}, "in"}, {customary.US, []string{"mm", "in"}, "in"},
		{customary.Metric, []string{"in", "mm"}, "mm"}, {customary.AsEntered, []string{"mm", "ft"}, "mm"},
	} {
		r := customary.NewReader(tt.system, tt.entered...)
		if u := r.Unit(quantity(t, "mechanical.torsion.circular_shaft", "m"), 0); u.ID != tt.want {
			t.Errorf("%s %q: 0 %s, want %s", tt.system.Key(), tt.entered, u.ID, tt.want)
		}
	}
}
