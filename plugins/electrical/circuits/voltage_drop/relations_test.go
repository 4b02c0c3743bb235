package voltage_drop

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../voltage_drop.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

// cable draws currents and lengths with few digits, so that their decimals are exact.
func cable(t *rapid.T) ask.In {
	return ask.In{
		"circuit":               rapid.SampledFrom([]string{"dc", "ac1", "ac3"}).Draw(t, "circuit"),
		"phase":                 rapid.SampledFrom([]string{"ll", "ln"}).Draw(t, "phase"),
		"current":               float64(rapid.IntRange(100, 1000<<10).Draw(t, "current")) / (1 << 10),
		"length":                float64(rapid.IntRange(100, 1000<<10).Draw(t, "length")) / (1 << 10),
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

// TestDropIsHeat has power factor 1, where the drop has no part at right angles to the
// source voltage.
func TestDropIsHeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(cable(t), ask.In{"pf": 1, "reactance_per_length": 0})
		k := 1.0
		if in["circuit"] == "ac3" {
			k = map[any]float64{"ll": math.Sqrt(3), "ln": 3}[in["phase"]]
		}
		a := ask.For(t, engine, in).Number
		if lost := k * a["voltage_drop"] * in["current"].(float64); !near(lost, a["conductor_loss"]) {
			t.Fatalf("the drop is %v W, the loss of the conductors %v W", lost, a["conductor_loss"])
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

func TestResistivityAndAreaReplaceResistance(t *testing.T) {
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

// TestTemperature compares with the linear law at power factor 1, where reactance adds nothing.
func TestTemperature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reference, operation := rapid.Float64Range(-50, 90).Draw(t, "T0"), rapid.Float64Range(-50, 150).Draw(t, "T")
		alpha := rapid.Float64Range(-1e-3, 5e-3).Draw(t, "alpha")
		in := ask.With(cable(t), ask.In{"pf": 1, "reference_temperature": reference, "temperature_coefficient": alpha})
		given := ask.For(t, engine, ask.With(in, ask.In{"conductor_temperature": reference})).Number
		corrected := ask.For(t, engine, ask.With(in, ask.In{"conductor_temperature": operation})).Number
		factor := 1 + alpha*(operation-reference)
		for _, name := range []string{"voltage_drop", "conductor_loss"} {
			if !near(corrected[name], factor*given[name]) {
				t.Fatalf("%s %v at %v degC, %v at %v degC: want a factor of %v", name, given[name], reference, corrected[name], operation, factor)
			}
		}
	})
}
