package ohms_law

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

var engine = ask.Document("../ohms_law.calc.md")

var quantities = []string{"voltage", "current", "resistance", "power"}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-15*max(math.Abs(a), math.Abs(b)) }

func TestEveryPairGivesTheSameCircuit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		circuit := ask.For(t, engine, ask.In{
			"current":    rapid.Float64Range(1e-6, 1e6).Draw(t, "I"),
			"resistance": rapid.Float64Range(1e-6, 1e6).Draw(t, "R"),
		}).Number
		if v, p := circuit["current"]*circuit["resistance"], circuit["voltage"]*circuit["current"]; !near(v, circuit["voltage"]) || !near(p, circuit["power"]) {
			t.Fatalf("%v: V is not I R, or P is not V I", circuit)
		}
		for i, a := range quantities {
			for _, b := range quantities[i+1:] {
				for name, got := range ask.For(t, engine, ask.In{a: circuit[a], b: circuit[b]}).Number {
					if !near(got, circuit[name]) {
						t.Errorf("from %s and %s: %s = %v, want %v", a, b, name, got, circuit[name])
					}
				}
			}
		}
	})
}

func TestOtherSign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		other := rapid.SampledFrom([]string{"resistance", "power"}).Draw(t, "other")
		known := rapid.SampledFrom([]string{"voltage", "current"}).Draw(t, "known")
		x, y := rapid.Float64Range(1e-3, 1e3).Draw(t, "x"), rapid.Float64Range(1e-3, 1e3).Draw(t, "y")
		a := ask.For(t, engine, ask.In{known: x, other: y}).Number
		b := ask.For(t, engine, ask.In{known: -x, other: y}).Number
		if a["voltage"] != -b["voltage"] || a["current"] != -b["current"] || a["power"] != b["power"] || a["resistance"] != b["resistance"] {
			t.Fatalf("%v, and with the other sign %v", a, b)
		}
	})
}

func TestExactlyTwo(t *testing.T) {
	for set := range 16 {
		in, sent := ask.In{}, 0
		for i, name := range quantities {
			if set>>i&1 == 1 {
				in[name] = 4.0
				sent++
			}
		}
		want := ""
		switch {
		case sent < 2:
			want = sdk.CodeMissingRequiredInput
		case sent > 2:
			want = sdk.CodeConflictingInputs
		}
		if want == "" {
			ask.For(t, engine, in)
		} else if code, field := ask.Code(t, engine, in); code != want || field == "" {
			t.Errorf("%v: %s (%s), want %s", in, code, field, want)
		}
	}
}
