package sdof

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../sdof.calc.md")

func of(t ask.Tester, k, m, c float64) ask.Answer {
	t.Helper()
	return ask.For(t, engine, ask.In{"stiffness": k, "mass": m, "damping": c})
}

// damping draws zero or a number that is not tiny, so that ratios do not underflow.
func damping(t *rapid.T) float64 { return float64(rapid.IntRange(0, 4<<20).Draw(t, "c")) * 0x1p-20 }

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestConsistency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, m := rapid.Float64Range(1e-3, 1e9).Draw(t, "k"), rapid.Float64Range(1e-3, 1e6).Draw(t, "m")
		c := math.Sqrt(k*m) * damping(t)
		a := of(t, k, m, c)
		n, wn, zeta := a.Number, a.Number["natural_angular_frequency"], a.Number["damping_ratio"]
		if !near(k, m*wn*wn, 1e-15) || !near(wn, 2*math.Pi*n["natural_frequency"], 1e-15) {
			t.Fatalf("wn = %v, fn = %v of k = %v and m = %v", wn, n["natural_frequency"], k, m)
		}
		if !near(c, zeta*n["critical_damping"], 1e-15) || !near(n["critical_damping"], 2*m*wn, 1e-15) {
			t.Fatalf("critical damping %v, ratio %v of c = %v", n["critical_damping"], zeta, c)
		}
		wd, vibrates := n["damped_angular_frequency"]
		if vibrates && zeta > 1 || !vibrates && zeta < 1 || vibrates != (a.Text["regime"] == "underdamped" || a.Text["regime"] == "undamped") {
			t.Fatalf("%s with zeta = %v, damped frequency given: %v", a.Text["regime"], zeta, vibrates)
		}
		// -zeta wn +- i wd are the roots of m s^2 + c s + k: their product is k/m.
		if vibrates && (!near(zeta*zeta*wn*wn+wd*wd, wn*wn, 4e-15) || wd > wn) {
			t.Fatalf("wd = %v, wn = %v, zeta = %v", wd, wn, zeta)
		}
	})
}

// less returns a - b of the decimals of two inputs.
func less(a, b float64) float64 {
	decimal := func(x float64) *big.Rat {
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
		return r
	}
	difference, _ := new(big.Rat).Sub(decimal(a), decimal(b)).Float64()
	return difference
}

// TestRegimesAtTheTransition draws systems with a critical damping that binary64 holds exactly:
// 2 sqrt(k m) = 2 a b of k = a^2/x and m = b^2 x. A power of ten as x leaves the decimals short.
func TestRegimesAtTheTransition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := func(name string) float64 { return float64(rapid.IntRange(1, 1<<20).Draw(t, name)) }
		a, b, x := whole("a"), whole("b"), math.Pow10(rapid.IntRange(0, 20).Draw(t, "x"))
		k, m, c := a*a/x, b*b*x, 2*a*b
		at, below, above := of(t, k, m, c), of(t, k, m, math.Nextafter(c, 0)), of(t, k, m, math.Nextafter(c, 2*c))
		if at.Text["regime"] != "critical" || at.Number["damping_ratio"] != 1 || at.Number["critical_damping"] != c {
			t.Fatalf("at %v: %v %v", c, at.Text, at.Number)
		}
		if below.Text["regime"] != "underdamped" || above.Text["regime"] != "overdamped" {
			t.Fatalf("one step below %s, one above %s", below.Text["regime"], above.Text["regime"])
		}
		// wd/wn = sqrt(2 (1 - zeta)) nearly, where 1 - zeta = 1 - c'/c exactly.
		off := less(c, math.Nextafter(c, 0)) / c
		if got := below.Number["damped_angular_frequency"] / below.Number["natural_angular_frequency"]; !near(got, math.Sqrt(2*off), 1e-14) {
			t.Fatalf("one step below critical wd/wn = %v, want %v", got, math.Sqrt(2*off))
		}
		if none := of(t, k, m, 0); none.Text["regime"] != "undamped" || none.Number["damped_angular_frequency"] != none.Number["natural_angular_frequency"] {
			t.Fatalf("without damping: %v", none)
		}
	})
}

// TestScaling uses thousandths, so that the decimals of the multiples are exact.
func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, m := float64(rapid.Int64Range(1, 1e12).Draw(t, "1e3 k"))/1e3, float64(rapid.Int64Range(1, 1e9).Draw(t, "1e3 m"))/1e3
		c := math.Round(1e3*math.Sqrt(k*m)*damping(t)) / 1e3
		a, all, stiff := of(t, k, m, c).Number, of(t, 8*k, 8*m, 8*c).Number, of(t, 16*k, m, 4*c).Number
		if all["natural_frequency"] != a["natural_frequency"] || all["damping_ratio"] != a["damping_ratio"] || all["critical_damping"] != 8*a["critical_damping"] {
			t.Fatalf("%v, everything eight times as large %v", a, all)
		}
		if stiff["natural_frequency"] != 4*a["natural_frequency"] || stiff["damping_ratio"] != a["damping_ratio"] || stiff["damped_angular_frequency"] != 4*a["damped_angular_frequency"] {
			t.Fatalf("%v, 16 times as stiff %v", a, stiff)
		}
	})
}
