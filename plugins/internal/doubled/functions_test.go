package doubled_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
)

// within fails the test unless the value, which is right to 2^-170, lies within the bound
// of n. It returns whether anything is known of n.
func within(t *testing.T, what string, n doubled.Num, value elementary.Num) bool {
	t.Helper()
	hi, lo, rel, scale := n.Parts()
	if rel != rel {
		return false
	}
	exact, ok := new(big.Float).SetPrec(400).SetString(value.Literal())
	if !ok {
		t.Fatal(value.Literal())
	}
	off := exact.SetMantExp(exact, -scale)
	off.Sub(off, big.NewFloat(hi))
	off.Sub(off, big.NewFloat(lo)).Abs(off)
	if bound := rel*math.Abs(hi) + 0x1p-160*math.Abs(hi); off.Cmp(big.NewFloat(bound)) > 0 {
		t.Fatalf("%s is %v + %v, off by %.3g, and the bound is %.3g", what, hi, lo, off, bound)
	}
	if rel > 0x1p-80 {
		t.Fatalf("%s has a bound of only %g", what, rel)
	}
	return true
}

// TestFunctions compares with numbers of 224 bits: arguments of one number and of two,
// large and small, near 1 and anywhere.
func TestFunctions(t *testing.T) {
	trials := 10_000
	if testing.Short() {
		trials = 500
	}
	r := rand.New(rand.NewPCG(3, 4))
	wide := func() float64 { return math.Ldexp(1+r.Float64(), r.IntN(400)-200) }
	for name, c := range map[string]struct {
		fast func(doubled.Num) doubled.Num
		slow func(elementary.Num) elementary.Num
		draw func() float64
	}{
		"exp":   {doubled.Num.Exp, elementary.Num.Exp, func() float64 { return (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(20)-9) }},
		"expm1": {doubled.Num.Expm1, elementary.Num.Expm1, func() float64 { return (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(60)-49) }},
		"log":   {doubled.Num.Log, elementary.Num.Log, wide},
		"log1p": {doubled.Num.Log1p, elementary.Num.Log1p, func() float64 { return (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(50)-48) }},
		"atan":  {doubled.Num.Atan, func(e elementary.Num) elementary.Num { return elementary.Atan2(e, elementary.Int(1)) }, func() float64 { return r.Float64() * math.Ldexp(1, -r.IntN(60)) }},
	} {
		known := 0
		for range trials {
			at := c.draw()
			n, e := doubled.Of(at), elementary.Of(at)
			if r.IntN(2) == 0 { // a third, of two numbers, with an error
				n, e = n.Div(doubled.Of(3)), e.Div(elementary.Int(3))
			}
			if within(t, fmt.Sprintf("%s(%v)", name, at), c.fast(n), c.slow(e)) {
				known++
			}
		}
		if known < trials*9/10 {
			t.Errorf("%s: %d of %d are known", name, known, trials)
		}
	}
}
