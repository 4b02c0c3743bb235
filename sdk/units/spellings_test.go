package units_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

// Each spelling means its own unit, and no spelling means two units of a quantity. The list is
// large enough for the texts that engineers type.
func TestSpellings(t *testing.T) {
	total := 0
	for _, quantity := range units.Quantities() {
		seen := map[string]string{}
		for _, s := range units.Spellings(quantity) {
			total++
			u, ok := units.Spelled(s.Text, quantity)
			if !ok || u.ID != s.Unit || s.Source == "" {
				t.Errorf("%q of %s is %q, want %q", s.Text, quantity, u.ID, s.Unit)
			}
			if other := seen[s.Text]; other != "" && other != s.Unit {
				t.Errorf("%q of %s is %s and %s", s.Text, quantity, other, s.Unit)
			}
			seen[s.Text] = s.Unit
		}
		for _, u := range units.Of(quantity) {
			if got, ok := units.Spelled(u.ID, quantity); !ok || got.ID != u.ID {
				t.Errorf("%q of %s is %q", u.ID, quantity, got.ID)
			}
		}
	}
	if total < 300 {
		t.Errorf("%d spellings, want at least 300", total)
	}
	t.Log(total, "spellings")
}

// The factors are from the definitions of the units, and not from the table. They are inch 0.0254 m, pound
// 0.45359237 kg, standard gravity 9.80665 m/s2, gallon 231 in3 and Btu 1055.05585262 J.
func TestSpelledFactors(t *testing.T) {
	for _, c := range []struct{ text, quantity, want string }{
		{"gpm", "volumetric_flow", "0.0000630901964"}, {"GPM", "volumetric_flow", "0.0000630901964"}, {"gal/min", "volumetric_flow", "0.0000630901964"},
		{"gallons per minute", "volumetric_flow", "0.0000630901964"}, {"cfm", "volumetric_flow", "28316846592/60000000000000"},
		{"cfs", "volumetric_flow", "0.028316846592"}, {"cubic feet per second", "volumetric_flow", "0.028316846592"}, {"cu ft/min", "volumetric_flow", "28316846592/60000000000000"},
		{"l/s", "volumetric_flow", "0.001"}, {"lps", "volumetric_flow", "0.001"}, {"LPM", "volumetric_flow", "1/60000"}, {"mgd", "volumetric_flow", "3785.411784/86400"},
		{"gph", "volumetric_flow", "0.003785411784/3600"}, {"cubic meters per hour", "volumetric_flow", "1/3600"}, {"m^3/hr", "volumetric_flow", "1/3600"},
		{"klf", "line_load", "4448.2216152605/0.3048"}, {"k/ft", "line_load", "4448.2216152605/0.3048"}, {"plf", "line_load", "4.4482216152605/0.3048"},
		{"lb/ft", "line_load", "4.4482216152605/0.3048"}, {"lbs/in", "line_load", "4.4482216152605/0.0254"}, {"pounds per linear foot", "line_load", "4.4482216152605/0.3048"},
		{"KIPS/FT", "line_load", "4448.2216152605/0.3048"}, {"psf", "pressure", "4.4482216152605/0.09290304"}, {"lb/sq ft", "pressure", "4.4482216152605/0.09290304"},
		{"ksf", "pressure", "4448.2216152605/0.09290304"}, {"msi", "pressure", "4448221.6152605/0.00064516"}, {"Msi", "pressure", "4448221.6152605/0.00064516"},
		{"PSI", "pressure", "4.4482216152605/0.00064516"}, {"lb/in2", "pressure", "4.4482216152605/0.00064516"}, {"lb/in²", "pressure", "4.4482216152605/0.00064516"},
		{"pounds per square inch", "pressure", "4.4482216152605/0.00064516"}, {"inHg", "pressure", "3386.388640341"}, {"in. Hg", "pressure", "3386.388640341"},
		{"in H2O", "pressure", "249.08891"}, {"in. w.c.", "pressure", "249.08891"}, {"mH2O", "pressure", "9806.65"}, {"ft H2O", "pressure", "2989.06692"}, {"kg/cm2", "pressure", "98066.5"},
		{"tsf", "pressure", "8896.443230521/0.09290304"}, {"N/m2", "pressure", "1"}, {"kilonewtons per square metre", "pressure", "1000"},
		{"ft-lb", "torque", "1.3558179483314004"}, {"ft lb", "torque", "1.3558179483314004"}, {"lb-ft", "torque", "1.3558179483314004"}, {"lbf-ft", "torque", "1.3558179483314004"},
		{"ft lbf", "torque", "1.3558179483314004"}, {"ft·lbf", "torque", "1.3558179483314004"}, {"foot-pounds", "energy", "1.3558179483314004"}, {"ft-lb", "energy", "1.3558179483314004"},
		{"in-lb", "torque", "4.4482216152605*0.0254"}, {"oz-in", "torque", "4.4482216152605*0.0254/16"}, {"N-m", "torque", "1"}, {"kN-m", "torque", "1000"}, {"kip-ft", "torque", "4448.2216152605*0.3048"},
		{"k-ft", "torque", "4448.2216152605*0.3048"}, {"FT-KIPS", "torque", "4448.2216152605*0.3048"}, {"newton meters", "torque", "1"},
		{"feet", "length", "0.3048"}, {"foot", "length", "0.3048"}, {"FT", "length", "0.3048"}, {"inches", "length", "0.0254"}, {"In.", "length", "0.0254"}, {"meters", "length", "1"}, {"Metre", "length", "1"},
		{"mil", "length", "0.0000254"}, {"thou", "length", "0.0000254"}, {"microns", "length", "0.000001"}, {"millimeters", "length", "0.001"}, {"'", "length", "0.3048"}, {"\"", "length", "0.0254"},
		{"square feet", "area", "0.09290304"}, {"sq. ft.", "area", "0.09290304"}, {"SQFT", "area", "0.09290304"}, {"ft^2", "area", "0.09290304"}, {"acres", "area", "4046.8564224"},
		{"cubic yards", "volume", "0.764554857984"}, {"gal", "volume", "0.003785411784"}, {"fl oz", "volume", "0.0000295735295625"}, {"fl. oz.", "volume", "0.0000295735295625"}, {"quarts", "volume", "0.000946352946"},
		{"pint", "volume", "0.000473176473"}, {"barrels", "volume", "0.158987294928"}, {"acre-feet", "volume", "1233.48183754752"}, {"cc", "volume", "0.000001"}, {"liters", "volume", "0.001"},
		{"lb", "mass", "0.45359237"}, {"lbs", "mass", "0.45359237"}, {"lb", "force", "4.4482216152605"}, {"Pounds", "force", "4.4482216152605"}, {"kips", "force", "4448.2216152605"}, {"k", "force", "4448.2216152605"},
		{"tonf", "force", "8896.443230521"}, {"oz", "mass", "0.028349523125"}, {"grains", "mass", "0.00006479891"}, {"kilonewton", "force", "1000"},
		{"HP", "power", "745.69987158227022"}, {"PS", "power", "735.49875"}, {"BTU/hr", "power", "1055.05585262/3600"}, {"MBH", "power", "1055055.85262/3600"}, {"tons", "power", "12660670.23144/3600"}, {"ft-lb/s", "power", "1.3558179483314004"},
		{"Btu", "energy", "1055.05585262"}, {"MMBtu", "energy", "1055055852.62"}, {"kilowatt-hours", "energy", "3600000"},
		{"fpm", "speed", "0.00508"}, {"fps", "speed", "0.3048"}, {"miles per hour", "speed", "0.44704"}, {"kph", "speed", "1/3.6"}, {"knots", "speed", "1852/3600"},
		{"F", "temperature", "5/9"}, {"deg F", "temperature", "5/9"}, {"degrees F", "temperature", "5/9"}, {"Fahrenheit", "temperature", "5/9"}, {"C", "temperature", "1"}, {"R", "temperature", "5/9"},
		{"F", "capacitance", "1"}, {"n", "capacitance", "1e-9"}, {"µ", "capacitance", "1e-6"}, {"ohms", "resistance", "1"}, {"k", "resistance", "1000"}, {"meg", "resistance", "1000000"}, {"M", "resistance", "1000000"}, {"R", "resistance", "1"}, {"MΩ", "resistance", "1000000"},
		{"k", "frequency", "1000"}, {"pcf", "density", "0.45359237/0.028316846592"}, {"lb/cu ft", "density", "0.45359237/0.028316846592"}, {"ppg", "density", "0.45359237/0.003785411784"},
		{"1/degC", "temperature_coefficient", "1"}, {"per °F", "temperature_coefficient", "9/5"}, {"in/in/F", "temperature_coefficient", "9/5"}, {"ppm/C", "temperature_coefficient", "1e-6"},
		{"BTU/(hr-ft2-F)", "heat_transfer_coefficient", "1055.05585262/3600/0.09290304*1.8"}, {"Btu/h-ft2-F", "heat_transfer_coefficient", "1055.05585262/3600/0.09290304*1.8"}, {"W/m²·K", "heat_transfer_coefficient", "1"},
		{"Btu/hr ft F", "thermal_conductivity", "1055.05585262/3600/0.3048*1.8"}, {"Btu-in/(hr-ft2-F)", "thermal_conductivity", "1055.05585262/3600*0.0254/0.09290304*1.8"}, {"W/mK", "thermal_conductivity", "1"},
		{"ft2-hr-F/Btu", "thermal_insulance", "3600*0.09290304/1055.05585262/1.8"}, {"kcmil", "area", "0.0254*0.0000254/4"}, {"MCM", "area", "0.0254*0.0000254/4"},
		{"RPM", "angular_speed", "1/30"}, {"rev/min", "angular_speed", "1/30"}, {"°", "angle", "1/180"}, {"degrees", "angle", "1/180"}, {"hours", "time", "3600"}, {"hr", "time", "3600"}, {"ohms/1000 ft", "resistance_per_length", "1/304.8"},
		{"centipoise", "dynamic_viscosity", "0.001"}, {"footcandles", "illuminance", "1/0.09290304"}, {"lb-s/in", "damping", "4.4482216152605/0.0254"},
	} {
		want := big.NewRat(1, 1)
		divides := false
		for text := c.want; text != ""; {
			end := strings.IndexAny(text, "*/")
			if end < 0 {
				end = len(text)
			}
			if divides {
				want.Quo(want, rat(text[:end]))
			} else {
				want.Mul(want, rat(text[:end]))
			}
			if end == len(text) {
				break
			}
			divides, text = text[end] == '/', text[end+1:]
		}
		if u, ok := units.Spelled(c.text, c.quantity); !ok || u.Quantity != c.quantity || u.Factor.Cmp(want) != 0 {
			t.Errorf("%q of %s is %q, want a factor of %s", c.text, c.quantity, u.ID, c.want)
		}
	}
}

// A text that does not decide between units is not a spelling, and has several units to choose from.
func TestUnclear(t *testing.T) {
	for text, quantity := range map[string]string{"ton": "mass", "kg": "force", "cal": "energy", "oz": "volume", "m": "resistance", "MBtu": "energy"} {
		ids := units.Unclear(text, quantity)
		for _, id := range ids {
			if u := lookup(t, id); u.Quantity != quantity {
				t.Errorf("%s of %s can be %s of %s", text, quantity, id, u.Quantity)
			}
		}
		if u, ok := units.Spelled(text, quantity); ok || len(ids) < 2 {
			t.Errorf("%s of %s: %v, and spelled %q", text, quantity, ids, u.ID)
		}
	}
	if ids := units.Unclear("kN", "force"); ids != nil {
		t.Errorf("kN can be %v", ids)
	}
}

// A text with several meanings, or with another prefix, is not a spelling.
func TestNotSpelled(t *testing.T) {
	for quantity, texts := range map[string]string{
		"pressure": "mn/m2|MSI/in|mpsi|mpa|mPa|MPA|psig|kpa g|N/mm3|lb/ft|kg/m2", "mass": "ton|tons|kip|M|G", "force": "KN|Kn|kn|kg|ton|tons|t|m|mn", "energy": "cal|kcal|calorie|BTU/h|MBtu|N m|ft|therm",
		"length": "M|mm2|MM|Mm|m m|C|F|minutes|nM", "power": "bhp|mw|MWh|Ws", "resistance": "MOHMS|m|milli|mohn|K ohm m", "voltage": "M|K", "frequency": "m|mhz|MHZ", "area": "cm|m|CM|square", "volume": "oz|cup|ft|cubic",
		"torque": "nm|NM|knm|J|mNm|MNM|ft lb lb|ft/lb", "temperature": "degC degC|/F|F C|m", "time": "m|S|ks", "angular_speed": "Hz|1/min|rad", "thermal_conductance": "W/m2 K", "density": "lbf/ft3|kg", "capacitance": "m F|M|P|N", "": "ft",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			if u, ok := units.Spelled(text, quantity); ok {
				t.Errorf("%q of %s is %q, want none", text, quantity, u.ID)
			}
		}
	}
}
