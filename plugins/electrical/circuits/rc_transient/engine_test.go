package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

type circuit struct{ r, c, source, initial, tau float64 }

// sources are values of either sign, and none; not so small that results lose digits.
var sources = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-100, -1e-9), rapid.Float64Range(1e-9, 100))

func circuits(t *rapid.T) circuit {
	c := circuit{
		r: rapid.Float64Range(1, 1e6).Draw(t, "R"), c: rapid.Float64Range(1e-9, 1e-2).Draw(t, "C"),
		source: sources.Draw(t, "Vs"), initial: sources.Draw(t, "V0"),
	}
	c.tau = c.r * c.c
	return c
}

func (c circuit) at(t ask.Tester, time float64) (voltage, current float64) {
	t.Helper()
	a := ask.For(t, engine, ask.In{"resistance": c.r, "capacitance": c.c, "source_voltage": c.source, "initial_voltage": c.initial, "time": time}).Number
	return a["capacitor_voltage"], a["current"]
}

func (c circuit) span() float64 { return math.Abs(c.source) + math.Abs(c.initial) }

func TestKirchhoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		v, i := c.at(t, rapid.Float64Range(0, 20).Draw(t, "t/tau")*c.tau)
		if sum := i*c.r + v; math.Abs(sum-c.source) > 1e-15*c.span() {
			t.Fatalf("%v V at the resistor and %v V at the capacitor, source %v V", i*c.r, v, c.source)
		}
	})
}

func TestBeginningAndEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		if v, i := c.at(t, 0); v != c.initial || !near(i*c.r, c.source-c.initial) {
			t.Fatalf("begins with %v V and %v A", v, i)
		}
		if v, i := c.at(t, 1000*c.tau); v != c.source || math.Abs(i) > 1e-300 {
			t.Fatalf("ends with %v V and %v A", v, i)
		}
		v, _ := c.at(t, c.tau)
		if done := (v - c.initial) * math.E; math.Abs(done-(math.E-1)*(c.source-c.initial)) > 1e-14*c.span() {
			t.Fatalf("after one time constant %v V", v)
		}
	})
}

func TestATransientGoesOnFromWhereItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		first, second := rapid.Float64Range(0, 3).Draw(t, "first")*c.tau, rapid.Float64Range(0, 3).Draw(t, "second")*c.tau
		later := c
		later.initial, _ = c.at(t, first)
		two, _ := later.at(t, second)
		if one, _ := c.at(t, first+second); math.Abs(two-one) > 4e-15*c.span() {
			t.Fatalf("in two steps %v V, in one %v V", two, one)
		}
	})
}

// TestEnergy integrates by Simpson's rule: what the source gives is stored or turned
// into heat.
func TestEnergy(t *testing.T) {
	for _, c := range []circuit{{1e3, 1e-6, 5, 0, 1e-3}, {1e3, 1e-6, 0, 5, 1e-3}, {470, 2.2e-5, 12, -7, 470 * 2.2e-5}} {
		const steps = 200
		time := 2 * c.tau
		var given, heat, last float64
		for n := range steps + 1 {
			v, i := c.at(t, time*float64(n)/steps)
			weight := []float64{2, 4}[n%2]
			if n == 0 || n == steps {
				weight = 1
			}
			given += weight * c.source * i
			heat += weight * i * i * c.r
			last = v
		}
		given, heat = given*time/steps/3, heat*time/steps/3
		stored := c.c / 2 * (last - c.initial) * (last + c.initial)
		if scale := c.c * c.span() * c.span(); math.Abs(given-heat-stored) > 1e-9*scale {
			t.Errorf("%v: source %v J, heat %v J, stored %v J", c, given, heat, stored)
		}
	}
}

func TestFigureIsTheResponse(t *testing.T) {
	for _, time := range []float64{0, 1, 30} {
		in := ask.In{"resistance": 1e4, "capacitance": 1e-4, "source_voltage": 5, "initial_voltage": -2, "time": time}
		figure, want := look.At(t, engine, "response", in), ask.For(t, engine, in).Number["capacitor_voltage"]
		if p := figure.Points[0]; p.X != time || math.Abs(p.Y-want) > 1e-14 {
			t.Errorf("marked (%v, %v), want (%v, %v)", p.X, p.Y, time, want)
		}
		curve, end := figure.Curves[0], len(figure.Curves[0].X)-1
		if curve.X[0] != 0 || curve.Y[0] != -2 || curve.X[end] != max(5, 1.2*time) || curve.Y[end] >= 5 {
			t.Errorf("from (%v, %v) to (%v, %v)", curve.X[0], curve.Y[0], curve.X[end], curve.Y[end])
		}
		for n := 1; n <= end; n++ {
			if curve.Y[n] < curve.Y[n-1] {
				t.Errorf("the voltage falls at %v s", curve.X[n])
			}
		}
		if tau := figure.Curves[2]; tau.X[0] != 1 || tau.X[1] != 1 || tau.Y[0] != -2 || tau.Y[1] != 5 {
			t.Errorf("time constant drawn at %v, %v", tau.X, tau.Y)
		}
	}
}

func BenchmarkCalculate(b *testing.B) {
	values := value.Values{value.NumberOf(1e4), value.NumberOf(1e-4), value.NumberOf(5), value.NumberOf(0), value.NumberOf(1)}
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}
