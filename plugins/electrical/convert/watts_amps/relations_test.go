package watts_amps

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../watts_amps.calc.md")

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
