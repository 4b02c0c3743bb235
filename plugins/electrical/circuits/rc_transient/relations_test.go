package rc_transient

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../rc_transient.calc.md")

type circuit struct{ r, c, source, initial, tau float64 }

// sources are 0 or values of either sign that are not so small that results lose digits.
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

// span is the scale of rounding: the engine subtracts the decimals that are sent, this test their binary64 numbers.
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

func TestStartAndEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		if v, i := c.at(t, 0); v != c.initial || math.Abs(i*c.r-(c.source-c.initial)) > 1e-15*c.span() {
			t.Fatalf("starts with %v V and %v A", v, i)
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

func TestATransientInTwoSteps(t *testing.T) {
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

// TestEnergy integrates by Simpson's rule: the energy of the source is stored or turned into heat.
func TestEnergy(t *testing.T) {
	for _, c := range []circuit{{1e3, 1e-6, 5, 0, 1e-3}, {1e3, 1e-6, 0, 5, 1e-3}, {470, 2.2e-5, 12, -7, 470 * 2.2e-5}} {
		const steps = 200
		time := 2 * c.tau
		var supplied, heat, last float64
		for n := range steps + 1 {
			v, i := c.at(t, time*float64(n)/steps)
			weight := []float64{2, 4}[n%2]
			if n == 0 || n == steps {
				weight = 1
			}
			supplied += weight * c.source * i
			heat += weight * i * i * c.r
			last = v
		}
		supplied, heat = supplied*time/steps/3, heat*time/steps/3
		stored := c.c / 2 * (last - c.initial) * (last + c.initial)
		if scale := c.c * c.span() * c.span(); math.Abs(supplied-heat-stored) > 1e-9*scale {
			t.Errorf("%v: source %v J, heat %v J, stored %v J", c, supplied, heat, stored)
		}
	}
}
