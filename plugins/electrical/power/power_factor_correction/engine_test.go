package main

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func correct(t ask.Tester, in ask.In) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, in).Number
}

func TestTheLoadGetsTheWantedPowerFactor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(1, 1e6).Draw(t, "P")
		a := rapid.Float64Range(0.1, 0.9).Draw(t, "before")
		b := rapid.Float64Range(a, 0.95).Draw(t, "after")
		q := correct(t, ask.In{"active_power": p, "pf_initial": a, "pf_target": b})["capacitor_var"]
		left := p*math.Sqrt((1-a)*(1+a))/a - q
		if got := p / math.Hypot(p, left); math.Abs(got-b) > 1e-14 {
			t.Fatalf("%v var leave the power factor %v, want %v", q, got, b)
		}
		if q < 0 {
			t.Fatalf("%v var", q)
		}
	})
}

func TestStepsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(0.1, 0.5).Draw(t, "a")
		b := rapid.Float64Range(0.6, 0.7).Draw(t, "b")
		c := rapid.Float64Range(0.8, 1).Draw(t, "c")
		step := func(from, to float64) float64 {
			return correct(t, ask.In{"active_power": 1000, "pf_initial": from, "pf_target": to})["capacitor_var"]
		}
		if two, one := step(a, b)+step(b, c), step(a, c); !near(two, one) {
			t.Fatalf("in two steps %v var, in one %v var", two, one)
		}
		if step(a, a) != 0 || step(1, 1) != 0 {
			t.Fatal("what needs no correction gets one")
		}
	})
}

func TestCapacitorsOfRelatedCircuits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{"active_power": 1e4, "pf_initial": 0.7, "pf_target": 0.95, "volts": rapid.Float64Range(1, 1e5).Draw(t, "volts"), "frequency": rapid.Float64Range(10, 100).Draw(t, "f")}
		of := func(more ask.In) map[string]float64 {
			out := maps.Clone(in)
			maps.Copy(out, more)
			return correct(t, out)
		}
		single := of(nil)
		f, v, c := in["frequency"].(float64), in["volts"].(float64), single["capacitance"]
		if got := 2 * math.Pi * f * c * v * v; !near(got, single["capacitor_var"]) {
			t.Fatalf("%v F at %v V take %v var, want %v", c, v, got, single["capacitor_var"])
		}
		wye, delta := of(ask.In{"circuit": "3", "connection": "wye"})["capacitance"], of(ask.In{"circuit": "3"})["capacitance"]
		if wye != c || !near(3*delta, c) {
			t.Fatalf("single phase %v F, wye %v F, delta %v F", c, wye, delta)
		}
		for _, connection := range []string{"wye", "delta"} {
			line := of(ask.In{"circuit": "3", "connection": connection, "volts": math.Sqrt(3) * v})["capacitance"]
			if neutral := of(ask.In{"circuit": "3", "connection": connection, "phase": "ln"})["capacitance"]; !near(neutral, line) {
				t.Fatalf("%s: %v F by the voltage to neutral, %v F by that between lines", connection, neutral, line)
			}
		}
		if half := of(ask.In{"frequency": 2 * f})["capacitance"]; half != c/2 {
			t.Fatalf("at twice the frequency %v F, not half of %v F", half, c)
		}
	})
}

func TestWhatIsFilledInIsSaid(t *testing.T) {
	load := ask.In{"active_power": 1, "pf_initial": 0.7, "pf_target": 0.95, "circuit": "3"}
	if a := ask.For(t, engine, load); len(a.Assumptions) != 1 || a.Echo["connection"] != nil || a.Echo["phase"] != nil {
		t.Errorf("without volts: %q, echo %v", a.Assumptions, a.Echo)
	}
	load["volts"] = 400
	if a := ask.For(t, engine, load); len(a.Assumptions) != 3 || a.Echo["connection"] != "delta" || a.Echo["phase"] != "line_to_line" || a.Echo["frequency"] != 50.0 {
		t.Errorf("with volts: %q, echo %v", a.Assumptions, a.Echo)
	}
}

func TestFigureHasBothTriangles(t *testing.T) {
	in := ask.In{"active_power": 3000, "pf_initial": 0.6, "pf_target": 0.8}
	figure, q := look.At(t, engine, "triangle", in), correct(t, in)["capacitor_var"]
	before, after := figure.Points[0], figure.Points[1]
	if before.X != 3000 || after.X != 3000 || !near(before.Y, 4000) || !near(after.Y, 2250) || !near(before.Y-after.Y, q) {
		t.Errorf("points %v, capacitors %v var", figure.Points, q)
	}
	for _, c := range figure.Curves[:2] {
		if c.X[0] != 0 || c.Y[0] != 0 {
			t.Errorf("%s begins at (%v, %v)", c.Label, c.X[0], c.Y[0])
		}
	}
	if c := figure.Curves[4]; c.Label != "capacitors = 1750 var" || c.Y[0] != after.Y || c.Y[1] != before.Y {
		t.Errorf("capacitors are %v", c)
	}
}
