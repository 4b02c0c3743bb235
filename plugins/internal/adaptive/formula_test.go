package adaptive_test

import (
	"math"
	"math/big"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// formula is a random formula: what it computes, and how math/big computes that.
type formula struct {
	num func(x *adaptive.X) adaptive.Num
	rat *big.Rat
}

func (f formula) apply(num func(x *adaptive.X, a adaptive.Num) adaptive.Num, rat *big.Rat) formula {
	return formula{func(x *adaptive.X) adaptive.Num { return num(x, f.num(x)) }, rat}
}

func (f formula) with(g formula, num func(a, b adaptive.Num) adaptive.Num, rat *big.Rat) formula {
	return formula{func(x *adaptive.X) adaptive.Num { return num(f.num(x), g.num(x)) }, rat}
}

func rat(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }

func of(f float64) formula {
	return formula{func(x *adaptive.X) adaptive.Num { return x.Of(f) }, rat(f)}
}

func (f formula) add(g formula) formula {
	return f.with(g, adaptive.Num.Add, new(big.Rat).Add(f.rat, g.rat))
}

func (f formula) sub(g formula) formula {
	return f.with(g, adaptive.Num.Sub, new(big.Rat).Sub(f.rat, g.rat))
}

func (f formula) mul(g formula) formula {
	return f.with(g, func(a, b adaptive.Num) adaptive.Num { return a.Mul(b) }, new(big.Rat).Mul(f.rat, g.rat))
}

func (f formula) div(g formula) formula {
	if g.rat.Sign() == 0 {
		return f
	}
	return f.with(g, adaptive.Num.Div, new(big.Rat).Quo(f.rat, g.rat))
}

func (f formula) neg() formula {
	return f.apply(func(_ *adaptive.X, a adaptive.Num) adaptive.Num { return a.Neg() }, new(big.Rat).Neg(f.rat))
}

func (f formula) abs() formula {
	return f.apply(func(_ *adaptive.X, a adaptive.Num) adaptive.Num { return a.Abs() }, new(big.Rat).Abs(f.rat))
}

func (f formula) pow(k int) formula {
	power := big.NewRat(1, 1)
	for range k {
		power.Mul(power, f.rat)
	}
	return f.apply(func(x *adaptive.X, a adaptive.Num) adaptive.Num {
		product := x.Int(1)
		for range k {
			product = product.Times(a)
		}
		return product
	}, power)
}

// slowly returns the formula in a form that only an exact evaluation can decide: it adds a
// zero that a fast evaluation does not recognize.
func slowly(f func(x *adaptive.X) adaptive.Num) func(x *adaptive.X) adaptive.Num {
	return func(x *adaptive.X) adaptive.Num { return f(x).Add(hiddenZero(x)) }
}

// ordinary draws what people type: whole numbers, short decimals, any digits.
func ordinary() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(-30, 30), func(i int) float64 { return float64(i) }),
		rapid.Map(rapid.IntRange(-9999, 9999), func(i int) float64 { return float64(i) / 100 }),
		rapid.Map(rapid.IntRange(1, 9999), func(i int) float64 { return float64(i) * 1e-8 }),
		rapid.Float64Range(-1000, 1000),
		rapid.Float64Range(1e9, 1e12),
	)
}

// finite draws any finite binary64, subnormal numbers and powers of two included.
func finite() *rapid.Generator[float64] {
	return rapid.OneOf(
		ordinary(),
		rapid.Map(rapid.Uint64(), func(bits uint64) float64 { // every exponent equally likely
			if f := math.Float64frombits(bits); f-f == 0 {
				return f
			}
			return 1
		}),
		rapid.Map(rapid.IntRange(-1074, 1023), func(e int) float64 { return math.Ldexp(1, e) }),
		rapid.Map(rapid.IntRange(-1, 1<<20), func(i int) float64 { return math.Float64frombits(uint64(i + 1)) }),
	)
}

// formulas draws formulas over numbers of one kind. A part may occur in several
// places, with a hair more or less, so that sums cancel altogether or nearly.
func formulas(numbers *rapid.Generator[float64], operations int) *rapid.Generator[formula] {
	return rapid.Custom(func(t *rapid.T) formula {
		parts := []formula{of(numbers.Draw(t, "number")), of(numbers.Draw(t, "number"))}
		pick := func() formula { return parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")] }
		for range rapid.IntRange(1, operations).Draw(t, "operations") {
			part := pick()
			if part.rat.Num().BitLen()+part.rat.Denom().BitLen() > 1<<16 {
				return part // large enough
			}
			switch rapid.IntRange(0, 9).Draw(t, "operation") {
			case 0, 1:
				part = part.add(pick())
			case 2:
				part = part.sub(pick())
			case 3, 4:
				part = part.mul(pick())
			case 5:
				part = part.div(pick())
			case 6:
				part = part.mul(of(1 + math.Ldexp(1, -rapid.IntRange(20, 52).Draw(t, "hair"))))
			case 7:
				part = part.neg().abs()
			case 8:
				part = part.pow(rapid.IntRange(0, 5).Draw(t, "power"))
			case 9:
				parts = append(parts, of(numbers.Draw(t, "number")))
				continue
			}
			parts = append(parts, part)
		}
		return parts[len(parts)-1]
	})
}
