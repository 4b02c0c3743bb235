package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func of(t ask.Tester, k, m, c float64) ask.Answer {
	t.Helper()
	return ask.For(t, engine, ask.In{"stiffness": k, "mass": m, "damping": c})
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestConsistency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, m := rapid.Float64Range(1e-3, 1e9).Draw(t, "k"), rapid.Float64Range(1e-3, 1e6).Draw(t, "m")
		c := math.Sqrt(k*m) * rapid.Float64Range(0, 4).Draw(t, "c")
		a := of(t, k, m, c)
		n, wn, zeta := a.Number, a.Number["natural_angular_frequency"], a.Number["damping_ratio"]
		if !near(k, m*wn*wn, 1e-15) || !near(wn, 2*math.Pi*n["natural_frequency"], 1e-15) {
			t.Fatalf("wn = %v, fn = %v of k = %v and m = %v", wn, n["natural_frequency"], k, m)
		}
		if !near(c, zeta*n["critical_damping"], 1e-15) || !near(n["critical_damping"], 2*m*wn, 1e-15) {
			t.Fatalf("critical damping %v, ratio %v of c = %v", n["critical_damping"], zeta, c)
		}
		wd, vibrates := n["damped_angular_frequency"]
		if vibrates && zeta > 1 || !vibrates && zeta < 1 || vibrates != (a.Text["regime"] == underdamped || a.Text["regime"] == undamped) {
			t.Fatalf("%s with zeta = %v, damped frequency given: %v", a.Text["regime"], zeta, vibrates)
		}
		// -zeta wn +- i wd are the roots of m s^2 + c s + k: their product is k/m.
		if vibrates && (!near(zeta*zeta*wn*wn+wd*wd, wn*wn, 4e-15) || wd > wn) {
			t.Fatalf("wd = %v, wn = %v, zeta = %v", wd, wn, zeta)
		}
	})
}

// TestRegimesAtTheTransition draws systems whose critical damping binary64 holds exactly:
// 2 sqrt(k m) = 2 a b of k = a^2 x and m = b^2/x.
func TestRegimesAtTheTransition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := func(name string) float64 { return float64(rapid.IntRange(1, 1<<20).Draw(t, name)) }
		a, b, x := whole("a"), whole("b"), math.Ldexp(1, rapid.IntRange(-40, 40).Draw(t, "x"))
		k, m, c := a*a*x, b*b/x, 2*a*b
		at, below, above := of(t, k, m, c), of(t, k, m, math.Nextafter(c, 0)), of(t, k, m, math.Nextafter(c, 2*c))
		if at.Text["regime"] != critical || at.Number["damping_ratio"] != 1 || at.Number["critical_damping"] != c {
			t.Fatalf("at %v: %v %v", c, at.Text, at.Number)
		}
		if below.Text["regime"] != underdamped || above.Text["regime"] != overdamped {
			t.Fatalf("one step below %s, one above %s", below.Text["regime"], above.Text["regime"])
		}
		// wd/wn = sqrt(2 (1 - zeta)) nearly, where 1 - zeta = 1 - c'/c exactly.
		off := (c - math.Nextafter(c, 0)) / c
		if got := below.Number["damped_angular_frequency"] / below.Number["natural_angular_frequency"]; !near(got, math.Sqrt(2*off), 1e-14) {
			t.Fatalf("one step below critical wd/wn = %v, want %v", got, math.Sqrt(2*off))
		}
		if undampedText := of(t, k, m, 0); undampedText.Text["regime"] != undamped || undampedText.Number["damped_angular_frequency"] != undampedText.Number["natural_angular_frequency"] {
			t.Fatalf("without damping: %v", undampedText)
		}
	})
}

func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, m := rapid.Float64Range(1e-3, 1e9).Draw(t, "k"), rapid.Float64Range(1e-3, 1e6).Draw(t, "m")
		c := math.Sqrt(k*m) * rapid.Float64Range(0, 4).Draw(t, "c")
		a, all, stiff := of(t, k, m, c).Number, of(t, 8*k, 8*m, 8*c).Number, of(t, 16*k, m, 4*c).Number
		if all["natural_frequency"] != a["natural_frequency"] || all["damping_ratio"] != a["damping_ratio"] || all["critical_damping"] != 8*a["critical_damping"] {
			t.Fatalf("%v, everything eight times as large %v", a, all)
		}
		if stiff["natural_frequency"] != 4*a["natural_frequency"] || stiff["damping_ratio"] != a["damping_ratio"] || stiff["damped_angular_frequency"] != 4*a["damped_angular_frequency"] {
			t.Fatalf("%v, 16 times as stiff %v", a, stiff)
		}
	})
}

// TestFigureSolvesTheEquation puts the displacement that is drawn into
// m a + c v + k x = 0, with differences for speed and acceleration.
func TestFigureSolvesTheEquation(t *testing.T) {
	const k, m = 40.0, 0.1 // wn = 20, critical damping 4
	for _, c := range []float64{0, 0.4, 2, 3.9, 4, 4.1, 20} {
		f := look.At(t, engine, "response", ask.In{"k": k, "m": m, "c": c})
		x, y := f.Curves[0].X, f.Curves[0].Y
		if last := y[len(y)-1]; c > 0.4 && math.Abs(last) > 0.01 {
			t.Errorf("c = %v: ends at %v, before the mass is back", c, last)
		}
		if x[0] != 0 || y[0] != 1 {
			t.Errorf("c = %v: begins at (%v, %v)", c, x[0], y[0])
		}
		h := x[1]
		if speed := (-3*y[0] + 4*y[1] - y[2]) / (2 * h); math.Abs(speed) > 20*0.05*(1+c) {
			t.Errorf("c = %v: begins with a speed of %v", c, speed)
		}
		for i := 1; i < len(x)-1; i++ {
			acceleration, speed := (y[i+1]-2*y[i]+y[i-1])/(h*h), (y[i+1]-y[i-1])/(2*h)
			if rest := m*acceleration + c*speed + k*y[i]; math.Abs(rest) > 0.01*k*(1+c*c/4) {
				t.Fatalf("c = %v, t = %v: m a + c v + k x = %v", c, x[i], rest)
			}
		}
	}
}

// TestFigureMarks the peak after a period, which lies on the curve, and draws envelopes
// that it does not leave.
func TestFigureMarks(t *testing.T) {
	f := look.At(t, engine, "response", ask.In{"k": 40, "m": 0.1, "c": 0.4})
	zeta := 0.1
	peak := f.Points[0]
	if want := math.Exp(-2 * math.Pi * zeta / math.Sqrt(1-zeta*zeta)); !near(peak.Y, want, 1e-12) || !near(peak.X, 2*math.Pi/(20*math.Sqrt(1-zeta*zeta)), 1e-12) {
		t.Errorf("after a period (%v, %v), want a displacement of %v", peak.X, peak.Y, want)
	}
	if len(f.Curves) != 3 {
		t.Fatalf("%d curves, want displacement and both envelopes", len(f.Curves))
	}
	for i := range f.Curves[0].X {
		if y, high, low := f.Curves[0].Y[i], f.Curves[1].Y[i], f.Curves[2].Y[i]; y > high*(1+1e-12) || y < low*(1+1e-12) {
			t.Fatalf("at %v: %v leaves the envelope of %v and %v", f.Curves[0].X[i], y, low, high)
		}
	}
	for c, curves := range map[float64]int{0: 1, 4: 1, 9: 1} {
		if f := look.At(t, engine, "response", ask.In{"k": 40, "m": 0.1, "c": c}); len(f.Curves) != curves {
			t.Errorf("c = %v: %d curves", c, len(f.Curves))
		}
	}
}

func TestFigureWithoutBounds(t *testing.T) {
	_, err := engine.(sdk.Plotter).Draw(t.Context(), "response", value.Values{value.NumberOf(1e-320), value.NumberOf(1e300), value.NumberOf(0)})
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult {
		t.Errorf("error %v, want %s", err, sdk.CodeNonFiniteResult)
	}
}

func BenchmarkCalculate(b *testing.B) {
	values := value.Values{value.NumberOf(1000), value.NumberOf(2.5), value.NumberOf(10)}
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}
