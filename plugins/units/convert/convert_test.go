// Package convert tests what all conversions have in common.
package convert

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// equal is an amount that is exactly another one in a second unit, by definition.
type equal struct {
	a, from string
	want    float64
	to      string
}

var definitions = map[string][]equal{
	"angle": {
		{"90", "deg", 100, "grad"}, {"1", "rev", 360, "deg"}, {"1", "deg", 60, "arcmin"},
		{"1", "arcmin", 60, "arcsec"}, {"1", "rad", 1000, "mrad"}, {"180", "deg", 3.141592653589793, "rad"},
	},
	"area": {
		{"144", "in2", 1, "ft2"}, {"43560", "ft2", 1, "acre"}, {"640", "acre", 1, "mi2"}, {"1", "ha", 10000, "m2"}, {"1000", "cmil", 1, "kcmil"}, {"1", "kcmil", 0.5067074790974978, "mm2"},
	},
	"energy": {
		{"1", "kWh", 3.6, "MJ"}, {"1000", "Wh", 1, "kWh"}, {"1", "cal_th", 4.184, "J"},
		{"1", "kcal_it", 4186.8, "J"}, {"1", "Btu_it", 1055.05585262, "J"}, {"1000", "kBtu_it", 1, "MMBtu_it"}, {"12", "in lbf", 1, "ft lbf"},
	},
	"force": {
		{"1000", "lbf", 1, "kip"}, {"1", "kgf", 9.80665, "N"}, {"1", "lbf", 4.4482216152605, "N"},
		{"16", "ozf", 1, "lbf"}, {"1", "tonf_us", 2, "kip"}, {"1", "tf", 9806.65, "N"},
	},
	"length": {
		{"12", "in", 1, "ft"}, {"3", "ft", 1, "yd"}, {"5280", "ft", 1, "mi"}, {"1", "nmi", 1852, "m"}, {"0.1", "m", 100, "mm"}, {"1000", "mil", 1, "in"}, {"1000", "uin", 1, "mil"},
	},
	"line_load": {{"1", "lbf/in", 12, "lbf/ft"}, {"1", "kip/ft", 1000, "lbf/ft"}, {"1", "N/mm", 1, "kN/m"}, {"1", "kN/mm", 1, "MN/m"}},
	"mass": {
		{"16", "oz", 1, "lb"}, {"1", "lb", 0.45359237, "kg"}, {"2000", "lb", 1, "ton_us"}, {"2240", "lb", 1, "ton_imp"}, {"7000", "gr", 1, "lb"}, {"1000", "ug", 1, "mg"},
	},
	"power": {
		{"12000", "Btu_it/h", 1, "ton_refrigeration"}, {"1", "hp", 745.6998715822702, "W"},
		{"1", "hp_metric", 735.49875, "W"}, {"1000", "kW", 1, "MW"}, {"12", "kBtu_it/h", 1, "ton_refrigeration"}, {"550", "ft lbf/s", 1, "hp"}, {"1000", "uW", 1, "mW"},
	},
	"pressure": {
		{"760", "torr", 1, "atm"}, {"1", "atm", 101325, "Pa"}, {"1", "bar", 100, "kPa"},
		{"1000", "psi", 1, "ksi"}, {"144", "psf", 1, "psi"}, {"1", "N/mm2", 1, "MPa"},
		{"1000", "ksi", 1, "Msi"}, {"1", "ksf", 1000, "psf"}, {"1", "tonf_us/ft2", 2, "ksf"}, {"1", "inHg", 25.4, "mmHg"},
		{"1", "mH2O", 9.80665, "kPa"}, {"1", "inH2O", 25.4, "mmH2O"}, {"1", "ftH2O", 12, "inH2O"},
	},
	"second_moment_of_area": {{"1", "cm4", 10000, "mm4"}, {"20736", "in4", 1, "ft4"}, {"1", "in4", 41.62314256, "cm4"}},
	"speed":                 {{"1", "kn", 1.852, "km/h"}, {"36", "km/h", 10, "m/s"}, {"15", "mph", 22, "ft/s"}, {"60", "ft/min", 1, "ft/s"}, {"12", "in/s", 1, "ft/s"}, {"3", "km/h", 50, "m/min"}, {"100", "cm/s", 1, "m/s"}},
	"temperature": {
		{"72", "degF", 22.22222222222222, "degC"}, {"0", "degC", 32, "degF"}, {"100", "degC", 212, "degF"},
		{"-273.15", "degC", 0, "K"}, {"-459.67", "degF", 0, "K"}, {"-40", "degC", -40, "degF"}, {"9", "degR", 5, "K"},
	},
	"torque": {
		{"12", "lbf.in", 1, "lbf.ft"}, {"12", "lbf in", 1, "lbf ft"}, {"1000", "lbf.ft", 1, "kip.ft"}, {"1", "kgf.m", 9.80665, "N.m"}, {"16", "ozf.in", 1, "lbf.in"}, {"100", "N.cm", 1, "N.m"}, {"100", "kgf.cm", 1, "kgf.m"},
	},
	"volume": {
		{"231", "in3", 1, "gal_us"}, {"27", "ft3", 1, "yd3"}, {"1", "m3", 1000, "L"}, {"1", "cm3", 1, "mL"}, {"1", "gal_imp", 4.54609, "L"},
		{"4", "qt_us", 1, "gal_us"}, {"2", "pt_us", 1, "qt_us"}, {"16", "floz_us", 1, "pt_us"}, {"1", "bbl", 42, "gal_us"},
		{"1", "acre.ft", 43560, "ft3"}, {"1000", "uL", 1, "mL"},
	},
}

func of(quantity string) sdk.Engine { return ask.Document(quantity + ".calc.md") }

// Every conversion agrees with the table of units, with the definitions of units, and with what is true of
// every conversion. The current version of a converter has every unit of its quantity. A new unit in the table needs a new
// minor version of the converter.
func TestConversions(t *testing.T) {
	for quantity, list := range definitions {
		t.Run(quantity, func(t *testing.T) {
			c := &conversion{engine: of(quantity)}
			spec := c.engine.Spec()
			for _, id := range spec.Inputs[spec.Input("from")].Enum {
				u, known := units.Lookup(id)
				if !known || u.Quantity != quantity {
					t.Errorf("%s is not a unit of %s", id, quantity)
				}
				c.units = append(c.units, u)
			}
			if got, want := ids(c.units), ids(units.Of(quantity)); !slices.Equal(got, want) {
				t.Errorf("the units are %q, want %q", got, want)
			}
			for _, e := range list {
				got := ask.For(t, c.engine, ask.In{"a": e.a, "from": e.from, "to": e.to}).Number["value"]
				if got != e.want {
					t.Errorf("%s %s = %v %s, want %v", e.a, e.from, got, e.to, e.want)
				}
			}
			for name, relation := range map[string]func(*rapid.T){
				"rounded once": c.roundedOnce, "identity": c.identity, "there and back": c.thereAndBack,
				"detours": c.detours, "order": c.order,
			} {
				t.Run(name, func(t *testing.T) { rapid.Check(t, relation) })
			}
		})
	}
}

// ids returns the sorted ids of units.
func ids(list []units.Unit) []string {
	var names []string
	for _, u := range list {
		names = append(names, u.ID)
	}
	slices.Sort(names)
	return names
}

type conversion struct {
	engine sdk.Engine
	units  []units.Unit
}

func (c *conversion) unit(t *rapid.T, name string) units.Unit {
	return rapid.SampledFrom(c.units).Draw(t, name)
}

// value draws a number that is legal in any unit: temperatures must not be negative.
func (c *conversion) value(t *rapid.T) float64 {
	v := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 100_000), func(i int) float64 { return float64(i) / 100 }),
		rapid.Float64Range(1e-6, 1e6), rapid.Float64Range(1e-250, 1e250),
	).Draw(t, "value")
	if c.units[0].Quantity != "temperature" && rapid.Bool().Draw(t, "negative") {
		return -v
	}
	return v
}

func (c *conversion) ask(t *rapid.T, a any, from, to units.Unit) float64 {
	return ask.For(t, c.engine, ask.In{"a": a, "from": from.ID, "to": to.ID}).Number["value"]
}

// roundedOnce compares numbers and decimal strings with the rational arithmetic of the table.
func (c *conversion) roundedOnce(t *rapid.T) {
	from, to, a := c.unit(t, "from"), c.unit(t, "to"), c.value(t)
	text := strconv.FormatFloat(a, 'e', -1, 64)
	decimal, _ := new(big.Rat).SetString(text)
	number := decimal
	if c.engine.Spec().Evaluation == sdk.Binary64Inputs {
		number = new(big.Rat).SetFloat64(a)
	}
	for sent, exact := range map[any]*big.Rat{a: number, text: decimal} {
		want, _ := units.Convert(exact, from, to).Float64()
		got := c.ask(t, sent, from, to)
		if got != want {
			t.Fatalf("%v %s = %v %s, want %v", sent, from.ID, got, to.ID, want)
		}
	}
}

func (c *conversion) identity(t *rapid.T) {
	unit, a := c.unit(t, "unit"), c.value(t)
	got := c.ask(t, a, unit, unit)
	if got != a {
		t.Fatalf("%v %s = %v %s", a, unit.ID, got, unit.ID)
	}
}

// near allows n roundings, of numbers that are larger by the offset than the compared ones.
func near(got, want float64, n int, offset *big.Rat) bool {
	size := math.Abs(want)
	if offset != nil {
		zero, _ := offset.Float64()
		size += zero
	}
	return math.Abs(got-want) <= float64(n)*0x1p-52*size
}

func (c *conversion) thereAndBack(t *rapid.T) {
	from, to, a := c.unit(t, "from"), c.unit(t, "to"), c.value(t)
	there := c.ask(t, a, from, to)
	back := c.ask(t, there, to, from)
	if !near(back, a, 2, c.offset()) {
		t.Fatalf("%v %s = %v %s = %v %s", a, from.ID, there, to.ID, back, from.ID)
	}
}

func (c *conversion) detours(t *rapid.T) {
	from, via, to, a := c.unit(t, "from"), c.unit(t, "via"), c.unit(t, "to"), c.value(t)
	direct := c.ask(t, a, from, to)
	detour := c.ask(t, c.ask(t, a, from, via), via, to)
	if !near(detour, direct, 3, c.offset()) {
		t.Fatalf("%v %s = %v %s, and by way of %s %v", a, from.ID, direct, to.ID, via.ID, detour)
	}
}

// offset is the largest offset of the units, or nil if they have none.
func (c *conversion) offset() *big.Rat {
	var largest *big.Rat
	for _, u := range c.units {
		if u.Offset != nil && (largest == nil || u.Offset.Cmp(largest) > 0) {
			largest = u.Offset
		}
	}
	return largest
}

func (c *conversion) order(t *rapid.T) {
	from, to, a, b := c.unit(t, "from"), c.unit(t, "to"), c.value(t), c.value(t)
	x, y := c.ask(t, min(a, b), from, to), c.ask(t, max(a, b), from, to)
	if x > y {
		t.Fatalf("%v %s = %v %s, but %v %s = %v %s", min(a, b), from.ID, x, to.ID, max(a, b), from.ID, y, to.ID)
	}
}

func TestUnitsOfTheQuantityOnly(t *testing.T) {
	spec := of("torque").Spec()
	from := spec.Inputs[spec.Input("from")]
	for text, want := range map[string]string{"lbf.ft": "lbf.ft", "lbf ft": "lbf.ft", "N m": "N.m", "N": "", "lbf-ft": ""} {
		got, ok := from.EnumValue(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q is the unit %q, %t, want %q", text, got, ok, want)
		}
	}
}

// Each unit is defined once, also if it is both units of the conversion.
func TestDefinitionsAreStated(t *testing.T) {
	for _, c := range []struct {
		quantity, from, to string
		want               []string
	}{
		{"pressure", "psi", "Pa", []string{"1 psi is 4.4482216152605/0.00064516 Pa, exactly."}},
		{"angle", "deg", "grad", []string{"1 deg is pi/180 rad, exactly.", "1 grad is pi/200 rad, exactly."}},
		{"temperature", "degF", "degC", []string{"x degF is (x + 459.67)*5/9 K, exactly.", "x degC is (x + 273.15)*1 K, exactly."}},
		{"torque", "N.m", "N.m", nil},
		{"length", "ft", "ft", []string{"1 ft is 0.3048 m, exactly."}},
		{"length", "ft", "m", []string{"1 ft is 0.3048 m, exactly."}},
	} {
		got := ask.For(t, of(c.quantity), ask.In{"a": 1, "from": c.from, "to": c.to}).Assumptions
		if !slices.Equal(got, c.want) {
			t.Errorf("%s from %s to %s: %q, want %q", c.quantity, c.from, c.to, got, c.want)
		}
	}
}

// The rejection names the amount as it was sent, and what is possible.
func TestBelowAbsoluteZero(t *testing.T) {
	for sent, want := range map[any][3]string{-1: {"K", "-1 K", "at least 0 K"}, "-300.50": {"degC", "-300.5 degC", "at least -273.15 degC"}} {
		_, err := ask.Try(t, of("temperature"), ask.In{"a": sent, "from": want[0], "to": "degF"})
		e, ok := err.(*sdk.Error)
		if !ok || !strings.Contains(e.Detail, want[1]) || !strings.Contains(e.Suggestion, want[2]) {
			t.Errorf("%v %s: %+v", sent, want[0], err)
		}
	}
}
