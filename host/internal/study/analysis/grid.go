package analysis

import (
	"math"
	"math/big"
)

// Even returns n numbers from low to high at even distances. Each is the binary64 nearest to its exact place.
func Even(low, high *big.Rat, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		at := new(big.Rat).Sub(high, low)
		at.Mul(at, big.NewRat(int64(i), int64(max(n-1, 1)))).Add(at, low)
		list[i], _ = at.Float64()
	}
	return list
}

// precision is the number of bits for roots: enough that the result only has the error of rounding to binary64.
const precision = 192

// Logarithmic returns n numbers from low to high, both above zero, with a constant ratio. Each is the binary64 nearest to its
// exact place.
func Logarithmic(low, high *big.Rat, n int) []float64 {
	list := make([]float64, n)
	at := new(big.Float).SetPrec(precision).SetRat(low)
	last := new(big.Float).SetPrec(precision).SetRat(high)
	ratio := root(new(big.Float).SetPrec(precision).Quo(last, at), max(n-1, 1))
	for i := range list {
		list[i], _ = at.Float64()
		at.Mul(at, ratio)
	}
	list[n-1], _ = high.Float64()
	return list
}

// root returns the n-th root of a number above zero, by Newton's method from above.
func root(x *big.Float, n int) *big.Float {
	of := func(f float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(f) }
	// x is below 2^e, so y is above its root, and near it.
	e := x.MantExp(nil)
	y := of(math.Exp2(float64(e%n)/float64(n)) * (1 + 1e-12))
	y.SetMantExp(y, e/n)
	for {
		// y - (y^n - x)/(n y^(n-1)) = ((n-1) y + x/y^(n-1))/n
		next := of(0).Quo(x, power(y, n-1))
		next.Add(next, of(0).Mul(y, of(float64(n-1)))).Quo(next, of(float64(n)))
		if next.Cmp(y) >= 0 { // y decreases until only rounding remains
			break
		}
		y = next
	}
	return y
}

func power(x *big.Float, n int) *big.Float {
	out, square := new(big.Float).SetPrec(precision).SetFloat64(1), new(big.Float).Copy(x)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			out.Mul(out, square)
		}
		square.Mul(square, square)
	}
	return out
}
