// Package adaptive rounds a formula once: the result is the binary64 nearest to the
// true value for the given inputs, ties to even, as package exact would give it, but
// mostly at a hundredth of the cost.
//
// A formula is evaluated with numbers of twice the precision and a proved bound of
// their error (package doubled). Where that bound leaves open what the value rounds
// to, and only there, the formula is evaluated again with exact fractions: at values
// half way between two binary64, sums that cancel altogether, and magnitudes beyond
// 2^±900. This is the adaptive precision of Shewchuk's geometric predicates (1997)
// and the rounding test of Ziv (1991).
//
// No result depends on the compiler or the processor, whether or not it has or fuses
// multiply-add instructions.
package adaptive

import (
	"context"
	"math/big"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/exact"
	"github.com/slipstick/slipstick/sdk"
)

// X makes the numbers of one evaluation of a formula.
type X struct{ exactly bool }

// Formulas get one of these, which never change: none is made anew.
var fast, slow = &X{}, &X{exactly: true}

// Of returns the value of f, which must be finite.
func (x *X) Of(f float64) Num {
	if x.exactly || f-f != 0 {
		return ofExactly(f) // which panics if f is not finite
	}
	return Num{fast: doubled.Of(f)}
}

// Int returns i.
func (x *X) Int(i int64) Num {
	if x.exactly {
		return intExactly(i)
	}
	return Num{fast: doubled.Int(i)}
}

// Literal returns the value of a decimal literal such as 5.67e-8. It is for constants
// of programs, and panics if the literal is invalid.
func (x *X) Literal(literal string) Num {
	if x.exactly {
		n, d := exact.Decimal(literal)
		return Num{exact: &fraction{n, d}}
	}
	return Num{fast: doubled.Decimal(literal)}
}

// Decimal returns the value of a decimal input.
func (x *X) Decimal(d sdk.Decimal) Num {
	if d.Literal == "" {
		return x.Of(d.Float)
	}
	return x.Literal(d.Literal)
}

// IsExact reports whether numbers of this evaluation are exact.
func (x *X) IsExact() bool { return x.exactly }

// Integer returns m 2^e in an exact evaluation, of which alone it is a part. It takes over
// m.
func (x *X) Integer(m *big.Int, e int) Num {
	if !x.exactly {
		panic("adaptive: an integer of any size in a fast evaluation")
	}
	return whole(exact.Integer(m, e))
}

// Once returns f for formulas that share numbers: they are made at most once in a fast
// evaluation and once in an exact one. After that, fast evaluations get the exact ones,
// too, rounded to twice the precision: what cancels in them is then known. The numbers are
// for one calculation, and not for several goroutines.
func Once(f func(x *X) []Num) func(x *X) []Num {
	var fast, exactly []Num
	return func(x *X) []Num {
		switch {
		case x.exactly:
			if exactly == nil {
				exactly = f(x)
				fast = rounded(exactly)
			}
			return exactly
		case fast == nil:
			fast = f(x)
		}
		return fast
	}
}

// Round returns the value of the formula, rounded once, and warns if a result that is
// not zero was rounded to zero. The name is the output field's.
//
// The formula may be evaluated twice, so it must give the same each time. It must not
// divide by zero.
func Round(ctx context.Context, name string, f func(x *X) Num) float64 {
	number := f(fast).fast
	if rounded, ok := number.Round(); ok {
		sign, _ := number.Sign()
		return warned(ctx, name, sign, rounded)
	}
	v := f(slow).fraction()
	return warned(ctx, name, v.n.Sign(), exact.Quo(v.n, v.d))
}

// RoundSqrt returns the square root of the value of the formula as [Round] does. It
// panics if the value is negative.
func RoundSqrt(ctx context.Context, name string, f func(x *X) Num) float64 {
	number := f(fast).fast.Sqrt()
	if rounded, ok := number.Round(); ok {
		sign, _ := number.Sign()
		return warned(ctx, name, sign, rounded)
	}
	v := f(slow).fraction()
	return warned(ctx, name, v.n.Sign(), exact.SqrtQuo(v.n, v.d))
}

// warned returns f, which a value of this sign was rounded to.
func warned(ctx context.Context, name string, sign int, f float64) float64 {
	if f == 0 && sign != 0 {
		sdk.WarnUnderflow(ctx, name)
	}
	return f
}

// Sign returns the sign of the formula: -1, 0 or 1.
func Sign(f func(x *X) Num) int {
	if s, ok := f(fast).fast.Sign(); ok {
		return s
	}
	v := f(slow).fraction()
	return v.n.Sign() * v.d.Sign()
}
