package main

import (
	"context"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/principal"
)

// polygon is a polygon whose methods with an X are formulas for package adaptive. All are
// fractions of the same sums over the edges.
type polygon struct {
	corners     [][]float64
	sums        func(x *adaptive.X) []adaptive.Num
	tensor      func(x *adaptive.X) []adaptive.Num
	orientation int64 // 1 if its corners run counterclockwise, -1 if clockwise
}

func polygonOf(corners [][]float64) *polygon {
	p := &polygon{corners: corners}
	p.sums, p.tensor = adaptive.Once(p.sumUp), adaptive.Once(p.aboutCentroid)
	p.orientation = int64(adaptive.Sign(func(x *adaptive.X) adaptive.Num { return sums(p.sums(x)).twice() }))
	return p
}

func (p *polygon) area(x *adaptive.X) adaptive.Num {
	return sums(p.sums(x)).twice().Times(x.Int(p.orientation)).Div(x.Int(2))
}

func (p *polygon) centroidX(x *adaptive.X) adaptive.Num { return p.centroid(x, 0) }

func (p *polygon) centroidY(x *adaptive.X) adaptive.Num { return p.centroid(x, 1) }

// centroid returns the coordinate of the centroid that is the i-th of a corner.
func (p *polygon) centroid(x *adaptive.X, i int) adaptive.Num {
	s := sums(p.sums(x))
	return x.Of(p.corners[0][i]).Add(s.first(i).Div(s.twice().Times(x.Int(3))))
}

// Of the tensor of the second moments, in the order in which they stand.
const (
	aboutX = iota
	aboutY
	product
	scale // a positive number that the others are multiplied by
)

// aboutCentroid returns the tensor of the second moments about the centroid. Those about the
// first corner are second/24; by the parallel axis theorem, with A = twice/2 and first/(3
// twice) for the centroid, they are less by first first/(18 twice). Multiplied by 72
// twice they have no division, and the sign of the orientation is in the scale alone.
func (p *polygon) aboutCentroid(x *adaptive.X) []adaptive.Num {
	s := sums(p.sums(x))
	moment := func(i, j int) adaptive.Num {
		return s.twice().Times(s.second(i, j)).Times(x.Int(3)).Sub(s.first(i).Times(s.first(j)).Times(x.Int(4)))
	}
	return []adaptive.Num{aboutX: moment(1, 1), aboutY: moment(0, 0), product: moment(0, 1), scale: s.twice().Times(x.Int(72 * p.orientation))}
}

// moment returns a component of the tensor.
func (p *polygon) moment(x *adaptive.X, component int) adaptive.Num {
	t := p.tensor(x)
	return t[component].Div(t[scale])
}

func (p *polygon) secondMomentX(x *adaptive.X) adaptive.Num { return p.moment(x, aboutX) }

func (p *polygon) secondMomentY(x *adaptive.X) adaptive.Num { return p.moment(x, aboutY) }

func (p *polygon) productMoment(x *adaptive.X) adaptive.Num { return p.moment(x, product) }

// radiusX returns the square of the radius of gyration about x.
func (p *polygon) radiusX(x *adaptive.X) adaptive.Num { return p.secondMomentX(x).Div(p.area(x)) }

func (p *polygon) radiusY(x *adaptive.X) adaptive.Num { return p.secondMomentY(x).Div(p.area(x)) }

// principalMoments are the principal values of the tensor of the moments that were
// rounded before.
func (p *polygon) principalMoments(ctx context.Context, rounded *Output) (greater, lesser float64) {
	of := func(component int) principal.Formula {
		return func(x *adaptive.X) adaptive.Num { return p.tensor(x)[component] }
	}
	moments := principal.Tensor{XX: of(aboutX), YY: of(aboutY), XY: of(product), Scale: of(scale)}
	components := principal.Components{XX: rounded.SecondMomentX, YY: rounded.SecondMomentY, XY: rounded.ProductMoment}
	return moments.Values(ctx, components, "principal_moment_1", "principal_moment_2")
}

// perimeter returns the sum of the lengths of all edges.
func (p *polygon) perimeter() elementary.Num {
	sum := elementary.Int(0)
	from := p.corners[len(p.corners)-1]
	for _, to := range p.corners {
		dx, dy := elementary.Of(to[0]).Sub(elementary.Of(from[0])), elementary.Of(to[1]).Sub(elementary.Of(from[1]))
		sum = sum.Add(length(dx, dy))
		from = to
	}
	return sum
}

// length returns the length of an edge: without a root where it has none.
func length(dx, dy elementary.Num) elementary.Num {
	switch {
	case dx.Sign() == 0:
		return dy.Abs()
	case dy.Sign() == 0:
		return dx.Abs()
	}
	return dx.Mul(dx).Add(dy.Mul(dy)).Sqrt()
}
