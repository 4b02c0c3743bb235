// Package wide computes with numbers of 224 bits and rounds a result to binary64 once.
// It is for formulas with exponentials, angles and sums of roots, which no fraction is.
// Its own error is some 2^-190 of a term, so a result is the binary64 nearest to the
// true value, unless that lies within so little of the middle between two.
//
// A result depends on no compiler or processor, as those of package math may.
package wide

import (
	"context"
	"fmt"
	"math/big"

	"github.com/slipstick/slipstick/sdk"
)

const precision = 224

// Num is a number. It is immutable, and made by Of, Int or Literal.
type Num struct{ f *big.Float }

// Pi is the ratio of the circumference of a circle to its diameter.
var Pi = Literal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")

// Of returns the value of x, which must be finite.
func Of(x float64) Num { return Num{fresh().SetFloat64(x)} }

// Int returns i.
func Int(i int64) Num { return Num{fresh().SetInt64(i)} }

// Literal returns the value of a decimal literal. It is for constants of programs, and
// panics if the literal is none.
func Literal(literal string) Num {
	f, ok := fresh().SetString(literal)
	if !ok {
		panic(fmt.Sprintf("wide: %q is not a decimal literal", literal))
	}
	return Num{f}
}

func fresh() *big.Float { return new(big.Float).SetPrec(precision) }

// Add returns a + b.
func (a Num) Add(b Num) Num { return Num{fresh().Add(a.f, b.f)} }

// Sub returns a - b.
func (a Num) Sub(b Num) Num { return Num{fresh().Sub(a.f, b.f)} }

// Mul returns the product of a and all bs.
func (a Num) Mul(bs ...Num) Num {
	product := fresh().Set(a.f)
	for _, b := range bs {
		product.Mul(product, b.f)
	}
	return Num{product}
}

// Div returns a/b. It panics if b is zero.
func (a Num) Div(b Num) Num {
	if b.Sign() == 0 {
		panic("wide: division by zero")
	}
	return Num{fresh().Quo(a.f, b.f)}
}

// Abs returns the magnitude of a.
func (a Num) Abs() Num { return Num{fresh().Abs(a.f)} }

// Neg returns -a.
func (a Num) Neg() Num { return Num{fresh().Neg(a.f)} }

// Sqrt returns the root of a. It panics if a is negative.
func (a Num) Sqrt() Num { return Num{fresh().Sqrt(a.f)} }

// Sign returns -1, 0 or 1.
func (a Num) Sign() int { return a.f.Sign() }

// Cmp returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Num) Cmp(b Num) int { return a.f.Cmp(b.f) }

// Float returns the binary64 nearest to a, infinite beyond their range.
func (a Num) Float() float64 {
	f, _ := a.f.Float64()
	return f
}

// Literal returns a as a decimal literal, with more digits than it is exact to.
func (a Num) Literal() string { return a.f.Text('e', 69) }

// Round returns a as [Num.Float] does, and warns if a result that is not zero was
// rounded to zero. The name is the output field's.
func Round(ctx context.Context, name string, a Num) float64 {
	f := a.Float()
	if f == 0 && a.Sign() != 0 {
		sdk.WarnUnderflow(ctx, name)
	}
	return f
}
