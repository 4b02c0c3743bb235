// Package adaptive rounds a formula once: the result is the binary64 nearest to the
// true value for the given inputs.
package adaptive

import (
	"context"

	"github.com/slipstick/slipstick/plugins/internal/exact"
	"github.com/slipstick/slipstick/sdk"
)

// X makes the numbers of one evaluation of a formula.
type X struct{}

// Num is a number of one evaluation. It is immutable.
type Num struct{ n, d exact.Num }

// Of returns the value of f, which must be finite.
func (x *X) Of(f float64) Num { return Num{exact.Of(f), exact.Int(1)} }

// Int returns i.
func (x *X) Int(i int64) Num { return Num{exact.Int(i), exact.Int(1)} }

// Literal returns the value of a decimal literal such as 5.67e-8. It is for constants
// of programs, and panics if the literal is none.
func (x *X) Literal(literal string) Num {
	n, d := exact.Decimal(literal)
	return Num{n, d}
}

// Decimal returns the value of a decimal input.
func (x *X) Decimal(d sdk.Decimal) Num {
	if d.Literal == "" {
		return x.Of(d.Float)
	}
	return x.Literal(d.Literal)
}

// Add returns a + b.
func (a Num) Add(b Num) Num {
	return Num{a.n.Mul(b.d).Add(b.n.Mul(a.d)), a.d.Mul(b.d)}
}

// Sub returns a - b.
func (a Num) Sub(b Num) Num { return a.Add(b.Neg()) }

// Mul returns the product of a and all bs.
func (a Num) Mul(bs ...Num) Num {
	for _, b := range bs {
		a = Num{a.n.Mul(b.n), a.d.Mul(b.d)}
	}
	return a
}

// Div returns a/b. It panics if b is zero.
func (a Num) Div(b Num) Num {
	if b.n.Sign() == 0 {
		panic("adaptive: division by zero")
	}
	return Num{a.n.Mul(b.d), a.d.Mul(b.n)}
}

// Neg returns -a.
func (a Num) Neg() Num { return Num{a.n.Neg(), a.d} }

// Abs returns the magnitude of a.
func (a Num) Abs() Num { return Num{a.n.Abs(), a.d.Abs()} }

// Pow returns a to the power k, which must not be negative.
func (a Num) Pow(k int) Num { return Num{a.n.Pow(k), a.d.Pow(k)} }

// Round returns the value of the formula, rounded once, and warns if a result that is
// not zero was rounded to zero. The name is the output field's.
func Round(ctx context.Context, name string, f func(x *X) Num) float64 {
	v := f(new(X))
	return exact.Round(ctx, name, v.n, v.d)
}

// RoundSqrt returns the square root of the value of the formula as [Round] does. It
// panics if the value is negative.
func RoundSqrt(ctx context.Context, name string, f func(x *X) Num) float64 {
	v := f(new(X))
	return exact.RoundSqrt(ctx, name, v.n, v.d)
}

// Sign returns the sign of the formula: -1, 0 or 1.
func Sign(f func(x *X) Num) int {
	v := f(new(X))
	return v.n.Sign() * v.d.Sign()
}
