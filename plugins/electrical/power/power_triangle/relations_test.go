package power_triangle

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

var engine = ask.Document("../power_triangle.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

var quantities = []string{"active_power", "reactive_power", "apparent_power", "pf"}

func TestEveryPairGivesTheSameTriangle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, angle := rapid.Float64Range(1e-3, 1e6).Draw(t, "S"), rapid.Float64Range(0.3, 1.3).Draw(t, "angle") // where rounding grows little
		triangle := ask.For(t, engine, ask.In{"active_power": s * math.Cos(angle), "reactive_power": s * math.Sin(angle)}).Number
		if !near(triangle["apparent_power"], s) || !near(triangle["phase_angle"], angle) {
			t.Fatalf("%v: not %v V A at %v rad", triangle, s, angle)
		}
		for i, a := range quantities {
			for _, b := range quantities[i+1:] {
				for name, got := range ask.For(t, engine, ask.In{a: triangle[a], b: triangle[b]}).Number {
					if !near(got, triangle[name]) {
						t.Errorf("from %s and %s: %s = %v, want %v", a, b, name, got, triangle[name])
					}
				}
			}
		}
	})
}

// TestRightTriangle uses whole watts, so that their decimals are exact.
func TestRightTriangle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{}
		for _, name := range rapid.Permutation(quantities).Draw(t, "pair")[:2] {
			switch name {
			case "apparent_power":
				in[name] = float64(rapid.IntRange(1e9, 10e9).Draw(t, name))
			case "pf":
				in[name] = rapid.Float64Range(1e-9, 0.999).Draw(t, name)
			default:
				in[name] = float64(rapid.IntRange(1, 0.999e9).Draw(t, name))
			}
		}
		a := ask.For(t, engine, in).Number
		if got := math.Hypot(a["active_power"], a["reactive_power"]); !near(got, a["apparent_power"]) {
			t.Fatalf("%v: P and Q give S = %v", a, got)
		}
		if got := a["apparent_power"] * math.Cos(a["phase_angle"]); math.Abs(got-a["active_power"]) > 1e-15*a["apparent_power"] {
			t.Fatalf("%v: S cos(phi) = %v", a, got)
		}
		twice := maps.Clone(in)
		for name, x := range in {
			if name != "pf" {
				twice[name] = 2 * x.(float64)
			}
		}
		if b := ask.For(t, engine, twice).Number; b["pf"] != a["pf"] || b["phase_angle"] != a["phase_angle"] || b["active_power"] != 2*a["active_power"] {
			t.Fatalf("%v, and of twice the size %v", a, b)
		}
	})
}

func TestLeadingMirrorsLagging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		other := rapid.SampledFrom([]string{"active_power", "apparent_power", "pf"}).Draw(t, "other")
		x, q := rapid.Float64Range(0.5, 0.9).Draw(t, other), rapid.Float64Range(0.1, 0.4).Draw(t, "Q")
		lag, lead := ask.For(t, engine, ask.In{other: x, "reactive_power": q}).Number, ask.For(t, engine, ask.In{other: x, "reactive_power": -q}).Number
		lead["reactive_power"], lead["phase_angle"] = -lead["reactive_power"], -lead["phase_angle"]
		if !maps.Equal(lag, lead) {
			t.Fatalf("lagging %v, leading mirrored %v", lag, lead)
		}
	})
}

func TestExactlyTwo(t *testing.T) {
	for set := range 16 {
		in, sent := ask.In{}, 0
		for i, name := range quantities {
			if set>>i&1 == 1 {
				in[name] = 0.5
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
