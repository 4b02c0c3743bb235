package doubled

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// known is a number and its exact value.
type known struct {
	ball  Ball
	value *big.Rat
}

// holds reports whether the value is within the bound of the number.
func (k known) holds() bool {
	hi, lo, bound := k.ball.Parts()
	off := rat(hi, lo)
	off.Sub(off, k.value)
	return off.Abs(off).Cmp(rat(bound, 0)) <= 0 && hi+lo == hi
}

// Operations on numbers give numbers within their bounds, also where sums cancel. Signs and rounded numbers that are
// known are right.
func TestArithmetic(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	numbers := []float64{0.1, 0.3, -0.1, 3, 1e-140, 1 + 0x1p-50, -7, 0x1p-60}
	signs, rounded, exact := 0, 0, 0
	for range 5000 {
		one := known{Of(1), big.NewRat(1, 1)}
		parts := []known{one}
		for range 12 {
			a, b := parts[random.IntN(len(parts))], parts[random.IntN(len(parts))]
			var c known
			switch random.IntN(6) {
			case 0:
				f := numbers[random.IntN(len(numbers))]
				c = known{Of(f), rat(f, 0)}
			case 1:
				c = known{a.ball.Add(b.ball), new(big.Rat).Add(a.value, b.value)}
			case 2:
				c = known{a.ball.Sub(b.ball), new(big.Rat).Sub(a.value, b.value)}
			case 3:
				c = known{a.ball.Mul(b.ball), new(big.Rat).Mul(a.value, b.value)}
			case 4:
				if b.value.Sign() == 0 {
					continue
				}
				c = known{a.ball.Div(b.ball), new(big.Rat).Quo(a.value, b.value)}
			case 5:
				c = known{a.ball.Neg().Abs().Neg(), new(big.Rat).Neg(new(big.Rat).Abs(a.value))}
			}
			if !c.ball.IsKnown() || c.value.Denom().BitLen() > 1<<13 {
				continue
			}
			parts = append(parts, c)
			if !c.holds() {
				t.Fatalf("%v is not within the bound of %v", c.value, c.ball)
			}
			if sign, ok := c.ball.Sign(); ok {
				signs++
				if sign != c.value.Sign() {
					t.Fatalf("the sign of %v is %d", c.value, sign)
				}
			}
			if f, ok := c.ball.Round(); ok {
				rounded++
				if want, _ := c.value.Float64(); f != want {
					t.Fatalf("%v is rounded to %v, want %v", c.value, f, want)
				}
			}
			if c.ball.err == 0 {
				exact++
			}
		}
	}
	if signs < 10_000 || rounded < 10_000 || exact < 10_000 {
		t.Errorf("%d signs and %d rounded numbers are known, and %d numbers are exact", signs, rounded, exact)
	}
}

// Sums of two short numbers, their products and quotients are exact only if they have no error.
func TestExactOperations(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	short := func() float64 {
		return math.Ldexp(float64(random.IntN(1<<(1+random.IntN(30)))+1), random.IntN(120)-60)
	}
	for range 20_000 {
		x, y, z := short(), short(), short()
		a, b := Of(x).Add(Of(y)), Of(z*(1+0x1p-50*float64(random.IntN(2))))
		factor := rat(b.hi, b.lo)
		if product := (known{a.Mul(b), new(big.Rat).Mul(rat(a.hi, a.lo), factor)}); !product.holds() {
			t.Fatalf("(%v + %v)*%v is not within the bound", x, y, z)
		}
		if quotient := (known{a.Div(b), new(big.Rat).Quo(rat(a.hi, a.lo), factor)}); !quotient.holds() {
			t.Fatalf("(%v + %v)/%v is not within the bound", x, y, z)
		}
	}
	for name, a := range map[string]Ball{
		"2^54/3, with a remainder of 1": Of(0x1p54).Div(OfInt(3)),
		"a sum with a wide number":      Of(3).Add(Of(1).Widen(0x1p-100)),
	} {
		if a.err == 0 {
			t.Errorf("%s is exact", name)
		}
	}
}

// The corners of the product of two intervals are in the interval of the product.
func TestProductsOfIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	number := func(width float64) Ball {
		hi := random.NormFloat64()
		a := Of(hi).Add(Of(hi * 0x1p-55 * random.Float64()))
		if width > 0 {
			a = a.Widen(width * math.Abs(hi))
		}
		return a
	}
	corner := func(a Ball, sign float64) *big.Rat {
		x := rat(1.9*sign*a.err, 0) // each operation rounds the bound, too
		return x.Add(x, rat(a.hi, a.lo))
	}
	for i := range 20_000 {
		width := []float64{0, 0x1p-100, 0x1p-40, 0x1p-31}[i%4]
		a, b := number(width), number(width)
		product := a.Mul(b)
		for _, signs := range [][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			x := corner(a, signs[0])
			if !(known{product, x.Mul(x, corner(b, signs[1]))}).holds() {
				t.Fatalf("a corner of %v times %v is not within the bound of the product", a, b)
			}
		}
	}
}

// A product below the range is not known, and does not become known by other factors.
func TestUnderflow(t *testing.T) {
	tiny, small := Of(1e-140), Of(1e-100)
	for name, a := range map[string]Ball{"product": tiny.Mul(tiny).Mul(small), "other way": small.Mul(tiny.Mul(tiny)), "beyond the range": Of(1e-290)} {
		if sign, ok := a.Sign(); ok {
			t.Errorf("%s: its sign is %d", name, sign)
		}
		if f, ok := a.Round(); ok {
			t.Errorf("%s: it is rounded to %v", name, f)
		}
	}
	if sign, ok := Of(0).Sign(); sign != 0 || !ok {
		t.Error("the sign of zero is not known")
	}
}

// Integers of 64 bits are exact.
func TestIntegers(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 10_000 {
		i := int64(random.Uint64()) >> random.IntN(64)
		if a := OfInt(i); a.err != 0 || rat(a.hi, a.lo).Cmp(new(big.Rat).SetInt64(i)) != 0 {
			t.Fatalf("%d is %v", i, a)
		}
	}
}

// Roots of squares are exact if the square is. Other roots are within their bounds.
func TestRoots(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for range 10_000 {
		f := math.Ldexp(1+random.Float64(), random.IntN(300)-150)
		square := Of(f).Mul(Of(f))
		if root := square.Sqrt(); root != (Ball{hi: f}) {
			t.Fatalf("the root of %v squared is %v", f, root)
		}
		root := square.Add(Of(0x1p-105 * f * f)).Sqrt()
		low, high := rat(root.hi, root.lo), rat(root.hi, root.lo)
		low.Sub(low, rat(2*root.err, 0))
		high.Add(high, rat(2*root.err, 0))
		want := rat(square.hi, square.lo)
		want.Add(want, rat(0x1p-105*f*f, 0))
		if root.err == 0 || low.Mul(low, low).Cmp(want) > 0 || high.Mul(high, high).Cmp(want) < 0 {
			t.Fatalf("the root of a little more than %v squared is %v", f, root)
		}
	}
}
