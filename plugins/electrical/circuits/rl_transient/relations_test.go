package rl_transient

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../rl_transient.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

type circuit struct{ r, l, source, initial, tau float64 }

// sources are 0 or values of either sign that are not so small that results lose digits.
var sources = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-100, -1e-9), rapid.Float64Range(1e-9, 100))

func circuits(t *rapid.T) circuit {
	c := circuit{
		r: rapid.Float64Range(0.01, 1e4).Draw(t, "R"), l: rapid.Float64Range(1e-6, 10).Draw(t, "L"),
		source: sources.Draw(t, "Vs"), initial: sources.Draw(t, "I0"),
	}
	c.tau = c.l / c.r
	return c
}

func (c circuit) at(t ask.Tester, time float64) (current, voltage float64) {
	t.Helper()
	a := ask.For(t, engine, ask.In{"resistance": c.r, "inductance": c.l, "source_voltage": c.source, "initial_current": c.initial, "time": time}).Number
	return a["current"], a["inductor_voltage"]
}

// span is the scale of voltages.
func (c circuit) span() float64 { return math.Abs(c.source) + math.Abs(c.initial)*c.r }

func TestKirchhoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		i, v := c.at(t, rapid.Float64Range(0, 20).Draw(t, "t/tau")*c.tau)
		if sum := i*c.r + v; math.Abs(sum-c.source) > 1e-15*c.span() {
			t.Fatalf("%v V at the resistance and %v V at the inductance, source %v V", i*c.r, v, c.source)
		}
	})
}

func TestStartAndEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		if i, v := c.at(t, 0); i != c.initial || math.Abs(v-(c.source-c.initial*c.r)) > 1e-15*c.span() {
			t.Fatalf("starts with %v A and %v V", i, v)
		}
		if i, v := c.at(t, 1000*c.tau); !near(i*c.r, c.source) || math.Abs(v) > 1e-300 {
			t.Fatalf("ends with %v A and %v V", i, v)
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
		if one, _ := c.at(t, first+second); math.Abs(two-one)*c.r > 4e-15*c.span() {
			t.Fatalf("in two steps %v A, in one %v A", two, one)
		}
	})
}

// TestSuperposition adds the current by the source to the current that decays from its initial value.
func TestSuperposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		time := rapid.Float64Range(0, 5).Draw(t, "t/tau") * c.tau
		driven, free := c, c
		driven.initial, free.source = 0, 0
		a, _ := driven.at(t, time)
		b, _ := free.at(t, time)
		if both, _ := c.at(t, time); math.Abs(a+b-both)*c.r > 1e-15*c.span() {
			t.Fatalf("%v A by the source, %v A of the initial current, both %v A", a, b, both)
		}
	})
}

// TestEnergy integrates by Simpson's rule: the energy of the source is stored or turned into heat.
func TestEnergy(t *testing.T) {
	for _, c := range []circuit{{10, 0.5, 12, 0, 0.05}, {10, 0.5, 0, 3, 0.05}, {0.7, 0.033, -5, 2, 0.033 / 0.7}} {
		const steps = 200
		time := 2 * c.tau
		var supplied, heat, last float64
		for n := range steps + 1 {
			i, _ := c.at(t, time*float64(n)/steps)
			weight := []float64{2, 4}[n%2]
			if n == 0 || n == steps {
				weight = 1
			}
			supplied += weight * c.source * i
			heat += weight * i * i * c.r
			last = i
		}
		supplied, heat = supplied*time/steps/3, heat*time/steps/3
		stored := c.l / 2 * (last - c.initial) * (last + c.initial)
		if scale := c.l * c.span() * c.span() / c.r / c.r; math.Abs(supplied-heat-stored) > 1e-9*scale {
			t.Errorf("%v: source %v J, heat %v J, stored %v J", c, supplied, heat, stored)
		}
	}
}
