package kva_amps

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../kva_amps.calc.md")

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-15*max(math.Abs(a), math.Abs(b)) }

func circuits(t *rapid.T) ask.In {
	return ask.In{
		"circuit": rapid.SampledFrom([]string{"ac1", "ac3"}).Draw(t, "circuit"),
		"phase":   rapid.SampledFrom([]string{"ll", "ln"}).Draw(t, "phase"),
		"volts":   rapid.Float64Range(1, 1e5).Draw(t, "volts"),
		"primary": rapid.Float64Range(1e-3, 1e5).Draw(t, "primary"),
	}
}

func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := circuits(t)
		there := ask.For(t, engine, in).Number
		back := ask.For(t, engine, ask.With(in, ask.In{"dir": "amps_to_kva", "primary": there["amps"]})).Number
		if !near(back["kva"], there["kva"]) || back["amps"] != there["amps"] {
			t.Fatalf("%v, and back %v", there, back)
		}
	})
}

func TestCurrentOfRelatedCircuits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := circuits(t)
		amps := func(more ask.In) float64 { return ask.For(t, engine, ask.With(in, more)).Number["amps"] }
		single, neutral, line := amps(ask.In{"circuit": "ac1"}), amps(ask.In{"circuit": "ac3", "phase": "ln"}), amps(ask.In{"circuit": "ac3", "phase": "ll"})
		if !near(3*neutral, single) || !near(math.Sqrt(3)*line, single) {
			t.Fatalf("single phase %v A, three phases %v A (to neutral), %v A (between lines)", single, neutral, line)
		}
		volts, primary := in["volts"].(float64), in["primary"].(float64)
		if once, twice := amps(nil), amps(ask.In{"primary": 2 * primary}); twice != 2*once {
			t.Fatalf("twice the power draws %v A, not twice %v A", twice, once)
		}
		if once, half := amps(nil), amps(ask.In{"volts": 2 * volts}); half != once/2 {
			t.Fatalf("at twice the voltage %v A, not half of %v A", half, once)
		}
	})
}

func TestWhatIsFilledInIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		in          ask.In
		assumptions []string
	}{
		"single phase":    {ask.In{}, nil},
		"no phase":        {ask.In{"circuit": "3"}, []string{"The voltage is taken as the line-to-line voltage.", "The three-phase system is balanced and sinusoidal."}},
		"line to neutral": {ask.In{"circuit": "3", "phase": "ln"}, []string{"volts is the line-to-neutral voltage.", "The three-phase system is balanced and sinusoidal."}},
	} {
		if got := ask.For(t, engine, ask.With(ask.In{"primary": 1, "volts": 230}, c.in)).Assumptions; !slices.Equal(got, c.assumptions) {
			t.Errorf("%s: %q, want %q", name, got, c.assumptions)
		}
	}
}
