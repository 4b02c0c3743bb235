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
