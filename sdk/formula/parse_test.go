package formula

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// fine and rough compute the same with different precision: the rough bounds contain the fine ones.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	functions := map[string]struct {
		f         func(a *arithmetic, x number) number
		of        func(float64) float64
		low, high float64
	}{
		"exp":   {(*arithmetic).exp, math.Exp, -700, 700},
		"ln":    {(*arithmetic).ln, math.Log, 0, 1e9},
		"log10": {(*arithmetic).log10, math.Log10, 0, 10},
		"sin":   {func(a *arithmetic, x number) number { s, _ := a.sinCos(x); return s }, math.Sin, -100, 100},
		"cos":   {func(a *arithmetic, x number) number { _, c := a.sinCos(x); return c }, math.Cos, -100, 100},
		"asin":  {(*arithmetic).asin, math.Asin, -1, 1},
		"acos":  {(*arithmetic).acos, math.Acos, -1, 1},
		"atan":  {(*arithmetic).atan, math.Atan, -50, 50},
		"tanh":  {(*arithmetic).tanh, math.Tanh, -5, 5},
		"sqrt":  {(*arithmetic).sqrt, math.Sqrt, 0, 5},
	}
	for name, f := range functions {
		for range 200 {
			x := f.low + (f.high-f.low)*r.Float64()
			if r.IntN(3) == 0 {
				x *= math.Ldexp(1, -r.IntN(60))
			}
			in := exactly(new(big.Rat).SetFloat64(x))
			w := &work{left: 1e9}
			rough, fine := f.f(&arithmetic{128, w}, in), f.f(&arithmetic{900, w}, in)
			rl, rh := rough.bounds(128)
			fl, fh := fine.bounds(900)
			if rl.Cmp(fl) > 0 || fh.Cmp(rh) > 0 {
				t.Fatalf("%s(%v): %v..%v does not contain %v..%v", name, x, rl, rh, fl, fh)
			}
			if want := f.of(x); math.Abs(fine.nearest()-want) > 1e-14*math.Abs(want)+1e-300 && name != "sin" && name != "cos" {
				t.Fatalf("%s(%v) = %v, want %v", name, x, fine.nearest(), want)
			}
			width := new(big.Float).Sub(fh, fl)
			if fl.Sign() != 0 && width.Sign() != 0 && width.MantExp(nil)-fl.MantExp(nil) > -780 {
				t.Fatalf("%s(%v): bounds %v", name, x, width)
			}
		}
	}
}

func TestEvaluate(t *testing.T) {
	text, err := Parse(`K = 0.7 if end == "pinned"
K = 1 otherwise
P = pi^2*E*I/(K*L)^2
C_c = sqrt(2*pi^2*E/S_y)
solve f in [1e-8, 1e303]: 1/sqrt(f) = -2*log10(2.51/(Re*sqrt(f)))
s = sum(i in 1..n: i^2)
T(x) = x^2 if x > 1
T(x) = 7 otherwise
q = T(3) + T(0)`)
	if err != nil {
		t.Fatal(err)
	}
	n := func(name string, x float64) Input { return Input{Name: name, Value: value.NumberOf(x)} }
	r := text.Evaluate([]Input{n("E", 2e11), n("I", 9e-6), n("L", 1), n("Re", 1e5), n("n", 10), {Name: "end", Value: value.TextOf("pinned")}}, nil,
		func(v *Value) bool { x, _ := v.Number(); return v.Compare(x, 1e-13) == Agrees })
	for _, v := range r.Values {
		x, ok := v.Number()
		t.Log(v.Name, v.State, v.Case, x, ok, v.Why)
	}
}
