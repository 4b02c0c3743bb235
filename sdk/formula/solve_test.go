package formula

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const colebrook = "solve f in [1e-8, 1e303]: 1/sqrt(f) = -2*log10(e/3.7 + 2.51/(Re*sqrt(f)))"

func TestSolve(t *testing.T) {
	tests := []struct{ text, want string }{
		{"solve x in [0, 2]: x^2 = 2", "1.4142135623730951"},
		{"solve x in [-2, 0]: x^2 = 2", "-1.4142135623730951"},
		{"solve x in [-1e6, 3]: x^3 = -27", "-3"},
		{"solve x in [0, 1e300]: x = 1e-200", "1e-200"},
		{"solve x in [-1, 1]: x = 0", "0"},
		{"solve x in [-1, 2]: x^3 = 0", "0"},
		{"solve x in [0, 4]: exp(ln(x + 1)) = 3", "2"}, // undecided at the middle of the interval
		{"solve x in [0, 4]: sqrt(x)*sqrt(x + 2) = sqrt(8)", "2"},
		{"solve x in [1, 2]: cos(x) = 0", "1.5707963267948966"},
		{"solve x in [3, 4]: sin(x) = 0", "3.141592653589793"},
		{"solve x in [-100, 100]: exp(x) = 1e-30", "-69.07755278982137"},
		{"solve x in [1e-300, 1]: ln(x) = -500", "7.124576406741286e-218"},
		{"solve x in [0, a]: x*b = 1", "0.5"},
		// A root exactly at an end.
		{"solve x in [2, 3]: x^2 = 4", "2"},
		{"solve x in [1, 2]: x^2 = 4", "2"},
		{"solve x in [pi, 4]: x - pi = 0", "3.141592653589793"},
		{"solve x in [sqrt(2), 4]: x*sqrt(2) - 2 = 0", "undecided: the bounds of the two sides of an equation overlap"},
		// Not an interval with a root.
		{"solve x in [0, 1]: x^2 = 4", "fault: the two sides of the equation differ alike at both ends of its interval"},
		{"solve x in [-1, 1]: x^2 = 0.25", "fault: the two sides of the equation differ alike at both ends of its interval"},
		{"solve x in [2, 1]: x = 1.5", "fault: the interval of the equation ends before it starts"},
		{"solve x in [1, 1]: x = 1", "fault: the interval of the equation ends before it starts"},
		{"solve x in [0, 2]: 1/x = 1", "fault: a division by zero"},
		{"solve x in [1, 4]: 1/(x - pi) = 0", "undecided: the bounds of a divisor have 0 between them"}, // a pole, and not a root
		{"solve x in [1, 3]: 1/(x - 2) = 0", "fault: a division by zero"},
		{"solve x in [1, 4]: sign(x - pi) = 0.5", "undecided: the bounds of a number whose sign is needed have 0 between them"},
		{"solve x in [-1, 2]: jump(x) = 0", "undecided: the bounds of two numbers that are compared overlap"},
		{"solve x in [0, missing]: x = 1", "absent"},
		{"solve x in [0, 2]: x = missing", "absent"},
		{"solve x in [0, 2]: x = on", "fault: true or false where a number is needed"},
	}
	for _, end := range []string{"[0.1, 1]", "[0, 0.1]"} {
		if is, ok := parse(t, "solve x in "+end+": 10*x = 1\ny = x == 0.1").Evaluate(nil, nil, near).Value("y").Bool(); !is || !ok {
			t.Errorf("the end 0.1 of %s is not the root exactly", end)
		}
	}
	for _, test := range tests {
		text := parse(t, "jump(x) = 1 if x^2 > 2\njump(x) = -1 otherwise\n"+test.text)
		v := text.Evaluate([]Input{in("a", 3), in("b", 2), in("on", true)}, nil, near).Value("x")
		got := map[State]string{Absent: "absent", Undecided: "undecided: " + v.Why, Fault: "fault: " + v.Why}[v.State]
		if x, ok := v.Number(); ok {
			got = fmt.Sprint(x)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

// TestColebrook solves Colebrook's equation over the whole range of its vectors, for Reynolds
// numbers from 1e-150 to 1e300. The friction factor solves the equation, and both sides of the
// equation prove it.
func TestColebrook(t *testing.T) {
	text := parse(t, colebrook)
	for _, re := range []float64{1e-150, 1, 64, 2300, 4000, 1e5, 1e8, 1e300} {
		for _, e := range []float64{0, 1e-9, 1e-4, 0.05} {
			f := number64(t, text.Evaluate([]Input{in("Re", re), in("e", e)}, nil, near), "f")
			g := func(f float64) float64 { return 1/math.Sqrt(f) + 2*math.Log10(e/3.7+2.51/(re*math.Sqrt(f))) }
			if g(f*(1-1e-9))*g(f*(1+1e-9)) > 0 {
				t.Errorf("Re = %v, e = %v: f = %v is no root", re, e, f)
			}
		}
	}
}

// A known root is in the enclosure, with few bits and with many. The enclosure is as narrow as
// the bits require.
func TestEnclosures(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	equations := []struct {
		text string
		root func(a float64) string // the same number, written out
	}{
		{"solve x in [0, 1e30]: x^5 = a", func(a float64) string { return "a^(1/5)" }},
		{"solve x in [-1000, 1000]: exp(x) = a", func(a float64) string { return "ln(a)" }},
		{"solve x in [0, 2]: tanh(x) = a/1e7", func(a float64) string { return "ln((1 + a/1e7)/(1 - a/1e7))/2" }},
		{"solve x in [-2, 1e9]: x^3 + x = a^3 + a", func(a float64) string { return "a" }},
	}
	for _, equation := range equations {
		for range 40 {
			a := math.Ldexp(r.Float64(), r.IntN(44)-22)
			text := parse(t, equation.text+"\ny = "+equation.root(a))
			at := func(prec uint, name string) number {
				e := &env{text: text, inputs: map[string]val{"a": ofNumber(exactly(new(big.Rat).SetFloat64(a)))}, brackets: map[*Solve]bracket{}}
				v := e.all(with(prec), nil).Value(name)
				if v.State != Known {
					t.Fatalf("%s with a = %v: %s", equation.text, a, v.Why)
				}
				return v.value.number
			}
			y := at(4096, "y")
			for prec := uint(128); prec <= 1024; prec *= 2 {
				x := at(prec, "x")
				if !contains(x, y) {
					t.Fatalf("%s with a = %v and %d bits: %v does not contain %v", equation.text, a, prec, x, y)
				}
				if got := uncertainty(x); got > 1-int(prec/2) {
					t.Errorf("%s with a = %v: the bounds agree in %d of %d bits", equation.text, a, -got, prec)
				}
			}
		}
	}
}

// The refinement needs few evaluations: halving alone needs 75 for Colebrook's equation.
func TestSolveIsQuick(t *testing.T) {
	text := parse(t, colebrook)
	spent := func(text *Text) int {
		e := &env{text: text, inputs: map[string]val{"Re": ofNumber(integer(100_000)), "e": ofNumber(exactly(big.NewRat(1, 1000)))}, brackets: map[*Solve]bracket{}}
		a := with(128)
		before := a.work.left
		if v := e.all(a, nil).Values[0]; v.State != Known {
			t.Fatal(v.Why)
		}
		return before - a.work.left
	}
	once := spent(parse(t, "f = 1/sqrt(0.02) - -2*log10(e/3.7 + 2.51/(Re*sqrt(0.02)))"))
	if times := spent(text) / once; times > 35 || times < 5 {
		t.Errorf("solving takes the work of %d evaluations", times)
	} else {
		t.Log(times, "evaluations")
	}
}
