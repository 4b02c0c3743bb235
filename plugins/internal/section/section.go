// Package section has the quantities of cross-sections that several engines share, as
// formulas for package adaptive.
package section

import (
	"context"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/pi"
)

// Strip is a rectangle whose middle lies on the axis of bending. Its breadth is measured
// along the axis, and is negative for a hole.
type Strip struct{ Breadth, Depth adaptive.Num }

// Strips gives the strips that a section is made of, for one axis of bending that is an
// axis of symmetry. It is pure, as the formulas of package adaptive are.
type Strips func(x *adaptive.X) []Strip

// sum returns the sum of breadth * depth^power.
func (s Strips) sum(x *adaptive.X, power int) adaptive.Num {
	total := x.Int(0)
	for _, strip := range s(x) {
		total = total.Add(strip.Breadth.Mul(strip.Depth.Pow(power)))
	}
	return total
}

// Area returns the area.
func (s Strips) Area(x *adaptive.X) adaptive.Num { return s.sum(x, 1) }

// SecondMoment returns the second moment of area about the axis.
func (s Strips) SecondMoment(x *adaptive.X) adaptive.Num { return s.sum(x, 3).Div(x.Int(12)) }

// PlasticModulus returns the first moment of both halves of the area about the axis.
func (s Strips) PlasticModulus(x *adaptive.X) adaptive.Num { return s.sum(x, 2).Div(x.Int(4)) }

// Bending are the quantities of bending about one axis, each correctly rounded.
type Bending struct{ SecondMoment, SectionModulus, PlasticModulus, RadiusOfGyration float64 }

// Round returns the quantities of a section that reaches depth/2 to both sides of the
// axis. The names of its output fields end in _x for the axis x.
func (s Strips) Round(ctx context.Context, axis string, depth float64) Bending {
	return Bending{
		SecondMoment: adaptive.Round(ctx, "second_moment_"+axis, s.SecondMoment),
		SectionModulus: adaptive.Round(ctx, "section_modulus_"+axis, func(x *adaptive.X) adaptive.Num {
			return s.sum(x, 3).Div(x.Of(depth).Mul(x.Int(6)))
		}),
		PlasticModulus: adaptive.Round(ctx, "plastic_modulus_"+axis, s.PlasticModulus),
		RadiusOfGyration: adaptive.RoundSqrt(ctx, "radius_of_gyration_"+axis, func(x *adaptive.X) adaptive.Num {
			return s.sum(x, 3).Div(s.Area(x).Mul(x.Int(12)))
		}),
	}
}

// Ring is a circle with a concentric hole, whose diameter may be zero.
type Ring struct{ Outer, Inner float64 }

// Area returns the area.
func (r Ring) Area(x *adaptive.X) adaptive.Num {
	return r.powers(x, 2).Mul(pi.Of(x)).Div(x.Int(4))
}

// PolarMoment returns the second moment of area about the centre, which is twice that
// about a diameter.
func (r Ring) PolarMoment(x *adaptive.X) adaptive.Num {
	return r.powers(x, 4).Mul(pi.Of(x)).Div(x.Int(32))
}

// PlasticModulus returns the first moment of both halves of the area about a diameter.
func (r Ring) PlasticModulus(x *adaptive.X) adaptive.Num { return r.powers(x, 3).Div(x.Int(6)) }

// powers returns the difference of the powers of the diameters.
func (r Ring) powers(x *adaptive.X, power int) adaptive.Num {
	return x.Of(r.Outer).Pow(power).Sub(x.Of(r.Inner).Pow(power))
}
