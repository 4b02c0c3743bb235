package main

import (
	"context"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/principal"
)

// polygon is a polygon whose methods with an X are formulas for package adaptive.
type polygon struct {
	corners     [][]float64
	orientation int64 // 1 if it is run around counterclockwise, -1 if clockwise, 0 without area
}

func polygonOf(corners [][]float64) *polygon {
	p := &polygon{corners, 1}
	p.orientation = int64(adaptive.Sign(p.area))
	return p
}

// corner is a corner, seen from the first one.
type corner struct{ x, y adaptive.Num }

// edges calls f with the ends of each edge and the cross product of both, which is twice
// the area between the edge and the first corner, positive for a counterclockwise
// polygon.
func (p *polygon) edges(x *adaptive.X, f func(a, b corner, cross adaptive.Num)) {
	originX, originY := x.Of(p.corners[0][0]), x.Of(p.corners[0][1])
	from, sign := corner{x.Int(0), x.Int(0)}, x.Int(p.orientation)
	for _, c := range p.corners[1:] { // the edge back to the first corner spans no area
		to := corner{x.Of(c[0]).Sub(originX), x.Of(c[1]).Sub(originY)}
		f(from, to, from.x.Mul(to.y).Sub(to.x.Mul(from.y)).Mul(sign))
		from = to
	}
}

func (p *polygon) area(x *adaptive.X) adaptive.Num {
	twice := x.Int(0)
	p.edges(x, func(_, _ corner, cross adaptive.Num) { twice = twice.Add(cross) })
	return twice.Div(x.Int(2))
}

func (p *polygon) centroidX(x *adaptive.X) adaptive.Num {
	return p.centroid(x, 0, func(c corner) adaptive.Num { return c.x })
}

func (p *polygon) centroidY(x *adaptive.X) adaptive.Num {
	return p.centroid(x, 1, func(c corner) adaptive.Num { return c.y })
}

// centroid returns the coordinate of the centroid that is the i-th of a corner.
func (p *polygon) centroid(x *adaptive.X, i int, of func(corner) adaptive.Num) adaptive.Num {
	twice, first := x.Int(0), x.Int(0)
	p.edges(x, func(a, b corner, cross adaptive.Num) {
		twice = twice.Add(cross)
		first = first.Add(of(a).Add(of(b)).Mul(cross))
	})
	return x.Of(p.corners[0][i]).Add(first.Div(twice.Mul(x.Int(3))))
}

func (p *polygon) secondMomentX(x *adaptive.X) adaptive.Num {
	y := func(c corner) adaptive.Num { return c.y }
	return p.moment(x, y, y)
}

func (p *polygon) secondMomentY(x *adaptive.X) adaptive.Num {
	along := func(c corner) adaptive.Num { return c.x }
	return p.moment(x, along, along)
}

func (p *polygon) productMoment(x *adaptive.X) adaptive.Num {
	return p.moment(x, func(c corner) adaptive.Num { return c.x }, func(c corner) adaptive.Num { return c.y })
}

// principalMoments are the principal values of the tensor of the moments that were
// rounded before.
func (p *polygon) principalMoments(ctx context.Context, rounded *Output) (greater, lesser float64) {
	moments := principal.Tensor{XX: p.secondMomentX, YY: p.secondMomentY, XY: p.productMoment}
	components := principal.Components{XX: rounded.SecondMomentX, YY: rounded.SecondMomentY, XY: rounded.ProductMoment}
	return moments.Values(ctx, components, "principal_moment_1", "principal_moment_2")
}

// moment returns the integral of the product of the coordinates u and v, both counted
// from the centroid. About the first corner it is the sum of
// (2 ua va + ua vb + ub va + 2 ub vb) cross/24; the parallel axis theorem moves it.
func (p *polygon) moment(x *adaptive.X, u, v func(corner) adaptive.Num) adaptive.Num {
	twice, firstU, firstV, second := x.Int(0), x.Int(0), x.Int(0), x.Int(0)
	p.edges(x, func(a, b corner, cross adaptive.Num) {
		ua, ub, va, vb := u(a), u(b), v(a), v(b)
		sumU, sumV := ua.Add(ub), va.Add(vb)
		twice = twice.Add(cross)
		firstU, firstV = firstU.Add(sumU.Mul(cross)), firstV.Add(sumV.Mul(cross))
		second = second.Add(sumU.Mul(sumV).Add(ua.Mul(va)).Add(ub.Mul(vb)).Mul(cross))
	})
	moved := firstU.Mul(firstV).Div(twice.Mul(x.Int(18))) // A uc vc, with A = twice/2 and uc = firstU/(3 twice)
	return second.Div(x.Int(24)).Sub(moved)
}

// perimeter returns the sum of the lengths of all edges.
func (p *polygon) perimeter() elementary.Num {
	sum := elementary.Int(0)
	from := p.corners[len(p.corners)-1]
	for _, to := range p.corners {
		dx, dy := elementary.Of(to[0]).Sub(elementary.Of(from[0])), elementary.Of(to[1]).Sub(elementary.Of(from[1]))
		sum = sum.Add(dx.Mul(dx).Add(dy.Mul(dy)).Sqrt())
		from = to
	}
	return sum
}
