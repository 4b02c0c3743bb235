package doubled

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// holds fails unless a number is within the bound of a ball.
func holds(t *testing.T, a Ball, x *big.Rat, of any) {
	t.Helper()
	hi, lo, bound := a.Parts()
	d := new(big.Rat).SetFloat64(hi)
	d.Sub(x, d.Add(d, new(big.Rat).SetFloat64(lo)))
	if d.Abs(d).Cmp(new(big.Rat).SetFloat64(bound)) > 0 || bound > 0x1p-98*math.Abs(hi) {
		t.Fatalf("%v is %v", of, a)
	}
}

// A decimal is the shortest one that reads as the binary64 number.
func TestOfDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	list := []float64{0.1, -0.1, 1 << 53, 1<<53 + 2, 1e15, 1e15 + 0.5, 123456789012345.6, 1e22, 9.99e28, 5e-29, 0.30000000000000004, 2.2250738585072011e-20}
	for range 20_000 {
		f := r.NormFloat64() * math.Pow10(r.IntN(40)-20)
		short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 1+r.IntN(17), 64), 64)
		list = append(list, f, short)
	}
	for _, f := range list {
		text := strconv.FormatFloat(f, 'g', -1, 64)
		want, _ := new(big.Rat).SetString(text)
		got := OfDecimal(f)
		if !got.IsKnown() {
			t.Fatalf("%s is not known", text)
		}
		holds(t, got, want, text)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), 1e30, 1e-30} {
		if OfDecimal(f).IsKnown() {
			t.Errorf("%v is known", f)
		}
	}
}

func TestOfLiteral(t *testing.T) {
	for _, text := range []string{"0", "-0.5", "1250.00", "1e3", "0.1", "-123456789012345678", "3.25e-20", "1E+2", "7"} {
		want, _ := new(big.Rat).SetString(text)
		holds(t, OfLiteral(text), want, text)
		holds(t, OfRat(want), want, text)
	}
	for _, text := range []string{"1.2.3", "1e", "x", "1234567890123456789", "1e99", "1e-50", "--1", "1e999999999999"} {
		if a := OfLiteral(text); a.IsKnown() {
			t.Errorf("%s is %v", text, a)
		}
	}
}

// Whole numbers and their powers of ten have no error.
func TestExactNumbers(t *testing.T) {
	for k, power := range tens {
		want := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil))
		if power.err != 0 {
			t.Errorf("10^%d is %v", k, power)
		}
		holds(t, power, want, k)
	}
	for _, i := range []int64{0, 1, -1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64} {
		a := OfInt(i)
		holds(t, a, new(big.Rat).SetInt64(i), i)
		if n, ok := a.Integer(); a.err != 0 || ok && n != i || ok != (max(i, -i) < 1<<53 && i != math.MinInt64) {
			t.Errorf("%d is %v, the integer %d", i, a, n)
		}
	}
	if _, ok := OfDecimal(2.5).Integer(); ok {
		t.Error("2.5 is an integer")
	}
}

// A number out of range, and what is computed from it, is unknown; a factor of 0 makes a product 0.
func TestUnknown(t *testing.T) {
	large, small := Of(0x1p499), Of(0x1p-499)
	for name, a := range map[string]Ball{
		"large": Of(1e200), "small": Of(1e-200), "product": large.Mul(large), "small product": small.Mul(small),
		"sum": large.Add(large).Add(large), "quotient": large.Div(small), "by zero": Of(1).Div(Ball{}), "root": Of(-1).Sqrt(),
		"logarithm": Ball{}.Log(), "exponential": Of(400).Exp(), "sine": Of(1.5).Asin(), "zero": Ball{}.Mul(Unknown), "power": Unknown.Pow(0),
	} {
		if a.IsKnown() {
			t.Errorf("%s is %v", name, a)
		}
	}
	if a := (Ball{}).Mul(Pi); !a.IsZero() {
		t.Errorf("0 pi is %v", a)
	}
	if _, known := Pi.Sub(Pi).Sign(); known {
		t.Error("the sign of pi - pi is known")
	}
}
