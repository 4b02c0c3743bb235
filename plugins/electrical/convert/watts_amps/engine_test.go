package main

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/circuit"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

// circuits draws any circuit with a power factor where there is one.
func circuits(t *rapid.T) ask.In {
	in := ask.In{
		"circuit": rapid.SampledFrom([]string{"dc", "ac1", "ac3"}).Draw(t, "circuit"),
		"phase":   rapid.SampledFrom([]string{"ll", "ln"}).Draw(t, "phase"),
		"volts":   rapid.Float64Range(1, 1e5).Draw(t, "volts"),
		"primary": rapid.Float64Range(1e-3, 1e5).Draw(t, "primary"),
	}
	if in["circuit"] != "dc" {
		in["pf"] = rapid.Float64Range(0.01, 1).Draw(t, "pf")
	}
	return in
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-15*max(math.Abs(a), math.Abs(b)) }

func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := circuits(t)
		there := ask.For(t, engine, in).Number
		back := ask.For(t, engine, ask.With(in, ask.In{"dir": "amps_to_watts", "primary": there["amps"]})).Number
		for name, want := range there {
			if !near(back[name], want) {
				t.Fatalf("%v, and back %v", there, back)
			}
		}
		if there["volt_amperes"] < there["watts"] {
			t.Fatalf("apparent power is less than active power: %v", there)
		}
	})
}

func TestCurrentOfRelatedCircuits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := circuits(t)
		amps := func(more ask.In) float64 { return ask.For(t, engine, ask.With(in, more)).Number["amps"] }
		if dc, single := amps(ask.In{"circuit": "dc"}), amps(ask.In{"circuit": "ac1", "pf": 1}); dc != single {
			t.Fatalf("dc %v A, single phase with power factor 1 %v A", dc, single)
		}
		single, neutral, line := amps(ask.In{"circuit": "ac1"}), amps(ask.In{"circuit": "ac3", "phase": "ln"}), amps(ask.In{"circuit": "ac3", "phase": "ll"})
		if !near(3*neutral, single) || !near(math.Sqrt(3)*line, single) {
			t.Fatalf("single phase %v A, three phases %v A (to neutral), %v A (between lines)", single, neutral, line)
		}
		worse := amps(ask.In{"circuit": "ac3", "pf": 0.005})
		if better := amps(ask.In{"circuit": "ac3"}); worse < better {
			t.Fatalf("a worse power factor draws less: %v A, not %v A", worse, better)
		}
	})
}

func TestWhatIsFilledInIsSaid(t *testing.T) {
	load := ask.In{"primary": 100, "volts": 10}
	for name, c := range map[string]struct {
		in          ask.In
		phase, pf   any
		assumptions []string
	}{
		"dc":              {ask.In{}, nil, nil, nil},
		"dc with phase":   {ask.In{"phase": "ll"}, "line_to_line", nil, nil},
		"single phase":    {ask.In{"circuit": "1", "pf": 0.5}, nil, 0.5, nil},
		"no power factor": {ask.In{"circuit": "1"}, nil, 1.0, []string{"power factor 1 assumed"}},
		"no phase":        {ask.In{"circuit": "3", "pf": 1}, "line_to_line", 1.0, []string{"line-to-line voltage assumed", "The three-phase system is balanced and sinusoidal."}},
		"ac, three":       {ask.In{"circuit": "ac", "phase": "three", "pf": 1}, "three", 1.0, []string{"line-to-line voltage assumed", "The three-phase system is balanced and sinusoidal."}},
		"all said":        {ask.In{"circuit": "3", "phase": "neutral", "pf": 1}, "line_to_neutral", 1.0, []string{"volts is the line-to-neutral voltage.", "The three-phase system is balanced and sinusoidal."}},
	} {
		a := ask.For(t, engine, ask.With(load, c.in))
		if a.Echo["phase"] != c.phase || a.Echo["pf"] != c.pf || !slices.Equal(a.Assumptions, c.assumptions) {
			t.Errorf("%s: phase %v, pf %v, %q, want phase %v, pf %v, %q", name, a.Echo["phase"], a.Echo["pf"], a.Assumptions, c.phase, c.pf, c.assumptions)
		}
	}
}

func TestPowerFactorOfDirectCurrentIsIgnored(t *testing.T) {
	for _, pf := range []float64{0.5, 1, 0, -1, 7} {
		a := ask.For(t, engine, ask.In{"primary": 60, "volts": 12, "pf": pf})
		if _, ok := a.Warnings[circuit.PowerFactorIgnored]; !ok || a.Number["amps"] != 5 || a.Echo["pf"] != pf {
			t.Errorf("pf %v: %v, warnings %v, echo %v", pf, a.Number, a.Warnings, a.Echo["pf"])
		}
	}
}
