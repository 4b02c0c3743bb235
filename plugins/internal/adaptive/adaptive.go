// Package adaptive computes a formula with a single rounding. Use it in an engine
// whose result must not depend on how terms cancel. [Round] returns the binary64
// nearest to the true value for the given inputs, ties to even. [Sign] returns the
// sign of a formula, and [Reverses] whether a function changes its sign. The results
// are the same as with package exact, mostly at a hundredth of the cost.
//
// A formula is evaluated with numbers of twice the precision and a proved bound of
// their error (package doubled of the SDK). If that bound leaves the rounding of the value
// open, the formula is evaluated again with exact fractions. This happens at values half way
// between two binary64 numbers, and at sums that cancel completely. The method is the adaptive
// precision of Shewchuk's geometric predicates (1997) and the rounding test of Ziv (1991).
//
// No result depends on the compiler or the processor, whether or not it has or fuses
// multiply-add instructions.
package adaptive

import (
	"context"

	"github.com/slipstick/slipstick/plugins/internal/exact"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/doubled"
)

// X makes the numbers of one evaluation of a formula.
type X struct{ exactly bool }

// Formulas get one of these, which never change.
var fast, slow = &X{}, &X{exactly: true}

// Of returns the value of f, which must be finite.
func (x *X) Of(f float64) Num {
	switch {
	case x.exactly || f-f != 0:
		return ofExactly(f) // which panics if f is not finite
	case isNear(f) || f == 0:
		return Num{fast: doubled.Of(f)}
	}
	return scaledOf(f)
}

// Int returns i.
func (x *X) Int(i int64) Num {
	if x.exactly {
		return intExactly(i)
	}
	return Num{fast: doubled.OfInt(i)}
}

// Round returns the value of the formula, rounded once, and warns if a result that is
// not zero was rounded to zero. The name is the output field's.
//
// The formula may be evaluated twice, so it must give the same each time. It must not
// divide by zero.
func Round(ctx context.Context, name string, f func(x *X) Num) float64 {
	number := f(fast)
	rounded, known := number.round()
	isZero := number.fast.IsZero()
	if !known {
		v := f(slow).fraction()
		rounded, isZero = exact.Quo(v.n, v.d), v.n.Sign() == 0
	}
	if rounded == 0 && !isZero {
		sdk.WarnUnderflow(ctx, name)
	}
	return rounded
}

// Sign returns the sign of the formula: -1, 0 or 1.
func Sign(f func(x *X) Num) int {
	if s, ok := f(fast).fast.Sign(); ok {
		return s
	}
	v := f(slow).fraction()
	return v.n.Sign() * v.d.Sign()
}
