package main

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/rational"
	"github.com/slipstick/slipstick/sdk"
)

// fit is the data in sums. x and y are integers in units of their own; the sums of
// squares and products are about the means and n times as large, or about zero.
type fit struct {
	xUnit, yUnit *big.Rat
	xx, xy, yy   *big.Int

	weight *big.Int // n, or 1 without an intercept
	free   *big.Int // degrees of freedom

	x, y, squares *big.Int // plain sums of x, y and x^2
}

func fitOf(xs, ys []sdk.Decimal, intercept bool) *fit {
	x, xUnit := rational.Integers(xs)
	y, yUnit := rational.Integers(ys)
	f := &fit{
		xUnit: xUnit, yUnit: yUnit, x: rational.Sum(x), y: rational.Sum(y),
		xx: rational.Dot(x, x), xy: rational.Dot(x, y), yy: rational.Dot(y, y),
		weight: big.NewInt(1), free: big.NewInt(int64(len(xs)) - 1),
	}
	f.squares = new(big.Int).Set(f.xx)
	if intercept {
		f.weight.SetInt64(int64(len(xs)))
		f.free.SetInt64(int64(len(xs)) - 2)
		f.center(f.xx, f.x, f.x)
		f.center(f.xy, f.x, f.y)
		f.center(f.yy, f.y, f.y)
	}
	return f
}

// center makes n times a sum of products about the means of a sum of products.
func (f *fit) center(products, a, b *big.Int) {
	products.Mul(products, f.weight).Sub(products, new(big.Int).Mul(a, b))
}

// frac returns the product of the numerators by that of the denominators.
func frac(numerators, denominators []*big.Int) *big.Rat {
	product := func(factors []*big.Int) *big.Int {
		p := big.NewInt(1)
		for _, f := range factors {
			p.Mul(p, f)
		}
		return p
	}
	return new(big.Rat).SetFrac(product(numerators), product(denominators))
}

// scaled returns r times the units.
func scaled(r *big.Rat, units ...*big.Rat) *big.Rat {
	for _, u := range units {
		r.Mul(r, u)
	}
	return r
}

// slopeUnit is the unit of y by that of x.
func (f *fit) slopeUnit() *big.Rat { return new(big.Rat).Quo(f.yUnit, f.xUnit) }

func (f *fit) slope() *big.Rat {
	return scaled(frac([]*big.Int{f.xy}, []*big.Int{f.xx}), f.slopeUnit())
}

// intercept is (sum y - b sum x)/n.
func (f *fit) intercept() *big.Rat {
	rest := new(big.Int).Sub(new(big.Int).Mul(f.y, f.xx), new(big.Int).Mul(f.xy, f.x))
	return scaled(frac([]*big.Int{rest}, []*big.Int{f.weight, f.xx}), f.yUnit)
}

func (f *fit) rSquared() *big.Rat {
	return frac([]*big.Int{f.xy, f.xy}, []*big.Int{f.xx, f.yy})
}

// unexplained is Sxx Syy - Sxy^2, which is Sxx times the sum of the squares of the
// residuals. It is never negative.
func (f *fit) unexplained() *big.Int {
	rest := new(big.Int).Mul(f.xx, f.yy)
	return rest.Sub(rest, new(big.Int).Mul(f.xy, f.xy))
}

func (f *fit) residualVariance() *big.Rat {
	return scaled(frac([]*big.Int{f.unexplained()}, []*big.Int{f.xx, f.weight, f.free}), f.yUnit, f.yUnit)
}

func (f *fit) slopeVariance() *big.Rat {
	unit := f.slopeUnit()
	return scaled(frac([]*big.Int{f.unexplained()}, []*big.Int{f.xx, f.xx, f.free}), unit, unit)
}

func (f *fit) interceptVariance() *big.Rat {
	return scaled(frac([]*big.Int{f.unexplained(), f.squares}, []*big.Int{f.xx, f.xx, f.weight, f.free}), f.yUnit, f.yUnit)
}

// mostPoints is how many observations a figure shows.
const mostPoints = 200

// Draw draws the observations and the line.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	bounded, err := in.fit()
	if err != nil {
		return nil, err
	}
	f := bounded.exactly()
	line := sdk.Curve{Label: "line"}
	byValue := func(a, b sdk.Decimal) int { return cmp.Compare(a.Float, b.Float) }
	for _, x := range []sdk.Decimal{slices.MinFunc(in.X, byValue), slices.MaxFunc(in.X, byValue)} {
		y := new(big.Rat).Mul(f.slope(), x.Rat())
		if in.Intercept {
			y.Add(y, f.intercept())
		}
		height, _ := y.Float64()
		line.X, line.Y = append(line.X, x.Float), append(line.Y, height)
	}
	figure := &sdk.Figure{Curves: []sdk.Curve{line}}
	shown := min(len(in.X), mostPoints)
	for k := range shown {
		i := k * (len(in.X) - 1) / (shown - 1) // from the first to the last
		figure.Points = append(figure.Points, sdk.Point{X: in.X[i].Float, Y: in.Y[i].Float})
	}
	return figure, nil
}
