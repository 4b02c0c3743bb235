package main

import (
	"cmp"
	"math/big"
	"slices"
	"sync"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/rational"
	"github.com/slipstick/slipstick/sdk"
)

// meanOf returns the mean of one number or two.
func meanOf(numbers []sdk.Decimal) *big.Rat {
	sum := new(big.Rat).Add(numbers[0].Rat(), numbers[len(numbers)-1].Rat())
	return sum.Quo(sum, big.NewRat(2, 1))
}

// sorted returns the data by size. Where two have the same nearest binary64 and are not written
// alike, exact numbers tell.
func sorted(data []sdk.Decimal) []sdk.Decimal {
	order := slices.Clone(data)
	slices.SortFunc(order, func(a, b sdk.Decimal) int {
		if c := cmp.Compare(a.Float, b.Float); c != 0 || a == b {
			return c
		}
		if sign, ok := rational.Of(a).Sub(rational.Of(b)).Sign(); ok {
			return sign
		}
		return a.Rat().Cmp(b.Rat())
	})
	return order
}

// sample is what is asked of the data, as far as two numbers tell it.
type sample struct {
	mean, variance, errorSquared, correlation doubled.Num

	spread  doubled.Ball        // n sum (y - m)^2, in squares of a unit
	exactly func() *exactSample // all of it, made at most once
}

func sampleOf(data []sdk.Decimal) *sample {
	s := &sample{
		mean: doubled.Unknown, variance: doubled.Unknown, errorSquared: doubled.Unknown, correlation: doubled.Unknown,
		spread: doubled.UnknownBall, exactly: sync.OnceValue(func() *exactSample { return exactSampleOf(data) }),
	}
	y, ok := rational.SpreadOf(data, data[0])
	if !ok {
		return s
	}
	last := len(data) - 1
	n, less := doubled.BallOf(float64(last+1)), doubled.BallOf(float64(last))
	s.mean = y.Mean(n)
	s.spread = rational.Centered(n, y.Squares, y.Sum, y.Sum)
	s.variance = s.spread.Num().TimesPower(2 * y.Unit).Div(n.Mul(less).Num())
	s.errorSquared = s.variance.Div(n.Num())
	if !s.varies() {
		return s
	}
	// As autocorrelation below, of the numbers less the first.
	inner := y.Sum.Add(y.Sum).Sub(y.Beyond[0]).Sub(y.Beyond[last])
	numerator := n.Mul(rational.Products(y.Beyond[:last], y.Beyond[1:])).Sub(inner.Mul(y.Sum)).Mul(n).Add(less.Mul(y.Sum).Mul(y.Sum))
	s.correlation = numerator.Num().Div(n.Mul(s.spread).Num())
	return s
}

// varies reports whether not all observations are equal.
func (s *sample) varies() bool {
	if sign, ok := s.spread.Sign(); ok {
		return sign != 0
	}
	return s.exactly().spread.Sign() != 0
}

// exactSample is the data as integers in a unit, and what they have in common.
type exactSample struct {
	ints []*big.Int
	unit *big.Rat

	n, sum *big.Int
	spread *big.Int // n sum y^2 - (sum y)^2, which is n sum (y - m)^2
}

func exactSampleOf(data []sdk.Decimal) *exactSample {
	s := &exactSample{n: big.NewInt(int64(len(data)))}
	s.ints, s.unit = rational.Integers(data)
	s.sum = rational.Sum(s.ints)
	s.spread = rational.Dot(s.ints, s.ints)
	s.spread.Mul(s.n, s.spread).Sub(s.spread, new(big.Int).Mul(s.sum, s.sum))
	return s
}

// ratio returns the value of numerator units by the denominator.
func (s *exactSample) ratio(numerator, denominator *big.Int) *big.Rat {
	r := new(big.Rat).SetFrac(numerator, denominator)
	return r.Mul(r, s.unit)
}

func (s *exactSample) variance() *big.Rat {
	less := new(big.Int).Sub(s.n, big.NewInt(1))
	r := s.ratio(s.spread, less.Mul(less, s.n))
	return r.Mul(r, s.unit)
}

func (s *exactSample) mean() *big.Rat { return s.ratio(s.sum, s.n) }

// errorSquared is the square of the standard error.
func (s *exactSample) errorSquared() *big.Rat {
	return new(big.Rat).Quo(s.variance(), new(big.Rat).SetInt(s.n))
}

// autocorrelation is the one at lag 1. With C = sum yi yi+1 and S = sum y the numerator
// is C - m (2 S - y1 - yn) + (n - 1) m^2, here multiplied by n^2.
func (s *exactSample) autocorrelation() *big.Rat {
	last := len(s.ints) - 1
	products := rational.Dot(s.ints[:last], s.ints[1:])
	inner := new(big.Int).Lsh(s.sum, 1)
	inner.Sub(inner, s.ints[0]).Sub(inner, s.ints[last])
	numerator := new(big.Int).Mul(s.n, products)
	numerator.Sub(numerator, inner.Mul(inner, s.sum)).Mul(numerator, s.n)
	square := new(big.Int).Mul(s.sum, s.sum)
	numerator.Add(numerator, square.Mul(square, big.NewInt(int64(last))))
	return new(big.Rat).SetFrac(numerator, new(big.Int).Mul(s.n, s.spread))
}
