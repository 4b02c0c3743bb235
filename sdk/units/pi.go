package units

import (
	"math/big"
	"sync"
)

// nearby returns a rational number that rounds to the same binary64 as x*pi, or x/pi. A
// product of pi and a rational number is irrational, so it is never halfway between two
// binary64 numbers. With enough bits for pi, both ends of its interval round to the same
// number.
func nearby(x *big.Rat, by func(z, x, y *big.Rat) *big.Rat) *big.Rat {
	for bits := uint(firstBits); ; bits *= 2 {
		below, above := piWithin(bits)
		low := by(new(big.Rat), x, below)
		a, _ := low.Float64()
		b, _ := by(new(big.Rat), x, above).Float64()
		if a == b {
			return low
		}
	}
}

const firstBits = 256

var first = sync.OnceValues(func() (below, above *big.Rat) { return machin(firstBits) })

func piWithin(bits uint) (below, above *big.Rat) {
	if bits == firstBits {
		return first()
	}
	return machin(bits)
}

// machin returns bounds of pi = 16 arccot 5 - 4 arccot 239 that are 3 * 2^-bits apart. Both
// series are summed in whole numbers with guard bits, which exceed the error of all terms by
// far.
func machin(bits uint) (below, above *big.Rat) {
	const guard = 32
	one := new(big.Int).Lsh(big.NewInt(1), bits+guard)
	p := new(big.Int).Mul(arccot(5, one), big.NewInt(16))
	q := new(big.Int).Mul(arccot(239, one), big.NewInt(4))
	p.Rsh(p.Sub(p, q), guard) // within 1 of pi * 2^bits, and rounded down
	scale := new(big.Int).Lsh(big.NewInt(1), bits)
	return new(big.Rat).SetFrac(new(big.Int).Sub(p, big.NewInt(1)), scale),
		new(big.Rat).SetFrac(new(big.Int).Add(p, big.NewInt(2)), scale)
}

// arccot returns one times the arc cotangent of n: 1/n - 1/(3 n^3) + 1/(5 n^5) - ...
func arccot(n int64, one *big.Int) *big.Int {
	power := new(big.Int).Quo(one, big.NewInt(n))
	square, sum, term := big.NewInt(n*n), new(big.Int), new(big.Int)
	for k := int64(1); power.Sign() != 0; k += 2 {
		term.Quo(power, big.NewInt(k))
		if k&2 == 0 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		power.Quo(power, square)
	}
	return sum
}
