package main

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/circuit"
	"github.com/slipstick/slipstick/sdk"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func cable(t *rapid.T) ask.In {
	return ask.In{
		"circuit":               rapid.SampledFrom([]string{"dc", "ac1", "ac3"}).Draw(t, "circuit"),
		"phase":                 rapid.SampledFrom([]string{"ll", "ln"}).Draw(t, "phase"),
		"current":               rapid.Float64Range(0.1, 1e3).Draw(t, "current"),
		"length":                rapid.Float64Range(0.1, 1e3).Draw(t, "length"),
		"resistance_per_length": rapid.Float64Range(1e-6, 1e-2).Draw(t, "r"),
		"reactance_per_length":  rapid.Float64Range(0, 1e-3).Draw(t, "x"),
		"source_voltage":        rapid.Float64Range(1, 1e5).Draw(t, "V"),
		"conductor_temperature": rapid.Float64Range(-50, 150).Draw(t, "T"),
	}
}

func TestKirchhoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := cable(t)
		a, source := ask.For(t, engine, in).Number, in["source_voltage"].(float64)
		if sum := a["voltage_drop"] + a["load_voltage"]; math.Abs(sum-source) > 4e-16*(source+a["voltage_drop"]) {
			t.Fatalf("%v: drop and load add up to %v V", a, sum)
		}
		if !near(a["percent"]*source, 100*a["voltage_drop"]) {
			t.Fatalf("%v of %v V", a, source)
		}
	})
}

// TestWhatTheLoadMissesIsHeat holds at power factor 1, where the drop has no part
// across the source voltage.
func TestWhatTheLoadMissesIsHeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(cable(t), ask.In{"pf": 1, "reactance_per_length": 0})
		k := map[string]float64{"dc": 1, "ac1": 1, "ac3": math.Sqrt(3)}[in["circuit"].(string)]
		if in["circuit"] == "ac3" && in["phase"] == "ln" {
			k = 3
		}
		a := ask.For(t, engine, in).Number
		if missing := k * a["voltage_drop"] * in["current"].(float64); !near(missing, a["conductor_loss"]) {
			t.Fatalf("the load misses %v W, the conductors take %v W", missing, a["conductor_loss"])
		}
	})
}

func TestLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := cable(t)
		drop := func(more ask.In) float64 { return ask.For(t, engine, ask.With(in, more)).Number["voltage_drop"] }
		one := drop(nil)
		for _, name := range []string{"current", "length"} {
			if two := drop(ask.In{name: 2 * in[name].(float64)}); two != 2*one {
				t.Fatalf("twice the %s drops %v V, not twice %v V", name, two, one)
			}
		}
		resistive, reactive := drop(ask.In{"reactance_per_length": 0}), drop(ask.In{"resistance_per_length": 0})
		if !near(resistive+reactive, one) {
			t.Fatalf("resistance %v V, reactance %v V, both %v V", resistive, reactive, one)
		}
	})
}

func TestEveryCircuitHasItsFormula(t *testing.T) {
	seen := map[string]bool{}
	for _, by := range []ask.In{{"resistance_per_length": 5e-3}, {"resistivity": 2e-8, "area": 4e-6}} {
		for _, c := range []ask.In{{"circuit": "dc"}, {"circuit": "1"}, {"circuit": "3"}, {"circuit": "3", "phase": "ln"}} {
			in := ask.With(ask.With(ask.In{"current": 1, "length": 1, "source_voltage": 100}, by), c)
			formula := ask.For(t, engine, in).Formula
			if seen[formula] {
				t.Errorf("%v: formula %q is another circuit's", in, formula)
			}
			seen[formula] = true
		}
	}
}

func TestResistivityStandsForResistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := cable(t)
		rho, area := rapid.Float64Range(1e-8, 1e-6).Draw(t, "rho"), rapid.Float64Range(1e-7, 1e-3).Draw(t, "A")
		direct := ask.For(t, engine, ask.With(in, ask.In{"resistance_per_length": rho / area})).Number
		delete(in, "resistance_per_length")
		for name, got := range ask.For(t, engine, ask.With(in, ask.In{"resistivity": rho, "area": area})).Number {
			if math.Abs(got-direct[name]) > 1e-15*(math.Abs(got)+direct["voltage_drop"]) {
				t.Fatalf("%s = %v by resistivity, %v by resistance", name, got, direct[name])
			}
		}
	})
}

func TestRelatedCircuits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(cable(t), ask.In{"pf": rapid.Float64Range(0.1, 1).Draw(t, "pf")})
		of := func(more ask.In) map[string]float64 { return ask.For(t, engine, ask.With(in, more)).Number }
		single, line, neutral := of(ask.In{"circuit": "1"}), of(ask.In{"circuit": "3", "phase": "ll"}), of(ask.In{"circuit": "3", "phase": "ln"})
		if !near(single["voltage_drop"], 2*neutral["voltage_drop"]) || !near(line["voltage_drop"], math.Sqrt(3)*neutral["voltage_drop"]) {
			t.Fatalf("single phase %v, between lines %v, to neutral %v", single, line, neutral)
		}
		if !near(3*single["conductor_loss"], 2*line["conductor_loss"]) || line["conductor_loss"] != neutral["conductor_loss"] {
			t.Fatalf("losses: single phase %v, between lines %v, to neutral %v", single, line, neutral)
		}
		if at := of(ask.In{"circuit": "3", "phase": "ll", "source_voltage": math.Sqrt(3) * in["source_voltage"].(float64)}); !near(at["percent"], neutral["percent"]) {
			t.Fatalf("one cable drops %v %% between lines and %v %% to neutral", at["percent"], neutral["percent"])
		}
		direct, alternating := of(ask.In{"circuit": "dc"}), of(ask.In{"circuit": "1", "pf": 1, "reactance_per_length": 0})
		if !maps.Equal(direct, alternating) {
			t.Fatalf("dc %v, alternating with power factor 1 %v", direct, alternating)
		}
	})
}

func TestWarningsBeginAboveTheirLimits(t *testing.T) {
	for percent, want := range map[float64]map[string]sdk.Severity{
		2:   {},
		3:   {},
		4:   {above3: sdk.Info},
		5:   {above3: sdk.Info},
		6:   {above3: sdk.Info, above5: sdk.Caution},
		100: {above3: sdk.Info, above5: sdk.Caution},
		101: {above3: sdk.Info, above5: sdk.Caution, belowZero: sdk.Critical},
	} {
		a := ask.For(t, engine, ask.In{"circuit": "dc", "current": percent, "length": 1, "resistance_per_length": 0.5, "source_voltage": 100, "conductor_temperature": 20})
		if a.Number["percent"] != percent || !maps.Equal(a.Warnings, want) {
			t.Errorf("%v %%: %v, warnings %v, want %v", percent, a.Number, a.Warnings, want)
		}
	}
}

func TestDirectCurrentIsTold(t *testing.T) {
	a := ask.For(t, engine, ask.In{"circuit": "dc", "current": 1, "length": 1, "resistivity": 2e-8, "area": 4e-6, "reactance_per_length": 3, "source_voltage": 100, "pf": 0.5})
	want := []string{
		"temperature_coefficient 0.00393 1/K assumed, that of copper at 20 degC",
		"The resistance per length at 20 degC is resistivity/area = 0.005 ohm/m.",
		"The resistance per length at 75 degC is 1.21615 times that at 20 degC: 0.00608075 ohm/m.",
		"reactance_per_length is given and does nothing to direct current.",
	}
	if _, ignored := a.Warnings[circuit.PowerFactorIgnored]; !ignored || !slices.Equal(a.Assumptions, want) || a.Echo["pf"] != 0.5 {
		t.Errorf("warnings %v, assumptions %q, pf %v", a.Warnings, a.Assumptions, a.Echo["pf"])
	}
}

// TestTemperature: the drop, but for what the reactance adds, and the heat follow the linear law. What is given at the
// temperature of the conductors is not corrected, whatever the coefficient.
func TestTemperature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reference, operation := rapid.Float64Range(-50, 90).Draw(t, "T0"), rapid.Float64Range(-50, 150).Draw(t, "T")
		alpha := rapid.Float64Range(-1e-3, 5e-3).Draw(t, "alpha")
		in := ask.With(cable(t), ask.In{"pf": 1, "reference_temperature": reference, "temperature_coefficient": alpha})
		given := ask.For(t, engine, ask.With(in, ask.In{"conductor_temperature": reference}))
		corrected := ask.For(t, engine, ask.With(in, ask.In{"conductor_temperature": operation}))
		factor := 1 + alpha*(operation-reference)
		for _, name := range []string{"voltage_drop", "conductor_loss"} {
			if !near(corrected.Number[name], factor*given.Number[name]) {
				t.Fatalf("%s %v at %v degC, %v at %v degC: want a factor of %v", name, given.Number[name], reference, corrected.Number[name], operation, factor)
			}
		}
		if !slices.ContainsFunc(given.Assumptions, func(text string) bool { return strings.HasSuffix(text, "and is not corrected.") }) {
			t.Fatalf("assumptions %q do not say that nothing is corrected", given.Assumptions)
		}
		delete(in, "temperature_coefficient")
		if again := ask.For(t, engine, ask.With(in, ask.In{"conductor_temperature": reference})).Number; !maps.Equal(again, given.Number) {
			t.Fatalf("without a coefficient %v, with one %v", again, given.Number)
		}
	})
}

// TestReactanceIsToldWhereItDoesNothing: that is beside direct current, if there is some.
func TestReactanceIsToldWhereItDoesNothing(t *testing.T) {
	const told = "reactance_per_length is given and does nothing to direct current."
	for _, c := range []struct {
		circuit   string
		reactance float64
		want      bool
	}{{"dc", 1, true}, {"dc", 0, false}, {"ac_single_phase", 2, false}} {
		a := ask.For(t, engine, ask.In{"circuit": c.circuit, "current": 7, "length": 1, "resistance_per_length": 0.5, "source_voltage": 100, "reactance_per_length": c.reactance})
		if slices.Contains(a.Assumptions, told) != c.want {
			t.Errorf("%+v: assumptions %q", c, a.Assumptions)
		}
	}
}
