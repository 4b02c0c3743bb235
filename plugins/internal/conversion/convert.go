package conversion

import (
	"context"
	"math/big"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/rational"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// convert returns a, given in from, in to, rounded once.
func convert(ctx context.Context, a sdk.Decimal, from, to units.Unit) float64 {
	if !units.Commensurable(from, to) {
		return rational.Decide(ctx, "value", byPi(a, from, to), func() float64 {
			return rational.Round(ctx, "value", units.Convert(a.Rat(), from, to))
		})
	}
	return adaptive.Round(ctx, "value", func(x *adaptive.X) adaptive.Num {
		p, q := from.Factor, to.Factor
		number := x.Decimal(a).Add(offset(x, from)).Mul(whole(x, p.Num()), whole(x, q.Denom()))
		return number.Div(whole(x, p.Denom()).Mul(whole(x, q.Num()))).Sub(offset(x, to))
	})
}

// pi has more digits than two numbers hold.
var pi = doubled.Decimal("3.14159265358979323846264338327950288419716939937511")

// byPi returns a in to, one of the units having a factor of pi, as far as two numbers tell it.
func byPi(a sdk.Decimal, from, to units.Unit) doubled.Num {
	if from.Offset != nil || to.Offset != nil {
		return doubled.Unknown
	}
	whole := func(i *big.Int) doubled.Num {
		if i.IsInt64() {
			return doubled.Int(i.Int64())
		}
		return doubled.Decimal(i.String())
	}
	number := rational.Of(a).Mul(whole(from.Factor.Num())).Mul(whole(to.Factor.Denom()))
	number = number.Div(whole(from.Factor.Denom()).Mul(whole(to.Factor.Num())))
	if from.Pi {
		return number.Mul(pi)
	}
	return number.Div(pi)
}

func offset(x *adaptive.X, u units.Unit) adaptive.Num {
	if u.Offset == nil {
		return x.Int(0)
	}
	return whole(x, u.Offset.Num()).Div(whole(x, u.Offset.Denom()))
}

func whole(x *adaptive.X, i *big.Int) adaptive.Num {
	if i.IsInt64() {
		return x.Int(i.Int64())
	}
	return x.Literal(i.String())
}

// isBelowZero reports whether a temperature is below absolute zero.
func isBelowZero(a sdk.Decimal, from units.Unit) bool {
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num { return x.Decimal(a).Add(offset(x, from)) }) < 0
}

// isNearestToZero reports whether a is the binary64 that stands for absolute zero in
// decimals, such as -459.67, which it is not to the last bit.
func isNearestToZero(a sdk.Decimal, from units.Unit) bool {
	if a.Literal != "" || from.Offset == nil {
		return false
	}
	zero, _ := new(big.Rat).Neg(from.Offset).Float64()
	return a.Float == zero
}

// absoluteZero returns absolute zero in a unit of temperature.
func absoluteZero(u units.Unit) string {
	if u.Offset == nil {
		return "0"
	}
	return "-" + decimal(u.Offset)
}

// decimal returns the decimal digits of r, which has an end.
func decimal(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// describe returns a as it was sent.
func describe(a sdk.Decimal) string {
	if a.Literal != "" {
		return a.Literal
	}
	return string(value.AppendNumber(nil, a.Float))
}
