// Package elementary computes formulas with roots, logarithms, exponentials and angles in
// numbers of 224 bits and rounds the result to binary64 once.
//
// Package math will not do for that: its functions are off in the last bit, and on
// which inputs depends on the processor, because the compiler fuses their products
// and sums where it can. Here every operation is one of math/big or is made of some,
// to a relative error below 2^-170. A result is then the binary64 nearest to the true
// value, unless that lies within 2^-100 of the middle between two.
package elementary

import (
	"context"
	"fmt"
	"math/big"

	"github.com/slipstick/slipstick/sdk"
)

const precision = 224 // the product of four binary64 numbers is exact

// Num is a real number. It is immutable; the zero value is 0.
type Num struct{ f *big.Float }

// blank returns a zero to compute into.
func blank() *big.Float { return new(big.Float).SetPrec(precision) }

// Of returns the value of f, which must not be NaN.
func Of(f float64) Num { return Num{blank().SetFloat64(f)} }

// Int returns i.
func Int(i int64) Num { return Num{blank().SetInt64(i)} }

// Literal returns the value of a decimal literal such as 9.80665. It is for constants
// of programs, and panics if the literal is none.
func Literal(literal string) Num {
	f, ok := blank().SetString(literal)
	if !ok {
		panic(fmt.Sprintf("elementary: %q is not a decimal literal", literal))
	}
	return Num{f}
}

// Pi is the ratio of a circle's circumference to its diameter.
var Pi = Literal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")

func (a Num) float() *big.Float {
	if a.f == nil {
		return new(big.Float)
	}
	return a.f
}

// Add returns a + b.
func (a Num) Add(b Num) Num { return Num{blank().Add(a.float(), b.float())} }

// Sub returns a - b.
func (a Num) Sub(b Num) Num { return Num{blank().Sub(a.float(), b.float())} }

// Mul returns the product of a and all bs.
func (a Num) Mul(bs ...Num) Num {
	for _, b := range bs {
		a = Num{blank().Mul(a.float(), b.float())}
	}
	return a
}

// Div returns a/b. It panics if b is zero.
func (a Num) Div(b Num) Num {
	if b.Sign() == 0 {
		panic("elementary: division by zero")
	}
	return Num{blank().Quo(a.float(), b.float())}
}

// Abs returns the magnitude of a.
func (a Num) Abs() Num { return Num{blank().Abs(a.float())} }

// Neg returns -a.
func (a Num) Neg() Num { return Num{blank().Neg(a.float())} }

// Sqrt returns the square root of a. It panics if a is negative.
func (a Num) Sqrt() Num { return Num{blank().Sqrt(a.float())} }

// Pow returns a to the power b. It panics if a is not positive.
func (a Num) Pow(b Num) Num { return b.Mul(a.Log()).Exp() }

// Sign returns -1, 0 or 1.
func (a Num) Sign() int { return a.float().Sign() }

// Cmp returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Num) Cmp(b Num) int { return a.float().Cmp(b.float()) }

// Float returns the binary64 nearest to a, infinite beyond their range.
func (a Num) Float() float64 {
	f, _ := a.float().Float64()
	return f
}

// Literal returns a as a decimal literal, with more digits than it is exact to.
func (a Num) Literal() string { return a.float().Text('e', 69) }

// Round returns a as [Num.Float] does, and warns if a result that is not zero was
// rounded to zero. The name is the output field's.
func Round(ctx context.Context, name string, a Num) float64 {
	f := a.Float()
	if f == 0 && a.Sign() != 0 {
		sdk.WarnUnderflow(ctx, name)
	}
	return f
}
