package elastic_constants

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

var engine = ask.Document("../elastic_constants.calc.md")

var constants = []string{"elastic_modulus", "shear_modulus", "bulk_modulus", "poissons_ratio"}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestEveryPairGivesTheSameMaterial goes from one pair to all constants, and from every
// pair of those back. Rounded constants lose digits where Poisson's ratio comes close to
// the ends of its range.
func TestEveryPairGivesTheSameMaterial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		material := ask.For(t, engine, ask.In{
			"elastic_modulus": rapid.Float64Range(1e3, 1e12).Draw(t, "E"),
			"poissons_ratio":  rapid.Float64Range(-0.9, 0.49).Draw(t, "nu"),
		}).Number
		for i, a := range constants {
			for _, b := range constants[i+1:] {
				for name, got := range ask.For(t, engine, ask.In{a: material[a], b: material[b]}).Number {
					want, size := material[name], material["elastic_modulus"]
					if name == "poissons_ratio" {
						size = 1
					}
					if math.Abs(got-want) > 1e-12*max(math.Abs(want), size) {
						t.Errorf("from %s and %s: %s = %v, want %v", a, b, name, got, want)
					}
				}
			}
		}
	})
}

// TestSentConstantsComeBack: what was sent is among the results, unchanged.
func TestSentConstantsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.Float64Range(1e-3, 1e12).Draw(t, "G")
		in := map[string]float64{
			"shear_modulus":   g,
			"elastic_modulus": g * rapid.Float64Range(0.1, 2.99).Draw(t, "E/G"),
			"bulk_modulus":    g * rapid.Float64Range(0.34, 100).Draw(t, "K/G"),
			"poissons_ratio":  rapid.Float64Range(-0.99, 0.4999).Draw(t, "nu"),
		}
		for i, a := range constants {
			for _, b := range constants[i+1:] {
				out := ask.For(t, engine, ask.In{a: in[a], b: in[b]}).Number
				if out[a] != in[a] || out[b] != in[b] {
					t.Fatalf("%s and %s: %v, sent %v and %v", a, b, out, in[a], in[b])
				}
			}
		}
	})
}

// TestLameLambda compares with its own definition.
func TestLameLambda(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, nu := rapid.Float64Range(1e3, 1e12).Draw(t, "E"), rapid.Float64Range(-0.9, 0.49).Draw(t, "nu")
		a := ask.For(t, engine, ask.In{"E": e, "nu": nu}).Number
		if want := e * nu / ((1 + nu) * (1 - 2*nu)); !near(a["lame_lambda"], want, 1e-13) {
			t.Fatalf("lambda %v, want %v", a["lame_lambda"], want)
		}
	})
}

// TestStiffness compares the moduli with a cube that is pulled, sheared and squeezed.
// Pulled along x by 1, it strains by 1/E and -nu/E; its volume by (1 - 2 nu)/E = 1/(3 K).
func TestStiffness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := ask.For(t, engine, ask.In{"G": rapid.Float64Range(1, 100).Draw(t, "G"), "K": rapid.Float64Range(1, 100).Draw(t, "K")}).Number
		e, nu, k, g, lambda := a["elastic_modulus"], a["poissons_ratio"], a["bulk_modulus"], a["shear_modulus"], a["lame_lambda"]
		along, across := 1/e, -nu/e
		volume := along + 2*across
		if math.Abs(volume-1/(3*k)) > 1e-14*along {
			t.Fatalf("volume strain %v, want %v", volume, 1/(3*k))
		}
		if stress := lambda*volume + 2*g*along; !near(stress, 1, 1e-13) {
			t.Fatalf("Hooke's law gives a stress of %v along, want 1", stress)
		}
		if stress := lambda*volume + 2*g*across; math.Abs(stress) > 1e-13 {
			t.Fatalf("Hooke's law gives a stress of %v across, want 0", stress)
		}
	})
}

func TestEveryPairHasItsFormula(t *testing.T) {
	seen := map[string]bool{}
	for i, a := range constants {
		for _, b := range constants[i+1:] {
			in := ask.In{"elastic_modulus": 2.0, "shear_modulus": 1.0, "bulk_modulus": 1.0, "poissons_ratio": 0.25}
			formula := ask.For(t, engine, ask.In{a: in[a], b: in[b]}).Formula
			if seen[formula] || formula == "" {
				t.Errorf("%s and %s: formula %q", a, b, formula)
			}
			seen[formula] = true
		}
	}
}

func TestExactlyTwo(t *testing.T) {
	for set := range 16 {
		in, sent := ask.In{}, 0
		for i, name := range constants {
			if set>>i&1 == 1 {
				in[name] = 0.25
				sent++
			}
		}
		switch {
		case sent == 2:
			if _, err := ask.Try(t, engine, in); err != nil && err.(*sdk.Error).Code != "POISSONS_RATIO_OUT_OF_RANGE" {
				t.Errorf("%v: %v", in, err)
			}
		default:
			want := sdk.CodeMissingRequiredInput
			if sent > 2 {
				want = sdk.CodeConflictingInputs
			}
			if code, field := ask.Code(t, engine, in); code != want || field == "" {
				t.Errorf("%v: %s (%s), want %s", in, code, field, want)
			}
		}
	}
}
