package circular_shaft

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../circular_shaft.calc.md")

// shafts draws multiples of 1/1024, so that the decimals of sizes, torque and their multiples are exact.
func shafts(t *rapid.T) ask.In {
	whole := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, "1024 "+name) }
	outer := whole("D", 1, 1024)
	return ask.In{
		"outer_diameter": float64(outer) / 1024,
		"inner_diameter": float64(whole("d", 0, outer*99/100)) / 1024,
		"length":         float64(whole("L", 10, 100*1024)) / 1024,
		"shear_modulus":  rapid.Float64Range(1e6, 1e12).Draw(t, "G"),
		"torque":         float64(whole("T", -1e8, 1e8)) / 1024,
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestStrainMatchesTwist: the surface turns by angle*D/2 along L. Hooke's law relates this
// strain to the stress.
func TestStrainMatchesTwist(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := shafts(t)
		a := ask.For(t, engine, in).Number
		strain := a["angle_of_twist"] * in["outer_diameter"].(float64) / 2 / in["length"].(float64)
		if want := strain * in["shear_modulus"].(float64); !near(a["shear_stress_max"], want, 2e-15) {
			t.Fatalf("shear stress %v, of the strain %v", a["shear_stress_max"], want)
		}
		if got := a["torsional_stiffness"] * a["angle_of_twist"]; !near(got, in["torque"].(float64), 1e-15) {
			t.Fatalf("stiffness times angle %v, torque %v", got, in["torque"])
		}
	})
}

// TestStressSumsToTorque integrates the stress, which grows with the radius, over the
// section. Simpson's rule is exact for its cubes.
func TestStressSumsToTorque(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := shafts(t)
		tau := ask.For(t, engine, in).Number["shear_stress_max"]
		ro, ri := in["outer_diameter"].(float64)/2, in["inner_diameter"].(float64)/2
		moment := func(r float64) float64 { return tau * r / ro * 2 * math.Pi * r * r }
		if got := (ro - ri) / 6 * (moment(ri) + 4*moment((ro+ri)/2) + moment(ro)); !near(got, in["torque"].(float64), 1e-14) {
			t.Fatalf("the stress has a torque of %v, want %v", got, in["torque"])
		}
	})
}

// TestBoreIsTakenAway: the stiffnesses of a bored shaft and of its core add up to the
// stiffness of the solid shaft.
func TestBoreIsTakenAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := shafts(t)
		if in["inner_diameter"] == 0.0 {
			return
		}
		bored := ask.For(t, engine, in).Number
		solid := ask.For(t, engine, ask.With(in, ask.In{"inner_diameter": 0})).Number
		core := ask.For(t, engine, ask.With(in, ask.In{"inner_diameter": 0, "outer_diameter": in["inner_diameter"]})).Number
		for _, name := range []string{"polar_moment", "torsional_stiffness"} {
			if sum := bored[name] + core[name]; !near(sum, solid[name], 4e-16) {
				t.Fatalf("%s: %v and %v, solid %v", name, bored[name], core[name], solid[name])
			}
		}
		if math.Abs(bored["shear_stress_max"]) < math.Abs(solid["shear_stress_max"]) {
			t.Fatalf("a bore lowers the stress from %v to %v", solid["shear_stress_max"], bored["shear_stress_max"])
		}
	})
}

func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := shafts(t)
		a := ask.For(t, engine, in).Number
		b := ask.For(t, engine, ask.With(in, ask.In{"torque": -2 * in["torque"].(float64), "length": 4 * in["length"].(float64)})).Number
		if b["shear_stress_max"] != -2*a["shear_stress_max"] || b["angle_of_twist"] != -8*a["angle_of_twist"] || b["torsional_stiffness"] != a["torsional_stiffness"]/4 {
			t.Fatalf("%v, twice the torque the other way round on four times the length %v", a, b)
		}
		c := ask.For(t, engine, ask.With(in, ask.In{"outer_diameter": 2 * in["outer_diameter"].(float64), "inner_diameter": 2 * in["inner_diameter"].(float64)})).Number
		if c["polar_moment"] != 16*a["polar_moment"] || c["shear_stress_max"] != a["shear_stress_max"]/8 || c["angle_of_twist"] != a["angle_of_twist"]/16 {
			t.Fatalf("%v, twice as thick %v", a, c)
		}
	})
}
