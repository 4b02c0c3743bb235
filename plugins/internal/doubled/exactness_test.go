package doubled_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
)

func exactly(numbers ...float64) *big.Float {
	sum := new(big.Float).SetPrec(4000)
	for _, f := range numbers {
		sum.Add(sum, new(big.Float).SetFloat64(f))
	}
	return sum
}

// value is what a number says of itself, and its bound.
func value(a doubled.Num) (v, bound *big.Float) {
	hi, lo, rel, scale := a.Parts()
	v, bound = exactly(hi, lo), exactly(math.Abs(hi))
	bound.Mul(bound, exactly(rel))
	return v.SetMantExp(v, scale), bound.SetMantExp(bound, scale)
}

// holds reports whether the value is within the bound of a number, which must be known.
func holds(a doubled.Num, want *big.Float) bool {
	v, bound := value(a)
	return v.Sub(v, want).Abs(v).Cmp(bound) <= 0
}

// TestWhatIsCalledExactIs: sums of two short numbers, times and over others.
func TestWhatIsCalledExactIs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	short := func() float64 { return math.Ldexp(float64(r.IntN(1<<(1+r.IntN(30)))+1), r.IntN(120)-60) }
	for range 20_000 {
		x, y, z := short(), short(), short()
		a, b := doubled.Of(x).Add(doubled.Of(y)), doubled.Of(z*(1+0x1p-50*float64(r.IntN(2))))
		divisor, _ := value(b)
		want, _ := value(a)
		if product := a.Mul(b); !holds(product, new(big.Float).SetPrec(4000).Mul(want, divisor)) {
			t.Fatalf("(%v + %v)*%v is not within the bound", x, y, z)
		}
		quotient := a.Div(b)
		if hi, lo, exact := quotient.Exact(); exact && new(big.Float).SetPrec(4000).Mul(exactly(hi, lo), divisor).Cmp(want) != 0 {
			t.Fatalf("(%v + %v)/%v is called exact", x, y, z)
		}
	}
	if _, _, exact := doubled.Of(0x1p54).Div(doubled.Int(3)).Exact(); exact {
		t.Error("2^54/3, with a remainder of 1, is called exact")
	}
	if _, _, exact := doubled.Of(3).Add(doubled.Of(1).Widen(0x1p-100)).Exact(); exact {
		t.Error("a sum with a number that is not exact is called exact")
	}
}

func TestPowersOfTen(t *testing.T) {
	for k := -60; k <= 60; k++ {
		literal := fmt.Sprintf("1e%d", k)
		want, _ := new(big.Rat).SetString(literal)
		if !holds(doubled.Decimal(literal), new(big.Float).SetPrec(4000).SetRat(want)) {
			t.Errorf("%s is not within its bound", literal)
		}
	}
}

func TestSignOfWhatIsUnknown(t *testing.T) {
	if _, known := doubled.Unknown.Sign(); known {
		t.Error("the sign of what is unknown is known")
	}
	if sign, known := doubled.Of(0).Sign(); sign != 0 || !known {
		t.Error("the sign of zero is not known")
	}
}

// TestProductsOfBalls: the corners of the product of two intervals lie in that of the ball.
func TestProductsOfBalls(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	number := func(rel float64) (doubled.Num, doubled.Ball) {
		hi := r.NormFloat64()
		a := doubled.Of(hi).Add(doubled.Of(hi * 0x1p-55 * r.Float64()))
		if rel > 0 {
			a = a.Widen(rel)
		}
		return a, a.Ball(0)
	}
	for i := range 50_000 {
		rel := []float64{0, 0x1p-100, 0x1p-40, 0x1p-31}[i%4]
		a, p := number(rel)
		b, q := number(rel)
		product := p.Mul(q).Num()
		v, bound := value(a)
		w, other := value(b)
		for _, signs := range [][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			x := new(big.Float).SetPrec(4000).Mul(bound, exactly(signs[0]))
			y := new(big.Float).SetPrec(4000).Mul(other, exactly(signs[1]))
			x.Mul(x.Add(x, v), y.Add(y, w))
			if hi, _, _, _ := product.Parts(); hi == hi && !holds(product, x) {
				t.Fatalf("%v times %v is not within the bound of the product", a, b)
			}
		}
	}
}
