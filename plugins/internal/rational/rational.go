// Package rational computes with lists of exact decimals and rounds exact fractions.
//
// Package adaptive carries a fraction through every step of a formula, and a sum of a
// thousand decimals would carry the product of their denominators. Here a whole list is
// put over one denominator first, and its sums are sums of integers.
package rational

import (
	"context"
	"math/big"

	"github.com/slipstick/slipstick/sdk"
)

// Integers returns integers and the unit that they are multiples of: data[i] is exactly
// ints[i]*unit.
//
// A binary64 is an integer over a power of two and a decimal one over powers of two and
// five, so the largest power of either among the denominators serves all.
func Integers(data []sdk.Decimal) (ints []*big.Int, unit *big.Rat) {
	values := make([]*big.Rat, len(data))
	twos, fives, odd := uint(0), big.NewInt(1), new(big.Int)
	for i, d := range data {
		values[i] = d.Rat()
		z := values[i].Denom().TrailingZeroBits()
		twos = max(twos, z)
		if odd.Rsh(values[i].Denom(), z); odd.Cmp(fives) > 0 {
			fives.Set(odd)
		}
	}
	denominator := new(big.Int).Lsh(fives, twos)
	ints = make([]*big.Int, len(values))
	for i, v := range values {
		ints[i] = new(big.Int).Quo(denominator, v.Denom())
		ints[i].Mul(ints[i], v.Num())
	}
	return ints, new(big.Rat).SetFrac(big.NewInt(1), denominator)
}

// Sum returns the sum of the integers.
func Sum(ints []*big.Int) *big.Int {
	sum := new(big.Int)
	for _, x := range ints {
		sum.Add(sum, x)
	}
	return sum
}

// Dot returns the sum of the products of xs and ys, which are equally many.
func Dot(xs, ys []*big.Int) *big.Int {
	sum, product := new(big.Int), new(big.Int)
	for i, x := range xs {
		sum.Add(sum, product.Mul(x, ys[i]))
	}
	return sum
}

// Round returns the binary64 nearest to x, ties to even and infinite beyond their range,
// and warns if a value that is not zero was rounded to zero. The name is the output
// field's.
func Round(ctx context.Context, name string, x *big.Rat) float64 {
	f, _ := x.Float64()
	return warned(ctx, name, x, f)
}

// RoundSqrt returns the square root of x as [Round] does. It panics if x is negative.
func RoundSqrt(ctx context.Context, name string, x *big.Rat) float64 {
	if x.Sign() < 0 {
		panic("rational: square root of a negative number")
	}
	return warned(ctx, name, x, sqrt(x))
}

func warned(ctx context.Context, name string, x *big.Rat, f float64) float64 {
	if f == 0 && x.Sign() != 0 {
		sdk.WarnUnderflow(ctx, name)
	}
	return f
}

// sqrt takes the root of an integer of at least 130 bits, so that it has more bits than
// binary64, and appends a bit that stands for the rest: the middle between two binary64
// is then told from what lies beside it, and one rounding is right.
func sqrt(x *big.Rat) float64 {
	shift := max(0, 132+x.Denom().BitLen()-x.Num().BitLen())
	shift += shift & 1
	radicand, rest := new(big.Int).QuoRem(new(big.Int).Lsh(x.Num(), uint(shift)), x.Denom(), new(big.Int))
	root := new(big.Int).Sqrt(radicand)
	inexact := rest.Sign() != 0 || new(big.Int).Mul(root, root).Cmp(radicand) != 0
	root.Lsh(root, 1)
	if inexact {
		root.SetBit(root, 0, 1)
	}
	f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(root), -shift/2-1).Float64()
	return f
}
