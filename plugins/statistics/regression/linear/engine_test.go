package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

// points draws points in tenths, as decimal strings, whose x are not all equal.
func points(t *rapid.T) (x, y []int) {
	n := rapid.IntRange(3, 25).Draw(t, "n")
	tenths := rapid.SliceOfN(rapid.IntRange(-999, 999), n, n)
	x, y = tenths.Draw(t, "x"), tenths.Draw(t, "y")
	if x[0] == x[1] {
		x[0]++
	}
	return x, y
}

// literals are tenths plus shift, times by.
func literals(tenths []int, shift int64, by int) []string {
	var out []string
	for _, v := range tenths {
		out = append(out, fmt.Sprintf("%de-1", (10*shift+int64(v))*int64(by)))
	}
	return out
}

func line(t ask.Tester, in ask.In) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, in).Number
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := points(t)
		intercept := rapid.Bool().Draw(t, "intercept")
		want := line(t, ask.In{"x": literals(x, 0, 1), "y": literals(y, 0, 1), "intercept": intercept})
		rand.Shuffle(len(x), func(i, j int) { x[i], x[j], y[i], y[j] = x[j], x[i], y[j], y[i] })
		if got := line(t, ask.In{"x": literals(x, 0, 1), "y": literals(y, 0, 1), "intercept": intercept}); !maps.Equal(got, want) {
			t.Fatalf("shuffled: %v, want %v", got, want)
		}
	})
}

// TestShiftAndScale moves and stretches the data: what does not depend on that does
// not change in the last bit, however far they are moved.
func TestShiftAndScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := points(t)
		shift := rapid.Int64Range(-1e14, 1e14).Draw(t, "shift")
		a := line(t, ask.In{"x": literals(x, 0, 1), "y": literals(y, 0, 1)})
		moved := line(t, ask.In{"x": literals(x, shift, 1), "y": literals(y, -shift, 1)})
		for _, name := range []string{"slope", "r_squared", "residual_standard_deviation", "slope_standard_error"} {
			if moved[name] != a[name] {
				t.Fatalf("%s = %v, and moved %v", name, a[name], moved[name])
			}
		}
		steep := line(t, ask.In{"x": literals(x, 0, -1), "y": literals(y, 0, 4)})
		if steep["slope"] != -4*a["slope"] || steep["intercept"] != 4*a["intercept"] || steep["r_squared"] != a["r_squared"] || steep["slope_standard_error"] != 4*a["slope_standard_error"] {
			t.Fatalf("%v, and stretched %v", a, steep)
		}
	})
}

// TestPointsOnALine lays decimals on a line: from strings it is found exactly, with no
// residual at all.
func TestPointsOnALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, _ := points(t)
		a, b := rapid.IntRange(-99, 99).Draw(t, "a"), rapid.IntRange(1, 99).Draw(t, "b")
		var y []string
		for _, v := range x {
			y = append(y, fmt.Sprintf("%de-2", 10*a+b*v))
		}
		got := line(t, ask.In{"x": literals(x, 0, 1), "y": y})
		want := map[string]float64{"slope": float64(b) / 10, "intercept": float64(a) / 10, "r_squared": 1, "residual_standard_deviation": 0, "slope_standard_error": 0, "intercept_standard_error": 0}
		if !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestNormalEquations has what least squares mean: residuals sum to zero, also when
// weighted with x, and their squares are those of the standard deviation.
func TestNormalEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs, ys := points(t)
		intercept := rapid.Bool().Draw(t, "intercept")
		got := line(t, ask.In{"x": literals(xs, 0, 1), "y": literals(ys, 0, 1), "intercept": intercept})
		free := float64(len(xs) - 1)
		if intercept {
			free--
		}
		var sum, weighted, squares, total, size float64
		for i := range xs {
			x, y := float64(xs[i])/10, float64(ys[i])/10
			r := y - got["intercept"] - got["slope"]*x
			sum, weighted, squares, total = sum+r, weighted+r*x, squares+r*r, total+y*y
			size += math.Abs(y) + math.Abs(got["slope"]*x) + math.Abs(got["intercept"])
		}
		if intercept && math.Abs(sum) > 1e-13*size || math.Abs(weighted) > 1e-11*size {
			t.Fatalf("%v leaves %v, and %v weighted with x", got, sum, weighted)
		}
		if s := got["residual_standard_deviation"]; math.Abs(squares-s*s*free) > 1e-11*(size*size) {
			t.Fatalf("residual standard deviation %v, residuals have %v", s, math.Sqrt(squares/free))
		}
		if r2, ok := got["r_squared"]; ok && !intercept && math.Abs(r2-(1-squares/total)) > 1e-11 {
			t.Fatalf("R squared %v, of the sum of squares remain %v", r2, squares/total)
		}
	})
}

// TestBothWaysGiveRSquared regresses x on y too: the slopes multiply to R squared.
func TestBothWaysGiveRSquared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := points(t)
		if y[0] == y[1] {
			y[0]++
		}
		a := line(t, ask.In{"x": literals(x, 0, 1), "y": literals(y, 0, 1)})
		b := line(t, ask.In{"x": literals(y, 0, 1), "y": literals(x, 0, 1)})
		if a["r_squared"] != b["r_squared"] || !near(a["slope"]*b["slope"], a["r_squared"], 1e-15) || a["r_squared"] > 1 {
			t.Fatalf("%v, and the other way %v", a, b)
		}
	})
}

// TestDecimalStringsKeepWhatNumbersLose has a line over years in a calendar of seconds.
func TestDecimalStringsKeepWhatNumbersLose(t *testing.T) {
	var x, y []string
	var fx, fy []float64
	parse := func(s string) float64 { f, _ := strconv.ParseFloat(s, 64); return f }
	for i := range 20 {
		x, y = append(x, fmt.Sprintf("1700000000.%d", i%10+1)), append(y, fmt.Sprintf("0.%d", i%10+1))
		fx, fy = append(fx, parse(x[i])), append(fy, parse(y[i]))
	}
	x[19], y[19], fx[19], fy[19] = "1700000000.95", "0.95", parse("1700000000.95"), 0.95
	exact, rounded := line(t, ask.In{"x": x, "y": y}), line(t, ask.In{"x": fx, "y": fy})
	if exact["slope"] != 1 || exact["intercept"] != -1700000000 || exact["r_squared"] != 1 {
		t.Errorf("from decimal strings: %v, want y = x - 1700000000", exact)
	}
	if rounded["slope"] == 1 || math.Abs(rounded["slope"]-1) > 1e-5 {
		t.Errorf("from JSON numbers the slope is %v, want one near 1", rounded["slope"])
	}
}

func draw(t ask.Tester, in *Input) *sdk.Figure {
	t.Helper()
	f, err := in.Draw(t.Context(), "fit")
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return f
}

func TestFigure(t *testing.T) {
	for _, n := range []int{3, 199, 200, 201, 5000} {
		in := Input{Intercept: true}
		for i := range n {
			in.X = append(in.X, sdk.Decimal{Float: float64(i)})
			in.Y = append(in.Y, sdk.Decimal{Float: 1 + 2*float64(i)})
		}
		f := draw(t, &in)
		c, last := f.Curves[0], float64(n-1)
		if c.X[0] != 0 || c.X[1] != last || c.Y[0] != 1 || c.Y[1] != 1+2*last {
			t.Errorf("%d points: the line is %v, %v", n, c.X, c.Y)
		}
		if p := f.Points; len(p) != min(n, 200) || p[0].X != 0 || p[len(p)-1].X != last {
			t.Errorf("%d points: %d drawn, from %v to %v", n, len(p), p[0].X, p[len(p)-1].X)
		}
	}
}

func BenchmarkThousandPoints(b *testing.B) {
	x, y := make([]value.Value, 1000), make([]value.Value, 1000)
	for i := range x {
		x[i], y[i] = value.NumberOf(float64(i)/7), value.NumberOf(math.Sqrt(float64(i)))
	}
	values := value.Values{value.ListOf(x...), value.ListOf(y...), value.BoolOf(true)}
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPowersOfTwo scales x and y, which is exact: all results scale with them.
func TestPowersOfTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 9).Draw(t, "n")
		numbers := rapid.SliceOfN(rapid.Map(rapid.IntRange(-9999, 9999), func(k int) float64 { return float64(k) / 7 }), n, n)
		x, y := numbers.Draw(t, "x"), numbers.Draw(t, "y")
		if x[0] == x[1] {
			x[0]++
		}
		i := rapid.SampledFrom([]int{-440, -260, -90, 0, 110, 440}).Draw(t, "i")
		j := rapid.SampledFrom([]int{-900, -690, -460, -110, 0, 90, 450}).Draw(t, "j")
		scaled := func(list []float64, by int) []float64 {
			var out []float64
			for _, f := range list {
				out = append(out, math.Ldexp(f, by))
			}
			return out
		}
		want, got := line(t, ask.In{"x": x, "y": y}), line(t, ask.In{"x": scaled(x, i), "y": scaled(y, j)})
		for name, by := range map[string]int{"slope": j - i, "slope_standard_error": j - i, "intercept": j, "intercept_standard_error": j, "residual_standard_deviation": j, "r_squared": 0} {
			if w := math.Ldexp(want[name], by); got[name] != w && math.Abs(w) > 0x1p-1000 {
				t.Fatalf("%s of x 2^%d, y 2^%d is %v, want %v", name, i, j, got[name], w)
			}
		}
	})
}
