package exact_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/exact"
)

// finite draws any finite binary64, subnormal numbers and powers of two included.
func finite() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64(),
		rapid.Custom(func(t *rapid.T) float64 { // every exponent equally likely
			f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
			if math.IsNaN(f) || math.IsInf(f, 0) {
				return 1
			}
			return f
		}),
		rapid.Map(rapid.IntRange(-1074, 1023), func(e int) float64 { return math.Ldexp(1, e) }),
		rapid.Float64Range(-1000, 1000),
		rapid.Map(rapid.IntRange(-30, 30), func(i int) float64 { return float64(i) }),
	).Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) })
}

func rat(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }

// nearest is the oracle of rounding: math/big's.
func nearest(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f + 0 // big.Rat gives -0 for a tiny negative
}

func TestArithmeticIsThatOfRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := finite().Draw(t, "a"), finite().Draw(t, "b"), finite().Draw(t, "c")
		x, y, z := exact.Of(a), exact.Of(b), exact.Of(c)
		got := x.Mul(y).Add(z).Mul(x.Sub(z), y).Neg()
		want := new(big.Rat).Mul(rat(a), rat(b))
		want.Add(want, rat(c))
		want.Mul(want, new(big.Rat).Sub(rat(a), rat(c)))
		want.Neg(want.Mul(want, rat(b)))
		if f := exact.Quo(got, exact.Int(1)); f != nearest(want) {
			t.Fatalf("-(ab + c)(a - c)b = %v, want %v", f, nearest(want))
		}
		if got.Sign() != want.Sign() || got.Abs().Sign() != new(big.Rat).Abs(want).Sign() {
			t.Fatalf("sign %d, want %d", got.Sign(), want.Sign())
		}
		if x.Cmp(y) != rat(a).Cmp(rat(b)) {
			t.Fatalf("Cmp(%v, %v) = %d", a, b, x.Cmp(y))
		}
	})
}

func TestQuoIsCorrectlyRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := finite().Draw(t, "a"), finite().Draw(t, "b"), finite().Draw(t, "c"), finite().Draw(t, "d")
		if c == 0 || d == 0 {
			t.Skip()
		}
		got := exact.Quo(exact.Of(a).Mul(exact.Of(b)), exact.Of(c).Mul(exact.Of(d)))
		want := nearest(new(big.Rat).Quo(new(big.Rat).Mul(rat(a), rat(b)), new(big.Rat).Mul(rat(c), rat(d))))
		if got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%v * %v / (%v * %v) = %v, want %v", a, b, c, d, got, want)
		}
	})
}

// TestQuoAtTies rounds numbers on, just above and just below every kind of half
// way: normal, subnormal, the least number, the greatest.
func TestQuoAtTies(t *testing.T) {
	tiny := exact.Of(0x1p-1000).Pow(4)
	rapid.Check(t, func(t *rapid.T) {
		f := math.Abs(finite().Draw(t, "f"))
		above := math.Nextafter(f, math.Inf(1))
		next := exact.Int(1).Mul(exact.Of(0x1p1023), exact.Int(2))
		if !math.IsInf(above, 0) {
			next = exact.Of(above)
		}
		even := f
		if math.Float64bits(f)&1 == 1 {
			even = above
		}
		twice := exact.Of(f).Add(next) // 2 * half way
		divisor := exact.Int(int64(rapid.IntRange(1, 1<<40).Draw(t, "divisor")))
		for _, c := range []struct {
			n    exact.Num
			want float64
		}{
			{twice, even},
			{twice.Add(tiny), above},
			{twice.Sub(tiny), f},
		} {
			got := exact.Quo(c.n.Mul(divisor), divisor.Mul(exact.Int(2)))
			negative := exact.Quo(c.n.Neg().Mul(divisor), divisor.Mul(exact.Int(2)))
			if got != c.want || negative != -c.want {
				t.Fatalf("between %v and %v: %v and %v, want %v", f, above, got, negative, c.want)
			}
		}
	})
}

func TestQuoBoundaries(t *testing.T) {
	greatest, least := exact.Of(math.MaxFloat64), exact.Of(math.SmallestNonzeroFloat64)
	one, two, three, big := exact.Int(1), exact.Int(2), exact.Int(3), exact.Of(1e300)
	for _, c := range []struct {
		name string
		n, d exact.Num
		want float64
	}{
		{"zero", exact.Num{}, three.Neg(), 0},
		{"half of the least number", least, two, 0},
		{"minus half of it", least.Neg(), two, 0},
		{"more than half of it", least.Mul(exact.Of(0.5000000000000001)), one, math.SmallestNonzeroFloat64},
		{"three halves of it", least.Mul(three), two, 2 * math.SmallestNonzeroFloat64},
		{"far below it", least.Pow(5), big.Pow(9), 0},
		{"a third", one, three, 1.0 / 3},
		{"greatest", greatest, one, math.MaxFloat64},
		{"half an ulp beyond the greatest", greatest.Add(exact.Of(0x1p970)), one, math.Inf(1)},
		{"less than that", greatest.Add(exact.Of(0x1p969)), one, math.MaxFloat64},
		{"far beyond", big.Pow(9).Neg(), least.Pow(5), math.Inf(-1)},
		{"least normal from below", exact.Of(0x1p-1022).Mul(exact.Int(1<<54 - 1)), exact.Int(1 << 54), 0x1p-1022},
	} {
		if got := exact.Quo(c.n, c.d); got != c.want || got == 0 && math.Signbit(got) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"NaN":            func() { exact.Of(math.NaN()) },
		"infinity":       func() { exact.Of(math.Inf(1)) },
		"zero divisor":   func() { exact.Quo(exact.Int(1), exact.Num{}) },
		"negative power": func() { exact.Int(2).Pow(-1) },
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

func BenchmarkQuo(b *testing.B) {
	n, d := exact.Of(12000.1).Mul(exact.Of(3.3).Pow(4)), exact.Of(210e9).Mul(exact.Of(8.356e-5), exact.Int(120))
	for b.Loop() {
		exact.Quo(n, d)
	}
}

func BenchmarkMulAdd(b *testing.B) {
	x, y, z := exact.Of(12000.1), exact.Of(3.3), exact.Of(8.356e-5)
	for b.Loop() {
		x.Mul(y).Add(z)
	}
}

// BenchmarkExtremes is the worst that binary64 inputs can ask of a formula of
// degree 7: terms 14,000 binary orders apart, added and divided.
func BenchmarkExtremes(b *testing.B) {
	large, small := exact.Of(1.1e308), exact.Of(1.1e-308)
	for b.Loop() {
		exact.Quo(large.Pow(7).Add(small.Pow(7)), large.Pow(3).Add(small.Pow(7)))
	}
}

func TestWholeNumbersOfAnySize(t *testing.T) {
	for _, i := range []int64{0, 1, -1, 127, 128, 129, -127, -128, -129, 123456789, -987654321} {
		if got := exact.Quo(exact.Int(i), exact.Int(1)); got != float64(i) {
			t.Errorf("%d is %v", i, got)
		}
	}
	if got := exact.Int(7).Pow(0); got.Cmp(exact.Int(1)) != 0 {
		t.Error("7 to the power 0 is not 1")
	}
}

func TestOfNoNumberPanics(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Of(%v) did not panic", f)
				}
			}()
			exact.Of(f)
		}()
	}
}

// TestSturmWithZeros: on the positive numbers the polynomial is (t^2 - 1)(t^2 - 4), whose chain has
// zeros among its coefficients.
func TestSturmWithZeros(t *testing.T) {
	var p exact.Poly
	for _, c := range []int64{4, -16, 19, -6, 0} {
		p = append(p, exact.Int(c))
	}
	if first, changes := p.Signs(exact.Int(0), exact.Int(1)); first != 1 || changes != 2 {
		t.Errorf("sign %d, then %d changes, want 1 and 2", first, changes)
	}
}
