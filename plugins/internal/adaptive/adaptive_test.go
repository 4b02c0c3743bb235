package adaptive_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// nearest is the oracle of rounding: math/big's.
func nearest(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f + 0 // big.Rat gives -0 for a tiny negative
}

func round(f formula) float64 { return adaptive.Round(context.Background(), "x", f.num) }

// check compares a formula with math/big, and its fast evaluation with its exact one.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, f formula) {
	t.Helper()
	ctx, want := context.Background(), nearest(f.rat)
	if got := round(f); math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s = %v, want %v", f.rat, got, want)
	}
	if got := adaptive.Round(ctx, "x", slowly(f.num)); math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s = %v in exact arithmetic, want %v", f.rat, got, want)
	}
	if got := adaptive.Sign(f.num); got != f.rat.Sign() {
		t.Fatalf("sign of %s = %d", f.rat, got)
	}
}

func TestFormulasAreRoundedToNearest(t *testing.T) {
	for name, numbers := range map[string]*rapid.Generator[float64]{"ordinary": ordinary(), "any": finite()} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) { check(t, formulas(numbers, 12).Draw(t, "formula")) }))
	}
}

// The value is within the bound of a fast evaluation, and is hi + lo where the bound is 0.
func TestBounds(t *testing.T) {
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		f := formulas(rapid.OneOf(ordinary(), finite()), 20).Draw(t, "formula")
		hi, lo, bound, scale := adaptive.Fast(f.num)
		if bound != bound {
			return
		}
		known++
		off := new(big.Rat).Mul(f.rat, power(-scale))
		off.Sub(off, rat(hi))
		off.Sub(off, rat(lo))
		if off.Abs(off).Cmp(rat(bound)) > 0 || hi+lo != hi {
			t.Fatalf("%v is (%v + %v) 2^%d, with the bound %v", nearest(f.rat), hi, lo, scale, bound)
		}
	})
	if known == 0 {
		t.Error("no value was known")
	}
}

// power returns 2^k.
func power(k int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k))))
	if k < 0 {
		p.Inv(p)
	}
	return p
}

// TestTies rounds values half way between two numbers, and a hair from there. They
// are made as sums, as products, and as quotients.
func TestTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(ordinary(), finite()).Draw(t, "number")
		above := math.Nextafter(number, math.Inf(1))
		if math.IsInf(above, 0) {
			t.Skip()
		}
		tie := of(number).add(of(above)).div(of(2))
		hair := of(0x1p-1000).pow(2)
		factor := of(float64(rapid.Int64Range(1, 1<<40).Draw(t, "factor")))
		for _, f := range []formula{tie, tie.mul(factor).div(factor), tie.add(hair), tie.sub(hair)} {
			check(t, f)
			check(t, f.neg())
		}
	})
}

// calls returns how often a formula is evaluated to round it: once, or twice where the
// fast evaluation did not decide.
func calls(f func(x *adaptive.X) adaptive.Num) int {
	n := 0
	adaptive.Round(context.Background(), "x", func(x *adaptive.X) adaptive.Num {
		n++
		return f(x)
	})
	return n
}

// TestWhatIsDecidedAtOnce holds the fast evaluation to its use: results that ordinary
// inputs often have must not take the slow one.
func TestWhatIsDecidedAtOnce(t *testing.T) {
	decided := map[string]formula{
		"a quotient that ends":           of(12).div(of(8)),
		"a tie of a product":             of(0.1).mul(of(3)),
		"a tie of a longer product":      of(0.1).mul(of(3)).mul(of(5)),
		"a tie of a sum":                 of(1).add(of(0x1p-53)),
		"a tie of three numbers":         of(0.1).add(of(0.2)).add(of(0.3)),
		"a tie after division by eight":  of(0.1).mul(of(3)).div(of(8)),
		"zero by cancellation":           of(0.1).mul(of(0.3)).sub(of(0.3).mul(of(0.1))),
		"zero times something":           of(0).mul(of(0.1).div(of(0.3))),
		"zero divided":                   of(0).div(of(0.1).div(of(0.3))),
		"a subnormal input":              of(5e-324),
		"a sum of subnormal numbers":     of(5e-324).add(of(1e-320)),
		"the largest number":             of(math.MaxFloat64),
		"a product of subnormal numbers": of(1e-310).mul(of(1e-310)),
		"a subnormal product":            of(1e-160).mul(of(1.1e-160)),
		"beyond the range":               of(1e308).mul(of(10)),
		"beyond the range, and back":     of(1e-310).mul(of(1e-310)).div(of(1e-310)),
		"half a step beyond the largest": of(math.MaxFloat64).add(of(0x1p969)).add(of(0x1p969)),
	}
	undecided := map[string]formula{
		"a tie of a quotient":     of(0.3).mul(of(0.1)).mul(of(0.7)).add(of(0x1p-200)).div(of(0.3).mul(of(0.1)).mul(of(0.7)).add(of(0x1p-200))).mul(of(0.1)).mul(of(3)),
		"zero of rounded numbers": of(1).div(of(3)).sub(of(1).div(of(3))),
		"a hair beside a tie":     of(1).add(of(0x1p-53)).add(of(0x1p-300)),
	}
	for want, formulas := range map[int]map[string]formula{1: decided, 2: undecided} {
		for name, f := range formulas {
			check(t, f)
			if got := calls(f.num); got != want {
				t.Errorf("%s: evaluated %d times, want %d", name, got, want)
			}
		}
	}
}

// TestFallbackIsRare counts exact evaluations of the deflection of a beam. Its bound
// is about 40 * 2^-106. Three times the bound to either side is 2^-45 of the distance
// between two numbers. So a million random inputs fall into one such gap with a
// probability of one in ten million. The seed is fixed.
func TestFallbackIsRare(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	logUniform := func(low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }
	const trials = 1_000_000
	n := 0
	for range trials {
		load, length := logUniform(1, 1e6), logUniform(0.1, 100)
		modulus, inertia := logUniform(1e9, 1e12), logUniform(1e-9, 1e-2)
		at := length * r.Float64()
		n += calls(func(x *adaptive.X) adaptive.Num {
			l, p := x.Of(length), x.Of(at)
			shape := l.Mul(l, x.Int(6)).Sub(l.Mul(p).Mul(x.Int(4))).Add(p.Mul(p))
			return x.Of(load).Mul(p, p, shape).Div(x.Int(24).Mul(x.Of(modulus), x.Of(inertia)))
		})
	}
	if n != trials {
		t.Errorf("%d of %d inputs took an exact evaluation, want none", n-trials, trials)
	}
}

// TestFallbackOnShortNumbers counts them where ties do occur, since the inputs have two
// digits.
func TestFallbackOnShortNumbers(t *testing.T) {
	const digits, most = 99, 1e-3
	n, trials := 0, 0
	for i := 1; i <= digits; i++ {
		for j := 1; j <= digits; j++ {
			volts, ohms := float64(i)/10, float64(j)/10
			n += calls(func(x *adaptive.X) adaptive.Num { return x.Of(volts).Mul(x.Of(volts)).Div(x.Of(ohms)) })
			n += calls(func(x *adaptive.X) adaptive.Num {
				return x.Of(volts).Mul(x.Of(ohms), x.Of(ohms), x.Of(ohms)).Div(x.Int(12))
			})
			trials += 2
		}
	}
	if got := float64(n-trials) / float64(trials); got > most {
		t.Errorf("a share of %v took an exact evaluation, want at most %v", got, most)
	}
}

func TestWholeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.Int64().Draw(t, "i")
		f := formula{func(x *adaptive.X) adaptive.Num { return x.Int(i) }, new(big.Rat).SetInt64(i)}
		check(t, f)
		check(t, f.sub(of(float64(i))))
		if got := calls(f.num); got != 1 {
			t.Fatalf("%d is evaluated %d times", i, got)
		}
	})
}

func TestZeroNum(t *testing.T) {
	check(t, formula{func(x *adaptive.X) adaptive.Num {
		var sum adaptive.Num
		for range 3 {
			sum = sum.Add(x.Of(0.1))
		}
		return sum.Sub(x.Of(0.3))
	}, new(big.Rat).Sub(new(big.Rat).Mul(rat(0.1), big.NewRat(3, 1)), rat(0.3))})
}

func TestMisusePanics(t *testing.T) {
	round := func(f func(x *adaptive.X) adaptive.Num) { adaptive.Round(t.Context(), "x", f) }
	var kept adaptive.Num
	for name, f := range map[string]func(){
		"NaN":          func() { round(func(x *adaptive.X) adaptive.Num { return x.Of(math.NaN()) }) },
		"infinity":     func() { round(func(x *adaptive.X) adaptive.Num { return x.Of(math.Inf(-1)) }) },
		"zero divisor": func() { round(func(x *adaptive.X) adaptive.Num { return x.Int(1).Div(x.Int(0)) }) },
		"zero by zero": func() { round(func(x *adaptive.X) adaptive.Num { return x.Int(0).Div(x.Int(0)) }) },
		"hidden zero":  func() { round(func(x *adaptive.X) adaptive.Num { return x.Int(0).Div(hiddenZero(x)) }) },
		"a number kept": func() {
			round(func(x *adaptive.X) adaptive.Num { kept = x.Int(1).Div(x.Int(3)); return kept })
			round(slowly(func(x *adaptive.X) adaptive.Num { return x.Int(1).Add(kept) }))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// hiddenZero is 0. A fast evaluation cannot decide that, because its divisor could be 0.
func hiddenZero(x *adaptive.X) adaptive.Num {
	third := x.Int(1).Div(x.Int(3))
	return x.Int(0).Div(third.Sub(third).Add(x.Of(0x1p-300)))
}

func TestRoundWarnsOfUnderflow(t *testing.T) {
	type in struct {
		Small float64 `name:"small"`
	}
	type out struct {
		Square float64 `name:"square"`
		Fourth float64 `name:"fourth"`
	}
	spec := sdk.Spec{Capability: "test.round", Version: "1.0.0", Tool: "round", Group: "test", Title: "t", Summary: "s"}
	engine := sdk.New(spec, func(ctx context.Context, in in) (out, error) {
		return out{
			adaptive.Round(ctx, "square", func(x *adaptive.X) adaptive.Num { return x.Of(in.Small).Mul(x.Of(in.Small)) }),
			adaptive.Round(ctx, "fourth", func(x *adaptive.X) adaptive.Num {
				small := x.Of(in.Small)
				return small.Mul(small, small, small).Add(hiddenZero(x)) // decided by exact fractions
			}),
		}, nil
	})
	for small, want := range map[float64]int{1e-200: 2, 1e-100: 1, 1: 0, 0: 0} {
		o, err := engine.Calculate(t.Context(), value.Values{value.NumberOf(small)})
		if err != nil || len(o.Warnings) != want {
			t.Errorf("%v: %v, %v, want %d warnings", small, o.Warnings, err, want)
		}
		for _, w := range o.Warnings {
			if w.Code != sdk.WarnResultUnderflow {
				t.Errorf("%v: warning %s", small, w.Code)
			}
		}
	}
}

func ExampleRound() {
	volts, ohms := 12.0, 8.0
	amps := adaptive.Round(context.Background(), "current", func(x *adaptive.X) adaptive.Num {
		return x.Of(volts).Div(x.Of(ohms))
	})
	fmt.Println(amps)
	// Output: 1.5
}
