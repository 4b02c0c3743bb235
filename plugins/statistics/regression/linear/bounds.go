package main

import (
	"context"
	"math/big"
	"sync"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/rational"
	"github.com/slipstick/slipstick/sdk"
)

// boundedFit is a fit as far as two numbers tell it. Its sums are of the data less the
// first, or less nothing for a line through the origin.
type boundedFit struct {
	slope, intercept, rSquared                         doubled.Num
	residualVariance, slopeVariance, interceptVariance doubled.Num // squares of the errors

	x, y         rational.Spread
	xx, xy, yy   doubled.Ball // as in fit
	weight, free doubled.Ball // as in fit
	exactly      func() *fit  // all of it, made at most once
}

func boundedFitOf(xs, ys []sdk.Decimal, intercept bool) *boundedFit {
	f := &boundedFit{
		xx: doubled.UnknownBall, xy: doubled.UnknownBall, yy: doubled.UnknownBall,
		exactly: sync.OnceValue(func() *fit { return fitOf(xs, ys, intercept) }),
	}
	var originX, originY sdk.Decimal
	if intercept {
		originX, originY = xs[0], ys[0]
	}
	var knownX, knownY bool
	f.x, knownX = rational.SpreadOf(xs, originX)
	f.y, knownY = rational.SpreadOf(ys, originY)
	if !knownX || !knownY {
		return f
	}
	f.xx, f.xy, f.yy = f.x.Squares, rational.Products(f.x.Beyond, f.y.Beyond), f.y.Squares
	f.weight, f.free = doubled.BallOf(1), doubled.BallOf(float64(len(xs)-1))
	if intercept {
		f.weight, f.free = doubled.BallOf(float64(len(xs))), doubled.BallOf(float64(len(xs)-2))
		f.xx = rational.Centered(f.weight, f.xx, f.x.Sum, f.x.Sum)
		f.xy = rational.Centered(f.weight, f.xy, f.x.Sum, f.y.Sum)
		f.yy = rational.Centered(f.weight, f.yy, f.y.Sum, f.y.Sum)
	}
	return f
}

// ratios fills in the results, once x is known to vary.
func (f *boundedFit) ratios() *boundedFit {
	n := f.weight.Num()
	xx, yy := f.xx.Num().TimesPower(2*f.x.Unit), f.yy.Num().TimesPower(2*f.y.Unit)
	xy := f.xy.Num().TimesPower(f.x.Unit + f.y.Unit)
	for _, result := range []*doubled.Num{&f.slope, &f.intercept, &f.rSquared, &f.residualVariance, &f.slopeVariance, &f.interceptVariance} {
		*result = doubled.Unknown
	}
	if sign, ok := xx.Sign(); !ok || sign == 0 {
		return f
	}
	f.slope = xy.Div(xx)
	meanX := f.x.Mean(f.weight)
	f.intercept = f.y.Mean(f.weight).Sub(f.slope.Mul(meanX))
	if sign, ok := yy.Sign(); ok && sign != 0 {
		f.rSquared = xy.Mul(xy).Div(xx.Mul(yy))
	}
	unexplained := f.xx.Mul(f.yy).Sub(f.xy.Mul(f.xy)).Num().TimesPower(2 * (f.x.Unit + f.y.Unit))
	perFree := unexplained.Div(xx).Div(f.free.Num())
	f.residualVariance = perFree.Div(n)
	f.slopeVariance = perFree.Div(xx)
	squares := xx.Div(n).Add(n.Mul(meanX).Mul(meanX)) // sum x^2 = sum (x - m)^2 + n m^2
	f.interceptVariance = f.slopeVariance.Mul(squares).Div(n)
	return f
}

// xVaries reports whether the sum of squares of x is not zero.
func (f *boundedFit) xVaries() bool {
	if sign, ok := f.xx.Sign(); ok {
		return sign != 0
	}
	return f.exactly().xx.Sign() != 0
}

func (f *boundedFit) yVaries() bool {
	if sign, ok := f.yy.Sign(); ok {
		return sign != 0
	}
	return f.exactly().yy.Sign() != 0
}

func (f *boundedFit) round(ctx context.Context, name string, fast doubled.Num, exactly func(*fit) *big.Rat) float64 {
	return rational.Decide(ctx, name, fast, func() float64 { return rational.Round(ctx, name, exactly(f.exactly())) })
}

func (f *boundedFit) roundSqrt(ctx context.Context, name string, square doubled.Num, exactly func(*fit) *big.Rat) float64 {
	return rational.Decide(ctx, name, square.Sqrt(), func() float64 { return rational.RoundSqrt(ctx, name, exactly(f.exactly())) })
}
