// Package elementary computes formulas with roots, logarithms, exponentials and angles and
// rounds the result to binary64 once.
//
// Package math will not do for that: its functions are off in the last bit, and on
// which inputs depends on the processor, because the compiler fuses their products
// and sums where it can. Here numbers have 224 bits, every operation is one of math/big
// or is made of some, and the relative error is below 2^-170. A result is then the
// binary64 nearest to the true value, unless that lies within 2^-100 of the middle
// between two.
//
// Those 224 bits are rarely computed. Each number has a value of twice the precision of
// binary64 with a proved bound of its error (package doubled), and remembers what it was
// made of. Where the bound decides a rounding, a sign or a comparison, that is the answer.
// Where it does not, the number is computed with all bits, and so are those it was made
// of.
package elementary

import (
	"context"
	"fmt"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/sdk"
)

// Num is a real number. It is immutable; the zero value is 0.
type Num struct {
	fast   doubled.Num
	origin *node // how the 224 bits are computed; nil if fast is the value
}

// Of returns the value of f, which must not be NaN.
func Of(f float64) Num { return Num{fast: doubled.Of(f)} }

// Int returns i.
func Int(i int64) Num { return Num{fast: doubled.Int(i)} }

// Literal returns the value of a decimal literal such as 9.80665. It is for constants
// of programs, made once, and panics if the literal is none.
func Literal(literal string) Num {
	f, ok := blank().SetString(literal)
	if !ok {
		panic(fmt.Sprintf("elementary: %q is not a decimal literal", literal))
	}
	n := new(node)
	n.all.Store(f)
	return Num{fast: doubled.Decimal(literal), origin: n}
}

// Pi is the ratio of a circle's circumference to its diameter.
var Pi = Literal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")

// Add returns a + b.
func (a Num) Add(b Num) Num { return made(add, a.fast.Add(b.fast), a, b) }

// Sub returns a - b.
func (a Num) Sub(b Num) Num { return made(sub, a.fast.Sub(b.fast), a, b) }

// Mul returns the product of a and all bs.
func (a Num) Mul(bs ...Num) Num {
	for _, b := range bs {
		a = made(mul, a.fast.Mul(b.fast), a, b)
	}
	return a
}

// Div returns a/b. It panics if b is zero.
func (a Num) Div(b Num) Num {
	if b.Sign() == 0 {
		panic("elementary: division by zero")
	}
	return made(div, a.fast.Div(b.fast), a, b)
}

// Abs returns the magnitude of a.
func (a Num) Abs() Num {
	if a.Sign() < 0 {
		return a.Neg()
	}
	return a
}

// Neg returns -a.
func (a Num) Neg() Num { return made(neg, a.fast.Neg(), a, Num{}) }

// Sqrt returns the square root of a. It panics if a is negative.
func (a Num) Sqrt() Num {
	if a.Sign() < 0 {
		panic("elementary: square root of a negative number")
	}
	return made(sqrt, a.fast.Sqrt(), a, Num{})
}

// Exp returns e to the power a. Beyond 16384, and below its negative, it stands still.
func (a Num) Exp() Num { return made(exp, a.fast.Exp(), a, Num{}) }

// Expm1 returns e^a - 1 without losing digits where a is small.
func (a Num) Expm1() Num { return made(expm1, a.fast.Expm1(), a, Num{}) }

// Log returns the natural logarithm of a. It panics if a is not positive.
func (a Num) Log() Num {
	if a.Sign() <= 0 {
		panic("elementary: logarithm of a number that is not positive")
	}
	return made(log, a.fast.Log(), a, Num{})
}

// Log1p returns the natural logarithm of 1 + a without losing digits where a is
// small. It panics if a is not above -1.
func (a Num) Log1p() Num {
	if a.Cmp(Of(-0.25)) > 0 && a.Cmp(Of(0.25)) < 0 {
		return made(log1p, a.fast.Log1p(), a, Num{})
	}
	return Int(1).Add(a).Log()
}

// Pow returns a to the power b. It panics if a is not positive.
func (a Num) Pow(b Num) Num { return b.Mul(a.Log()).Exp() }

// Within returns a, of which the caller knows that it lies within rel*|b| of b. It is for
// the limit of a sequence, whose last steps cancel so far that a bound of their own says
// nothing. All digits are those of a.
func (a Num) Within(rel float64, b Num) Num {
	if a.origin == nil {
		return a
	}
	return Num{fast: b.fast.Widen(max(rel, 0x1p-106)), origin: a.origin}
}

// Sign returns -1, 0 or 1.
func (a Num) Sign() int {
	if s, ok := a.fast.Sign(); ok {
		return s
	}
	return a.float().Sign()
}

// Cmp returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Num) Cmp(b Num) int {
	if s, ok := a.fast.Sub(b.fast).Sign(); ok {
		return s
	}
	return a.float().Cmp(b.float())
}

// Float returns the binary64 nearest to a, infinite beyond their range.
func (a Num) Float() float64 {
	if f, ok := a.fast.Round(); ok {
		if f == 0 { // a zero has a sign, as in math/big
			hi, _, _, _ := a.fast.Parts()
			f = math.Copysign(f, hi)
		}
		return f
	}
	f, _ := a.float().Float64()
	return f
}

// About returns a number that differs from a by at most a part in 2^29.
func (a Num) About() float64 {
	if hi, _, rel, scale := a.fast.Parts(); rel == rel && scale == 0 {
		return hi
	}
	return a.Float()
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
