package friction_factor

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../friction_factor.calc.md")

func darcy(t ask.Tester, in ask.In) float64 {
	t.Helper()
	return ask.For(t, engine, in).Number["darcy_friction_factor"]
}

// reynoldsNumbers draws Reynolds numbers evenly by magnitude.
func reynoldsNumbers(t *rapid.T, from, to float64) float64 {
	return math.Pow(10, rapid.Float64Range(math.Log10(from), math.Log10(to)).Draw(t, "log10 Re"))
}

func TestColebrookIsSolved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		re, eps := reynoldsNumbers(t, 1, 1e12), rapid.Float64Range(0, 0.05).Draw(t, "eps")
		f := darcy(t, ask.In{"reynolds": re, "relative_roughness": eps, "method": "colebrook"})
		root := math.Sqrt(f)
		if residue := 1 + 2*root*math.Log10(eps/3.7+2.51/(re*root)); math.Abs(residue) > 4e-15 {
			t.Fatalf("Re %v, eps %v: f = %v leaves %v", re, eps, f, residue)
		}
	})
}

func TestMoreFlowLessFrictionAndMoreRoughnessMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		re, eps := reynoldsNumbers(t, 4000, 1e9), rapid.Float64Range(0, 0.045).Draw(t, "eps")
		f := darcy(t, ask.In{"reynolds": re, "relative_roughness": eps})
		if faster := darcy(t, ask.In{"reynolds": 1.001 * re, "relative_roughness": eps}); faster > f || eps == 0 && faster == f {
			t.Fatalf("Re %v: f = %v, and %v at more", re, f, faster)
		}
		if rougher := darcy(t, ask.In{"reynolds": re, "relative_roughness": eps + 0.001}); rougher <= f {
			t.Fatalf("eps %v: f = %v, and %v with a rougher wall", eps, f, rougher)
		}
		if rough := 1 / math.Pow(2*math.Log10(3.7/max(eps, 1e-300)), 2); eps > 0 && f <= rough*(1-1e-15) {
			t.Fatalf("f = %v is below its limit %v for ever faster flow", f, rough)
		}
	})
}

func TestFullyRough(t *testing.T) {
	for _, eps := range []float64{1e-6, 1e-3, 0.05} {
		want := 1 / math.Pow(2*math.Log10(3.7/eps), 2)
		if got := darcy(t, ask.In{"reynolds": 1e300, "relative_roughness": eps}); math.Abs(got-want) > 1e-15*want {
			t.Errorf("eps %v: %v, want the limit %v", eps, got, want)
		}
	}
}

func TestLaminarIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		re := rapid.Float64Range(1e-3, math.Nextafter(2300, 0)).Draw(t, "Re")
		a := ask.For(t, engine, ask.In{"reynolds": re, "relative_roughness": rapid.Float64Range(0, 0.05).Draw(t, "eps")})
		if got := a.Number["darcy_friction_factor"]; got != 64/re || a.Text["method"] != "laminar" {
			t.Fatalf("f(%v) = %v by %s, want %v", re, got, a.Text["method"], 64/re)
		}
	})
}

func TestWarnsBetweenTheRegimesOnly(t *testing.T) {
	for re, want := range map[float64]bool{math.Nextafter(2300, 0): false, 2300: true, math.Nextafter(4000, 0): true, 4000: false} {
		for _, method := range []string{"auto", "laminar", "colebrook"} {
			_, got := ask.For(t, engine, ask.In{"reynolds": re, "method": method}).Warnings["TRANSITIONAL_FLOW"]
			if got != want {
				t.Errorf("Re %v by %s: warned %v, want %v", re, method, got, want)
			}
		}
	}
}
