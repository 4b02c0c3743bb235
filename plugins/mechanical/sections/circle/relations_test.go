package circle

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../circle.calc.md")

func of(t ask.Tester, outer, inner float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"outer_diameter": outer, "inner_diameter": inner}).Number
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestScaling uses whole numbers below 2^53, because their decimals are exact.
func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outer := rapid.IntRange(1, 1<<30).Draw(t, "D")
		inner := rapid.IntRange(0, outer-1).Draw(t, "d")
		shift := rapid.IntRange(0, 20).Draw(t, "shift")
		small, large := of(t, float64(outer), float64(inner)), of(t, float64(outer<<shift), float64(inner<<shift))
		for name, power := range map[string]int{"area": 2, "second_moment": 4, "polar_moment": 4, "section_modulus": 3, "plastic_modulus": 3, "radius_of_gyration": 1} {
			if want := math.Ldexp(small[name], power*shift); large[name] != want {
				t.Fatalf("%s of 2^%d the size: %v, want %v", name, shift, large[name], want)
			}
		}
	})
}

// TestTubeIsCircleLessHole compares the sums with two solid sections, and the other results with
// their definitions.
func TestTubeIsCircleLessHole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outer := rapid.Float64Range(0.01, 10).Draw(t, "D")
		inner := outer * rapid.Float64Range(0.001, 0.999).Draw(t, "d/D")
		tube, whole, hole := of(t, outer, inner), of(t, outer, 0), of(t, inner, 0)
		for _, name := range []string{"area", "second_moment", "polar_moment", "plastic_modulus"} {
			if want := whole[name] - hole[name]; math.Abs(tube[name]-want) > 4e-16*whole[name] {
				t.Fatalf("%s %v, circle %v less hole %v", name, tube[name], whole[name], hole[name])
			}
		}
		if tube["polar_moment"] != 2*tube["second_moment"] {
			t.Fatalf("polar moment %v, second moment %v", tube["polar_moment"], tube["second_moment"])
		}
		if want := tube["section_modulus"] * outer / 2; !near(tube["second_moment"], want, 1e-15) {
			t.Fatalf("second moment %v, from the modulus %v", tube["second_moment"], want)
		}
		if r := tube["radius_of_gyration"]; !near(tube["second_moment"], r*r*tube["area"], 2e-15) {
			t.Fatalf("second moment %v, from the radius of gyration %v", tube["second_moment"], r*r*tube["area"])
		}
	})
}

// TestThinTube compares a wall of t at the mean diameter D with pi D t, pi D^3 t/8 and D^2 t.
func TestThinTube(t *testing.T) {
	const wall = 9e-16 // the shortest decimal of 1 - 2 wall is exact
	a := of(t, 1, 1-2*wall)
	for name, want := range map[string]float64{
		"area": math.Pi * wall, "second_moment": math.Pi * wall / 8, "plastic_modulus": wall, "radius_of_gyration": math.Sqrt2 / 4,
	} {
		if !near(a[name], want, 1e-14) {
			t.Errorf("%s %v, want %v", name, a[name], want)
		}
	}
}
