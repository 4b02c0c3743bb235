package voltage_divider

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../voltage_divider.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func divider(t *rapid.T) ask.In {
	in := ask.In{
		"input_voltage": rapid.SampledFrom([]float64{-1, 1}).Draw(t, "sign") * rapid.Float64Range(1e-6, 1e3).Draw(t, "V"),
		"resistance_1":  rapid.Float64Range(1e-3, 1e6).Draw(t, "R1"),
		"resistance_2":  rapid.Float64Range(1e-3, 1e6).Draw(t, "R2"),
	}
	if rapid.Bool().Draw(t, "loaded") {
		in["load_resistance"] = rapid.Float64Range(1e-3, 1e6).Draw(t, "RL")
	}
	return in
}

func TestKirchhoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := divider(t)
		a := ask.For(t, engine, in).Number
		v, r1, r2 := in["input_voltage"].(float64), in["resistance_1"].(float64), in["resistance_2"].(float64)
		if got := a["input_current"]*r1 + a["output_voltage"]; !near(got, v) {
			t.Fatalf("%v: the resistors take %v V of %v V", a, got, v)
		}
		current := a["output_voltage"] / r2
		if load, ok := in["load_resistance"]; ok {
			current += a["output_voltage"] / load.(float64)
		}
		if !near(current, a["input_current"]) {
			t.Fatalf("%v: %v A leave the divider", a, current)
		}
	})
}

func TestThevenin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := divider(t)
		delete(in, "load_resistance")
		load := rapid.Float64Range(1e-3, 1e6).Draw(t, "load")
		open, loaded := ask.For(t, engine, in).Number, ask.For(t, engine, ask.With(in, ask.In{"load_resistance": load})).Number
		if want := open["output_voltage"] * load / (open["thevenin_resistance"] + load); !near(loaded["output_voltage"], want) {
			t.Fatalf("with %v ohm %v V, by the equivalent source %v V", load, loaded["output_voltage"], want)
		}
		if math.Abs(loaded["output_voltage"]) > math.Abs(open["output_voltage"]) {
			t.Fatalf("a load raises the voltage from %v V to %v V", open["output_voltage"], loaded["output_voltage"])
		}
		if far := ask.For(t, engine, ask.With(in, ask.In{"load_resistance": 1e30})).Number; !near(far["output_voltage"], open["output_voltage"]) {
			t.Fatalf("a load of 1e30 ohm gives %v V, no load %v V", far["output_voltage"], open["output_voltage"])
		}
	})
}

func TestScalingAndExchange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := divider(t)
		a := ask.For(t, engine, in).Number
		if twice := ask.For(t, engine, ask.With(in, ask.In{"input_voltage": 2 * in["input_voltage"].(float64)})).Number; twice["output_voltage"] != 2*a["output_voltage"] {
			t.Fatalf("%v, from twice the voltage %v", a, twice)
		}
		larger := maps.Clone(in)
		for name, r := range in {
			if name != "input_voltage" {
				larger[name] = 2 * r.(float64)
			}
		}
		if b := ask.For(t, engine, larger).Number; b["output_voltage"] != a["output_voltage"] || b["input_current"] != a["input_current"]/2 {
			t.Fatalf("%v, with twice the resistances %v", a, b)
		}
		delete(in, "load_resistance")
		one := ask.For(t, engine, in).Number
		other := ask.For(t, engine, ask.With(in, ask.In{"resistance_1": in["resistance_2"], "resistance_2": in["resistance_1"]})).Number
		if !near(one["output_voltage"]+other["output_voltage"], in["input_voltage"].(float64)) || one["thevenin_resistance"] != other["thevenin_resistance"] {
			t.Fatalf("%v, exchanged %v", one, other)
		}
	})
}
