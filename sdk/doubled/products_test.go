package doubled

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func rat(hi, lo float64) *big.Rat {
	x := new(big.Rat).SetFloat64(hi)
	return x.Add(x, new(big.Rat).SetFloat64(lo))
}

// The sign of a sum of two products of exact numbers is known, and the sum is within its bound.
func TestAddProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	number := func() float64 { return math.Round(random.NormFloat64()*1e3) / 1e3 * float64(1+random.IntN(3)) }
	difference := func() Ball { return Of(number()).Sub(Of(number())) }
	zeros := 0
	for range 20_000 {
		a, b := difference(), difference()
		c, d := b, a.Neg() // the products cancel
		switch random.IntN(4) {
		case 0:
			c = Of(math.Nextafter(c.hi, 9)).Add(Of(c.lo))
		case 1:
			k := float64(int(1) << random.IntN(4))
			c, d = Ball{hi: k * c.hi, lo: k * c.lo}, Ball{hi: d.hi / k, lo: d.lo / k}
		case 2:
			c, d = difference(), difference()
		}
		if !c.IsKnown() {
			continue // next to 0
		}
		got := AddProducts(a, b, c, d)
		want := rat(a.hi, a.lo)
		want.Mul(want, rat(b.hi, b.lo))
		other := rat(c.hi, c.lo)
		want.Add(want, other.Mul(other, rat(d.hi, d.lo)))
		sign, known := got.Sign()
		if !known || sign != want.Sign() {
			t.Fatalf("%v*%v + %v*%v is %v", a, b, c, d, got)
		}
		if sign == 0 {
			zeros++
		}
		off := want.Sub(want, rat(got.hi, got.lo))
		if off.Abs(off).Cmp(rat(2*got.err, 0)) > 0 {
			t.Fatalf("%v*%v + %v*%v is %v, off by %v", a, b, c, d, got, off)
		}
	}
	if zeros < 2000 {
		t.Errorf("only %d sums are 0", zeros)
	}
	huge := Ball{hi: 0x1p499}
	for _, x := range []Ball{Unknown, huge} {
		if got := AddProducts(x, x, x.Neg(), x); got.IsKnown() {
			t.Errorf("the sum for %v is known: %v", x, got)
		}
	}
}

// The root of a sum of squares is within its bound, also where a number may be 0.
func TestHypot(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	number := func() Ball {
		x := Of(random.NormFloat64()).Add(Of(random.NormFloat64() * 0x1p-60))
		switch random.IntN(4) {
		case 0:
			return Ball{}.Widen(0x1p-90)
		case 1:
			return Ball{hi: x.hi, lo: x.lo}
		case 2:
			return Ball{}
		}
		return x.Widen(math.Abs(x.hi) * 0x1p-90)
	}
	big1 := func(hi, lo, off float64) *big.Float {
		x := new(big.Float).SetPrec(400).SetFloat64(hi)
		x.Add(x, big.NewFloat(lo))
		return x.Add(x, big.NewFloat(off))
	}
	for range 20_000 {
		a, b := number(), number()
		got := Hypot(a, b)
		for _, k := range []float64{-1.9, 0, 1.9} {
			x, y := big1(a.hi, a.lo, k*a.err), big1(b.hi, b.lo, -k*b.err)
			want := x.Mul(x, x)
			want.Add(want, y.Mul(y, y)).Sqrt(want)
			off := want.Sub(want, big1(got.hi, got.lo, 0))
			if off.Abs(off).Cmp(big.NewFloat(2*got.err)) > 0 || got.hi < 0 && got.err == 0 {
				t.Fatalf("Hypot(%v, %v) is %v, off by %v", a, b, got, off)
			}
		}
	}
	if got := Hypot(Of(-3), Ball{}); got != Of(3) {
		t.Errorf("Hypot(-3, 0) is %v", got)
	}
	if got := Hypot(Of(3), Unknown); got.IsKnown() {
		t.Errorf("Hypot(3, unknown) is %v", got)
	}
}
