package linear

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../linear.calc.md")

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

// TestShiftAndScale moves and stretches the data by any amount. The results that do not depend on it are equal to the
// last bit.
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

// TestPointsOnALine has decimals on a line, which leave no residual.
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

// TestNormalEquations has the conditions of least squares: the residuals and their products with x add up to zero.
// The sum of their squares agrees with the standard deviation.
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

// TestBothWaysGiveRSquared regresses x on y too. The product of the slopes is R squared.
func TestBothWaysGiveRSquared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := points(t)
		if y[0] == y[1] {
			y[0]++
		}
		a := line(t, ask.In{"x": literals(x, 0, 1), "y": literals(y, 0, 1)})
		b := line(t, ask.In{"x": literals(y, 0, 1), "y": literals(x, 0, 1)})
		if a["r_squared"] != b["r_squared"] || math.Abs(a["slope"]*b["slope"]-a["r_squared"]) > 1e-15*a["r_squared"] || a["r_squared"] > 1 {
			t.Fatalf("%v, and the other way %v", a, b)
		}
	})
}
